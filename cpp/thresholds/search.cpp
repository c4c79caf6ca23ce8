#include "thresholds/search.hpp"

#include <algorithm>
#include <utility>

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
    forget_tree();
    root_bounds_.resize(table_.chains().size(), 0);
    const FoundTree<Outline> found = solve(0, useful(budget), target, root_bounds_);
    root_lower_ = std::max(root_lower_, found.lower);
    return {found.lower, found.cost, completed(0, found.tree), found.without_sizes};
}

const CutTree* Search::tree() {
    if (root_outline_) root_tree_ = completed(0, *std::exchange(root_outline_, {}));
    return root_tree_ ? &*root_tree_ : nullptr;
}

// The rows of the level must be selected.
CutTree Search::completed(std::size_t index, const Outline& tree) {
    return tree.completed(levels_[index]->rows, prices_.least_leaf);
}

// `lower` has a lower bound for each chain at the root, for trees that may leave a side of the root
// empty, without a minimum size of leaves; they are raised. They are what a later search on more or
// fewer rows starts from.
FoundTree<Outline> Search::solve(std::size_t index,
                                 Budget budget,
                                 Cost target,
                                 std::span<Cost> lower) {
    Level& level = *levels_[index];
    level.stumps->start();
    const Cost leaf = prices_.error * level.stumps->leaf();
    Best best{target, false, {}};
    if (leaf < target) best.find(leaf, {});
    const std::uint32_t most = most_useful(level.rows.n_rows(), leaf);
    for (Cost& one : lower) one = std::max(one, prices_.node);
    if (budget.nodes >= most) budget = useful({std::min(budget.depth, most), budget.nodes});
    if (budget.depth == 1)
        find_stump(level, best, lower);
    else if (budget.depth == 2)
        find_shallow(level, budget, best, lower);
    else if (budget.depth > 2)
        find_deep(index, budget, best, lower);
    FoundTree<Outline> found{0, infeasible, {}, leaf};
    if (budget.depth > 0)
        for (const Cost one : lower) found.without_sizes = std::min(found.without_sizes, one);
    // An empty side leaves a tree of less depth, which is no better than the best of all, and the
    // price of the test.
    for (Cost& one : lower) one = std::min(one, found.without_sizes + prices_.node);
    found.lower =
        limits_.stopped() ? found.without_sizes : std::max(best.cost, found.without_sizes);
    if (best.is_found) {
        found.cost = best.cost;
        found.tree = std::move(best.tree);
    }
    return found;
}

void Search::find_stump(Level& level, Best& best, std::span<Cost> lower) {
    for (std::size_t b = 0; b < lower.size() && limits_.keep_going(level.stumps->effort()); ++b) {
        if (lower[b] >= best.cost) continue;
        ++stats_.stump_scans;
        lower[b] = prices_.node + prices_.error * level.stumps->whole(b);
        Cost cost = lower[b];
        if (prices_.least_leaf.is_limit() && cost < best.cost)
            cost = prices_.node + prices_.error * level.stumps->sized_whole(b);
        if (cost < best.cost) best.find(cost, Outline::stump(static_cast<std::uint32_t>(b)));
    }
}

}  // namespace murtree::thresholds
