// Bindings of FrontSolver: arrays in, arrays out. The caller
// (murtree._solver.metrics.metric_solver) has validated all arguments.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/python_values.hpp"
#include "bindings/watch.hpp"
#include "pareto/front_solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {
namespace {

using pareto::FrontAnswer;
using pareto::FrontSolver;
using pareto::LabelledTree;

// Concatenates all trees; tree k consists of the nodes starts[k] to starts[k + 1] - 1.
nb::dict trees_to_python(const std::vector<LabelledTree>& points) {
    std::vector<std::int64_t> fp;
    std::vector<std::int64_t> fn;
    std::vector<std::int64_t> starts{0};
    LabelledTree all;
    const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    for (const LabelledTree& one : points) {
        fp.push_back(one.point.fp);
        fn.push_back(one.point.fn);
        append(all.tree.left, one.tree.left);
        append(all.tree.right, one.tree.right);
        append(all.tree.feature, one.tree.feature);
        append(all.label, one.label);
        append(all.class_weights, one.class_weights);
        starts.push_back(static_cast<std::int64_t>(all.tree.size()));
    }
    nb::dict result;
    result["fp"] = to_numpy(std::move(fp));
    result["fn"] = to_numpy(std::move(fn));
    result["starts"] = to_numpy(std::move(starts));
    result["children_left"] = to_numpy(std::move(all.tree.left));
    result["children_right"] = to_numpy(std::move(all.tree.right));
    result["feature"] = to_numpy(std::move(all.tree.feature));
    result["label"] = to_numpy(std::move(all.label));
    result["value"] = to_numpy(std::move(all.class_weights)).attr("reshape")(-1, 2);
    return result;
}

Dict solve(FrontSolver& solver,
           std::uint32_t max_depth,
           std::uint32_t max_num_nodes,
           std::int64_t min_samples_leaf,
           std::int64_t min_weight_leaf,
           double time_limit,
           std::size_t memory_limit,
           bool returns_on_interrupt,
           nb::object callback) {
    Watch watch(std::move(callback), returns_on_interrupt);
    const auto should_stop = [&](double seconds, double share_done) {
        return watch(seconds, [&](nb::object& function) { return function(seconds, share_done); });
    };
    FrontAnswer answer;
    {
        const nb::gil_scoped_release no_gil;
        answer = solver.solve({{max_depth, max_num_nodes},
                               least_sizes(min_samples_leaf, min_weight_leaf),
                               time_limit,
                               memory_limit,
                               should_stop});
    }
    nb::dict result = trees_to_python(answer.points);
    result["status"] = answer.is_complete       ? "optimal"
                       : answer.was_interrupted ? "interrupted"
                                                : "time_limit";
    result["stats"] = stats_of(answer.stats, solver.data());
    return Dict(result);
}

}  // namespace

void bind_pareto(nb::module_& module) {
    nb::class_<FrontSolver>(module, "FrontSolver")
        .def(
            "__init__",
            [](FrontSolver* self,
               const Matrix01& X,
               const Labels& y,
               const Weights& weight,
               const nb::bytes& seed) {
                const Keys keys = keys_of(seed);
                const nb::gil_scoped_release no_gil;
                new (self) FrontSolver(
                    Dataset(table_of(X), span_of(y), span_of(weight), 2, {.cancel = false}, keys));
            },
            "X"_a,
            "y"_a,
            "weight"_a,
            "seed"_a)
        .def("solve",
             solve,
             "max_depth"_a,
             "max_num_nodes"_a,
             nb::kw_only(),
             "min_samples_leaf"_a,
             "min_weight_leaf"_a,
             "time_limit"_a,
             "memory_limit"_a,
             "returns_on_interrupt"_a,
             "callback"_a.none());
}

}  // namespace murtree
