// Solver: arrays in, arrays out. The caller (murtree._solve) has validated everything.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "search/solve.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {
namespace {

using Matrix01 = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::object to_numpy(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));  // handed to the capsule, which deletes it
    nb::capsule owner(owned,
                      [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

const char* name_of(Status status) {
    switch (status) {
        case Status::optimal:
            return "optimal";
        case Status::time_limit:
            return "time_limit";
        case Status::interrupted:
            return "interrupted";
        case Status::infeasible:
            return "infeasible";
    }
    return "";
}

nb::dict stats_of(const Answer& answer, const Dataset& data) {
    nb::dict stats;
    stats["kernel"] = kernels::active()->name;
    stats["nodes"] = answer.stats.nodes;
    stats["depth_two_calls"] = answer.stats.depth_two_calls;
    stats["roots_pruned"] = answer.stats.roots_pruned;
    stats["splits"] = answer.stats.splits;
    stats["splits_pruned"] = answer.stats.splits_pruned;
    stats["cache_hits"] = answer.stats.cache_hits;
    stats["cache_entries"] = answer.cache_entries;
    stats["cache_bytes"] = answer.cache_bytes;
    stats["reduced_rows"] = data.reduced().n_rows();
    stats["reduced_features"] = data.reduced().n_features;
    stats["unavoidable"] = data.unavoidable();
    return stats;
}

nb::dict to_python(Answer answer, const Dataset& data) {
    nb::dict result;
    result["status"] = name_of(answer.status);
    result["lower_bound"] = answer.lower_bound;
    result["stats"] = stats_of(answer, data);
    if (!answer.tree) return result;
    CountedTree& counted = *answer.tree;
    const std::size_t n_nodes = counted.tree.size();
    result["objective"] = counted.misclassified;
    result["children_left"] = to_numpy(std::move(counted.tree.left), {n_nodes});
    result["children_right"] = to_numpy(std::move(counted.tree.right), {n_nodes});
    result["feature"] = to_numpy(std::move(counted.tree.feature), {n_nodes});
    result["value"] = to_numpy(std::move(counted.class_weights), {n_nodes, data.n_classes()});
    return result;
}

// Asked by the search a few times a second: whether Ctrl-C (or another signal with a raising
// handler) has come.
bool has_signal() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

using Answers = nb::typed<nb::dict, nb::str, nb::any>;

Answers solve(Solver& solver,
              std::uint32_t max_depth,
              std::uint32_t max_num_nodes,
              std::int64_t upper_bound,
              double time_limit) {
    Answer answer{};
    {
        const nb::gil_scoped_release no_gil;
        answer = solver.solve({max_depth, max_num_nodes, upper_bound, time_limit, has_signal});
    }
    if (answer.status == Status::interrupted) throw nb::python_error();
    return Answers(to_python(std::move(answer), solver.data()));
}

void make_solver(Solver* self,
                 const Matrix01& X,
                 const Labels& y,
                 const Weights& weight,
                 std::size_t n_classes,
                 const Reductions& reductions,
                 const Techniques& techniques) {
    const nb::gil_scoped_release no_gil;
    new (self) Solver({X.data(), X.shape(0), X.shape(1)},
                      {y.data(), y.shape(0)},
                      {weight.data(), weight.shape(0)},
                      n_classes,
                      reductions,
                      techniques);
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const kernels::Table* const* table = kernels::available(); *table != nullptr; ++table)
        names.emplace_back((*table)->name);
    return names;
}

}  // namespace

void bind_solve(nb::module_& module) {
    if (kernels::active() == nullptr) {
        std::string message = "The environment variable MURTREE_KERNEL must be one of";
        for (const std::string& name : kernel_names()) message += " '" + name + "'";
        message += std::string(" on this machine, or unset. Got '") +
                   std::getenv("MURTREE_KERNEL") + "' instead.";
        throw nb::import_error(message.c_str());
    }
    module.def("kernel_names", kernel_names, "Kernels this machine can run, best first.");
    module.def("active_kernel", [] { return kernels::active()->name; }, "The kernel in use.");
    nb::class_<Solver>(module, "Solver")
        .def(
            "__init__",
            [](Solver* self,
               const Matrix01& X,
               const Labels& y,
               const Weights& weight,
               std::size_t n_classes,
               bool deduplicate,
               bool merge_rows,
               bool cache,
               bool similarity_bound,
               bool refined_bound,
               bool dynamic_order,
               bool sibling_bound,
               bool first_tree,
               bool deepening) {
                make_solver(self,
                            X,
                            y,
                            weight,
                            n_classes,
                            {deduplicate, merge_rows},
                            {cache,
                             similarity_bound,
                             refined_bound,
                             dynamic_order,
                             sibling_bound,
                             first_tree,
                             deepening});
            },
            "X"_a,
            "y"_a,
            "weight"_a,
            "n_classes"_a,
            nb::kw_only(),
            "deduplicate"_a,
            "merge_rows"_a,
            "cache"_a,
            "similarity_bound"_a,
            "refined_bound"_a,
            "dynamic_order"_a,
            "sibling_bound"_a,
            "first_tree"_a,
            "deepening"_a)
        .def("solve", solve, "max_depth"_a, "max_num_nodes"_a, "upper_bound"_a, "time_limit"_a);
}

}  // namespace murtree
