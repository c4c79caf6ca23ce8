// Bindings of Solver: arrays in, arrays out. The caller (murtree._solver.solver) has validated all
// arguments.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/python_values.hpp"
#include "bindings/watch.hpp"
#include "search/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {
namespace {

const std::map<std::string, CacheKind> cache_kinds{
    {"dataset", CacheKind::dataset}, {"branch", CacheKind::branch}, {"none", CacheKind::none}};
const std::map<std::string, Sums::Kind> impurity_kinds{{"gini", Sums::Kind::gini},
                                                       {"log_loss", Sums::Kind::log_loss}};
const std::map<std::string, FeatureOrder> feature_orders{{"auto", FeatureOrder::automatic},
                                                         {"in-order", FeatureOrder::in_order},
                                                         {"gini", FeatureOrder::gini},
                                                         {"random", FeatureOrder::random}};
// Adds a tree to a dictionary, with its class weights in `value`, or its cost if the problem is
// summed.
void add_tree(nb::dict& to, CountedTree counted, std::size_t n_classes) {
    const std::size_t n_nodes = counted.tree.size();
    to[n_classes == 0 ? "cost" : "misclassified"] = counted.misclassified;
    to["children_left"] = to_numpy(std::move(counted.tree.left), {n_nodes});
    to["children_right"] = to_numpy(std::move(counted.tree.right), {n_nodes});
    to["feature"] = to_numpy(std::move(counted.tree.feature), {n_nodes});
    if (n_classes > 0)
        to["value"] = to_numpy(std::move(counted.class_weights), {n_nodes, n_classes});
}

nb::dict to_python(Answers answers, const Dataset& data) {
    nb::list by_nodes;
    for (Answer& answer : answers.by_nodes) {
        nb::dict one;
        one["status"] = name_of(answer.status);
        one["lower_bound"] = answer.lower_bound;
        if (answer.tree) add_tree(one, std::move(*answer.tree), data.n_classes());
        by_nodes.append(one);
    }
    nb::dict result;
    result["answers"] = by_nodes;
    nb::dict stats = stats_of(answers.stats, data);
    stats["roots_pruned"] = answers.stats.roots_pruned;
    stats["splits_pruned"] = answers.stats.splits_pruned;
    stats["cache_entries_before"] = answers.stats.cache_entries_before;
    result["stats"] = stats;
    return result;
}

Dict solve(Solver& solver,
           std::uint32_t max_depth,
           std::uint32_t first_num_nodes,
           std::uint32_t last_num_nodes,
           std::int64_t price_of_error,
           std::int64_t price_of_node,
           std::int64_t min_samples_leaf,
           std::int64_t min_weight_leaf,
           const Weights& leaf_weight,
           std::int64_t upper_bound,
           double time_limit,
           std::size_t memory_limit,
           bool anytime,
           bool returns_on_interrupt,
           nb::object callback) {
    Watch watch(std::move(callback), returns_on_interrupt);
    const auto should_stop = [&](const Progress& progress) {
        return watch(progress.seconds, [&](nb::object& function) {
            nb::dict known;
            known["seconds"] = progress.seconds;
            known["lower_bound"] = progress.lower_bound;
            known["share_done"] = progress.share_done;
            if (progress.tree != nullptr)
                add_tree(known, *progress.tree, solver.data().n_classes());
            return function(known);
        });
    };
    Answers answers;
    {
        const nb::gil_scoped_release no_gil;
        answers = solver.solve(
            {{max_depth, first_num_nodes, last_num_nodes},
             {price_of_error, price_of_node, least_sizes(min_samples_leaf, min_weight_leaf)},
             upper_bound,
             span_of(leaf_weight),
             time_limit,
             memory_limit,
             anytime,
             should_stop});
    }
    return Dict(to_python(std::move(answers), solver.data()));
}

// All switches of the search, by name.
struct Switches {
    Reductions reductions;
    Techniques techniques;
};

Switches make_switches(bool deduplicate,
                       bool merge_rows,
                       const std::string& cache,
                       bool similarity_bound,
                       bool refined_bound,
                       bool dynamic_order,
                       bool sibling_bound,
                       bool first_tree,
                       bool deepening,
                       bool depth_two,
                       bool cluster_bound,
                       const std::string& feature_order,
                       std::uint64_t random_state,
                       const std::string& frequency_counts) {
    return {{deduplicate, merge_rows},
            {cache_kinds.at(cache),
             similarity_bound,
             refined_bound,
             dynamic_order,
             sibling_bound,
             first_tree,
             deepening,
             depth_two,
             cluster_bound,
             feature_orders.at(feature_order),
             random_state,
             countings.at(frequency_counts)}};
}

void make_solver(Solver* self,
                 const std::variant<Matrix01, BitColumns>& X,
                 const Labels& y,
                 const Weights& weight,
                 std::size_t n_classes,
                 const Switches& switches,
                 const nb::bytes& seed) {
    const Keys keys = keys_of(seed);
    const auto* const columns = std::get_if<BitColumns>(&X);
    const Table01 table =
        columns != nullptr ? table_of(*columns, y.shape(0)) : table_of(std::get<Matrix01>(X));
    const nb::gil_scoped_release no_gil;
    new (self)
        Solver(Dataset(table, span_of(y), span_of(weight), n_classes, switches.reductions, keys),
               switches.techniques);
}

using IntMatrix = Array<std::int64_t, 2>;

std::vector<double> doubles_of(const Weights& numbers) {
    return {numbers.data(), numbers.data() + numbers.shape(0)};
}

std::unique_ptr<Solver> solver_of_costs(const Matrix01& X,
                                        const IntMatrix& costs,
                                        const Weights& feature_costs,
                                        const Switches& switches,
                                        const nb::bytes& seed) {
    const Keys keys = keys_of(seed);
    const nb::gil_scoped_release no_gil;
    const std::vector<double> inputs(costs.data(), costs.data() + costs.size());
    const Sums sums = Sums::labels(costs.shape(1), doubles_of(feature_costs));
    return std::make_unique<Solver>(Dataset(table_of(X), sums, inputs, switches.reductions, keys),
                                    switches.techniques);
}

std::unique_ptr<Solver> solver_of_targets(const Matrix01& X,
                                          const Weights& weight,
                                          const Weights& sum,
                                          double unit,
                                          const Weights& feature_costs,
                                          const Switches& switches,
                                          const nb::bytes& seed) {
    const Keys keys = keys_of(seed);
    const nb::gil_scoped_release no_gil;
    std::vector<double> inputs;
    for (std::size_t row = 0; row < weight.shape(0); ++row) {
        inputs.push_back(static_cast<double>(weight(row)));
        inputs.push_back(static_cast<double>(sum(row)));
    }
    const Sums sums = Sums::squares(unit, doubles_of(feature_costs));
    return std::make_unique<Solver>(Dataset(table_of(X), sums, inputs, switches.reductions, keys),
                                    switches.techniques);
}

// Inputs as Impurity describes them. `kind` is "gini" or "log_loss".
std::unique_ptr<Solver> solver_of_classes(const Matrix01& X,
                                          const Labels& y,
                                          const Weights& weight,
                                          std::size_t n_classes,
                                          const std::string& kind,
                                          double unit,
                                          double per_error,
                                          const Weights& feature_costs,
                                          const Switches& switches,
                                          const nb::bytes& seed) {
    const Keys keys = keys_of(seed);
    const Sums::Kind impurity = impurity_kinds.at(kind);
    const nb::gil_scoped_release no_gil;
    std::vector<double> inputs(y.shape(0) * n_classes, 0);
    for (std::size_t row = 0; row < y.shape(0); ++row) {
        double* const own = inputs.data() + row * n_classes;
        own[0] = static_cast<double>(weight(row));
        if (y(row) != 0) own[y(row)] = own[0];
    }
    const Sums sums =
        Sums::impurities(impurity, n_classes, unit, per_error, doubles_of(feature_costs));
    return std::make_unique<Solver>(Dataset(table_of(X), sums, inputs, switches.reductions, keys),
                                    switches.techniques);
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
    nb::class_<Switches>(module, "Switches")
        .def(nb::new_(&make_switches),
             nb::kw_only(),
             "deduplicate"_a,
             "merge_rows"_a,
             "cache"_a,
             "similarity_bound"_a,
             "refined_bound"_a,
             "dynamic_order"_a,
             "sibling_bound"_a,
             "first_tree"_a,
             "deepening"_a,
             "depth_two"_a,
             "cluster_bound"_a = true,
             "feature_order"_a,
             "random_state"_a,
             "frequency_counts"_a);
    nb::class_<Solver>(module, "Solver")
        .def("__init__",
             make_solver,
             "X"_a.noconvert(),
             "y"_a,
             "weight"_a,
             "n_classes"_a,
             "switches"_a,
             "seed"_a)
        .def_static("of_costs",
                    solver_of_costs,
                    "X"_a,
                    "costs"_a,
                    "feature_costs"_a,
                    "switches"_a,
                    "seed"_a)
        .def_static("of_targets",
                    solver_of_targets,
                    "X"_a,
                    "weight"_a,
                    "sum"_a,
                    "unit"_a,
                    "feature_costs"_a,
                    "switches"_a,
                    "seed"_a)
        .def_static("of_classes",
                    solver_of_classes,
                    "X"_a,
                    "y"_a,
                    "weight"_a,
                    "n_classes"_a,
                    "kind"_a,
                    "unit"_a,
                    "per_error"_a,
                    "feature_costs"_a,
                    "switches"_a,
                    "seed"_a)
        .def("solve",
             solve,
             "max_depth"_a,
             "first_num_nodes"_a,
             "last_num_nodes"_a,
             nb::kw_only(),
             "price_of_error"_a,
             "price_of_node"_a,
             "min_samples_leaf"_a,
             "min_weight_leaf"_a,
             "leaf_weight"_a,
             "upper_bound"_a,
             "time_limit"_a,
             "memory_limit"_a,
             "anytime"_a,
             "returns_on_interrupt"_a,
             "callback"_a.none());
}

}  // namespace murtree
