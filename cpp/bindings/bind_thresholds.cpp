// Bindings of the search over all cuts: ranks in, trees of tests out. The caller
// (murtree._solver.ranked_core) has validated all arguments.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/python_values.hpp"
#include "bindings/watch.hpp"
#include "kernels/kernels.hpp"
#include "thresholds/solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {
namespace {

using thresholds::CutTree;
using Dict = nb::typed<nb::dict, nb::str, nb::any>;

void add_tree(nb::dict& to, const CutTree& tree) {
    std::vector<std::uint32_t> chains, cuts;
    for (const thresholds::Test& test : tree.tests) {
        chains.push_back(test.chain);
        cuts.push_back(test.cut);
    }
    to["children_left"] = to_numpy(tree.tree.left);
    to["children_right"] = to_numpy(tree.tree.right);
    to["test"] = to_numpy(tree.tree.feature);
    to["chain"] = to_numpy(std::move(chains));
    to["cut"] = to_numpy(std::move(cuts));
}

Dict to_python(const thresholds::CutAnswers& answers) {
    nb::list by_nodes;
    for (const thresholds::CutAnswer& answer : answers.by_nodes) {
        nb::dict one;
        one["status"] = name_of(answer.status);
        one["lower_bound"] = answer.lower_bound;
        if (answer.tree) add_tree(one, *answer.tree);
        by_nodes.append(one);
    }
    nb::dict stats;
    stats["kernel"] = kernels::active()->name;
    stats["seconds"] = answers.seconds;
    stats["positions"] = answers.stats.positions;
    stats["depth_two_calls"] = answers.stats.depth_two;
    stats["stump_scans"] = answers.stats.stump_scans;
    nb::dict result;
    result["answers"] = by_nodes;
    result["stats"] = stats;
    return nb::borrow<Dict>(result);
}

// `ranks` has one row per chain, `costs` one per row of the table and one column per label;
// `widths` has the widths of the gaps at all cuts of all chains, or nothing.
void make_table(thresholds::Table* self,
                const Array<std::uint32_t, 2>& ranks,
                const Array<std::int64_t, 2>& costs,
                const Weights& leaf_weights,
                const Array<std::uint32_t, 1>& n_cuts,
                const Array<double, 1>& widths) {
    const nb::gil_scoped_release no_gil;
    const std::size_t n_rows = costs.shape(0);
    std::vector<std::span<const std::uint32_t>> chains;
    for (std::size_t chain = 0; chain < ranks.shape(0); ++chain)
        chains.emplace_back(ranks.data() + chain * n_rows, n_rows);
    // The widths of all chains one after the other: as many as there are cuts.
    std::vector<std::span<const double>> by_chain;
    std::size_t first = 0;
    for (std::size_t k = 0; k < chains.size() && widths.shape(0) > 0; ++k) {
        const std::size_t n = n_cuts.data()[k];
        by_chain.emplace_back(widths.data() + first, n);
        first += n;
    }
    new (self) thresholds::Table({chains,
                                  {costs.data(), costs.size()},
                                  costs.shape(1),
                                  {leaf_weights.data(), leaf_weights.shape(0)},
                                  by_chain});
}

Dict solve(const thresholds::Table& table,
           std::uint32_t max_depth,
           std::uint32_t first_num_nodes,
           std::uint32_t last_num_nodes,
           std::int64_t price_of_error,
           std::int64_t price_of_node,
           std::int64_t min_samples_leaf,
           std::int64_t min_weight_leaf,
           std::int64_t upper_bound,
           double time_limit,
           bool anytime,
           bool returns_on_interrupt,
           nb::object callback) {
    Watch watch(std::move(callback), returns_on_interrupt);
    const auto should_stop = [&](const thresholds::CutProgress& progress) {
        return watch(progress.seconds, [&](nb::object& function) {
            nb::dict known;
            known["seconds"] = progress.seconds;
            known["lower_bound"] = progress.lower_bound;
            known["share_done"] = progress.share_done;
            if (progress.tree != nullptr) add_tree(known, *progress.tree);
            return function(known);
        });
    };
    thresholds::CutAnswers answers;
    {
        const nb::gil_scoped_release no_gil;
        answers = thresholds::solve(
            table,
            {{max_depth, first_num_nodes, last_num_nodes},
             {price_of_error, price_of_node, least_sizes(min_samples_leaf, min_weight_leaf)},
             upper_bound,
             time_limit,
             anytime,
             should_stop});
    }
    return to_python(answers);
}

}  // namespace

void bind_thresholds(nb::module_& module) {
    nb::class_<thresholds::Table>(module, "RankedTable")
        .def(
            "__init__", &make_table, "ranks"_a, "costs"_a, "leaf_weights"_a, "n_cuts"_a, "widths"_a)
        .def("solve",
             &solve,
             "max_depth"_a,
             "first_num_nodes"_a,
             "last_num_nodes"_a,
             "price_of_error"_a,
             "price_of_node"_a,
             "min_samples_leaf"_a,
             "min_weight_leaf"_a,
             "upper_bound"_a,
             "time_limit"_a,
             "anytime"_a,
             "returns_on_interrupt"_a,
             "callback"_a.none());
}

}  // namespace murtree
