#include "thresholds/search.hpp"

#include <algorithm>

#include "thresholds/level.hpp"

namespace murtree::thresholds {

Search::Search(
    const Table& table, const Prices& prices, std::uint32_t depth, Limits& limits, Stats& stats)
    : table_(table), prices_(prices), limits_(limits), stats_(stats) {
    for (std::uint32_t k = 0; k < std::max(depth, 1u); ++k) {
        RowSet* const parent = levels_.empty() ? nullptr : &levels_.back()->rows;
        levels_.push_back(std::make_unique<Level>(table, parent));
        Level& level = *levels_.back();
        level.stumps = Stumps::create(level.rows, prices.least_leaf);
    }
}

// The same budget without depth or nodes that no tree can use.
Budget Search::useful(Budget budget) {
    budget.depth = std::min(budget.depth, budget.nodes);
    budget.nodes = std::min(budget.nodes, Budget::most_nodes(budget.depth));
    return budget;
}

// At most so many nodes can pay off, with any chain at the root: each node divides some rows, or is
// the root, and no node pays off that costs more than a leaf.
std::uint32_t Search::most_useful(std::size_t n_rows, Cost leaf) const {
    auto most = static_cast<Cost>(n_rows);
    if (prices_.node > 0) most = std::min(most, leaf / prices_.node + 1);
    return static_cast<std::uint32_t>(std::min<Cost>(most, Budget::max_nodes));
}

// The ways to divide the nodes among the sides. More nodes are never worse, so all are given away;
// and if there are more than can pay off, each side gets all of them.
std::vector<Search::Shares> Search::shares(Budget budget, std::uint32_t most_useful) {
    const std::uint32_t depth = budget.depth - 1, most = Budget::most_nodes(depth);
    if (budget.nodes >= most_useful) {
        const Budget side = useful({depth, budget.nodes});
        return {{side, side}};
    }
    const std::uint32_t nodes = std::min(budget.nodes - 1, 2 * most);
    std::vector<Shares> shares;
    for (std::uint32_t left = nodes > most ? nodes - most : 0; left <= std::min(nodes, most);
         ++left)
        shares.push_back({useful({depth, left}), useful({depth, nodes - left})});
    return shares;
}

Search::~Search() = default;

Outcome Search::solve(Budget budget, Cost target) {
    root_tree_.reset();
    root_bounds_.resize(table_.chains().size(), 0);
    Outcome outcome = solve(0, useful(budget), target, true, root_bounds_);
    // A better split may have been found whose tree was not, as the search was stopped.
    if (!outcome.tree) outcome.tree = root_tree_;
    root_lower_ = std::max(root_lower_, outcome.lower);
    return outcome;
}

// `lower` has a lower bound for each chain at the root, for trees that may leave a side of the root
// empty; they are raised. They are what a later search on more or fewer rows starts from.
Outcome Search::solve(
    std::size_t index, Budget budget, Cost target, bool wants_tree, std::span<Cost> lower) {
    Level& level = *levels_[index];
    level.stumps->start();
    const Cost leaf = prices_.error * level.stumps->leaf();
    Best best{target, false, std::nullopt};
    if (leaf < target) {
        best.find(leaf);
        best.tree = CutTree::leaf();
    }
    const std::uint32_t most = most_useful(level.rows.n_rows(), leaf);
    for (Cost& one : lower) one = std::max(one, prices_.node);
    if (budget.nodes >= most) budget = useful({std::min(budget.depth, most), budget.nodes});
    if (budget.depth == 1)
        find_stump(level, wants_tree, best, lower);
    else if (budget.depth == 2)
        find_shallow(level, budget, wants_tree, best, lower);
    else if (budget.depth > 2)
        find_deep(index, budget, wants_tree, best, lower);
    Outcome outcome{leaf, infeasible, std::nullopt};
    if (budget.depth > 0)
        for (const Cost one : lower) outcome.lower = std::min(outcome.lower, one);
    // An empty side leaves a tree of less depth, which is no better than the best of all, and the
    // price of the test.
    for (Cost& one : lower) one = std::min(one, outcome.lower + prices_.node);
    if (best.is_found) {
        outcome.cost = best.cost;
        outcome.tree = std::move(best.tree);
    }
    return outcome;
}

void Search::find_stump(Level& level, bool wants_tree, Best& best, std::span<Cost> lower) {
    std::size_t chosen = lower.size();
    for (std::size_t b = 0; b < lower.size() && limits_.keep_going(level.stumps->effort()); ++b) {
        if (lower[b] >= best.cost) continue;
        ++stats_.stump_scans;
        lower[b] = prices_.node + prices_.error * level.stumps->whole(b);
        if (lower[b] >= best.cost) continue;
        best.find(lower[b]);
        chosen = b;
    }
    if (chosen == lower.size() || !wants_tree) return;
    const BestCut found = best_cut(table_, chosen, level.rows.order(chosen), prices_.least_leaf);
    best.tree = CutTree::join(
        {static_cast<std::uint32_t>(chosen), found.cut}, CutTree::leaf(), CutTree::leaf());
}

}  // namespace murtree::thresholds
