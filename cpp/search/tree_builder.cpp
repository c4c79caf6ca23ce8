#include "search/tree_builder.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace murtree {
namespace {

// A depth-two tree that takes longer than this (in units of Limits: one millisecond) is not built
// once the time is up.
constexpr std::int64_t long_work = 10'000;

// Extra time, in seconds, allowed for the best tree of the search.
constexpr double grace = 0.08;

// For work that must be done even if the time is up.
Limits no_limits() {
    return {std::numeric_limits<double>::infinity(), {}};
}

}  // namespace

Tree TreeBuilder::reconstruct(const Outcome& outcome, Budget budget) {
    Tree tree;
    Subset subset = problem_.whole();
    build(0, subset, budget, &outcome, tree);
    return tree;
}

// The best tree of depth two of the rows of this level, or the best one found before the limits
// stopped it; none if they stopped it before any was found.
template <class Lane>
std::optional<DepthTwoTree> TreeBuilder::depth_two_tree(std::size_t number, std::uint32_t nodes) {
    const Rows& rows = search_.level(number).rows;
    DepthTwo<Lane>& two = search_.level(number).node<Lane>().two();
    Limits unlimited_time = no_limits();
    if (limits_.stopped() && !grace_) grace_.emplace(grace, std::function<bool()>{});
    Limits& late = DepthTwo<Lane>::load_work(rows) > long_work ? *grace_ : unlimited_time;
    // Counts that the search had already loaded when the time was up are used.
    Limits& limits = limits_.stopped() && !two.holds(rows) ? late : limits_;
    two.load(rows, problem_.rules(), limits);
    if (!two.is_loaded()) return std::nullopt;
    return two.tree(cheapest_size(two.solve(limits), nodes, problem_.task()));
}

void TreeBuilder::build(
    std::size_t number, Subset& subset, Budget budget, const Outcome* known, Tree& tree) {
    const Outcome outcome = known != nullptr ? *known : search_.solve_one(number, subset, budget);
    if (!outcome.is_solved()) return build_greedy(number, subset, budget, tree);
    if (outcome.feature == Outcome::leaf) {
        tree.add_leaf();
        return;
    }
    Rows& rows = search_.level(number).rows;
    problem_.select(subset, rows);
    if (outcome.used_depth == 1) return add_stump(rows, tree);
    if (outcome.used_depth == 2) {
        const auto two = problem_.with_lane(
            rows, [&](auto lane) { return depth_two_tree<decltype(lane)>(number, budget.nodes); });
        return two ? add_depth_two(*two, tree) : add_stump(rows, tree);
    }
    const auto root = std::find(rows.features.begin(), rows.features.end(), outcome.feature);
    if (root == rows.features.end())
        throw std::logic_error("murtree: the cache holds a root that does not split its rows");
    const auto feature = static_cast<std::size_t>(root - rows.features.begin());
    Parts parts = parts_of(number, feature, subset.branch);
    add_parts(rows.features[feature], parts, tree, [&](int side, Subset& part) {
        const std::uint32_t nodes = side == 0 ? outcome.left_nodes : outcome.right_nodes;
        build(number + 1, part, {outcome.used_depth - 1, nodes}, nullptr, tree);
    });
}

Tree TreeBuilder::greedy_tree(Budget budget) {
    Tree tree;
    Subset subset = problem_.whole();
    build_greedy(0, subset, budget, tree);
    return tree;
}

void TreeBuilder::build_greedy(std::size_t number, Subset& subset, Budget budget, Tree& tree) {
    budget = problem_.normalise(
        budget, subset.row_numbers.size(), problem_.cost_of(subset.part.leaf_cost));
    if (problem_.cost_of(subset.part.leaf_cost) > problem_.price_of_node() && budget.nodes > 0) {
        Rows& rows = search_.level(number).rows;
        problem_.select(subset, rows);
        const bool done = budget.depth > 1 && problem_.with_lane(rows, [&](auto lane) {
            return build_greedy_node<decltype(lane)>(number, budget, tree);
        });
        if (!done) add_stump(rows, tree);
    } else {
        tree.add_leaf();
    }
}

void TreeBuilder::add_stump(const Rows& rows, Tree& tree) {
    const std::optional<Stump> stump = problem_.stump_of(rows);
    add_depth_two(stump ? DepthTwoTree{rows.features[stump->feature]} : DepthTwoTree{}, tree);
}

// Returns false, and adds nothing, if the time is up and even a tree of depth two takes long.
template <class Lane>
bool TreeBuilder::build_greedy_node(std::size_t number, Budget budget, Tree& tree) {
    const Rows& rows = search_.level(number).rows;
    DepthTwo<Lane>& two = search_.level(number).node<Lane>().two();
    const std::int64_t work = DepthTwo<Lane>::load_work(rows);
    const bool late = !limits_.keep_going(work);
    if (late && work > long_work) return false;
    Limits unlimited_time = no_limits();
    two.load(rows, problem_.rules(), late ? unlimited_time : limits_);
    if (!two.is_loaded()) return false;
    const DepthTwoCosts costs = two.solve(late ? unlimited_time : limits_);
    const auto costs_by_root = two.root_costs();
    const auto root = static_cast<std::size_t>(
        std::min_element(costs_by_root.begin(), costs_by_root.end()) - costs_by_root.begin());
    const bool is_last = rows.n_features == 0 || budget.nodes <= 3 || budget.depth <= 2;
    if (limits_.stopped() || is_last || costs[3] == 0 || !two.may_split(root)) {
        add_depth_two(two.tree(cheapest_size(costs, budget.nodes, problem_.task())), tree);
        return true;
    }
    Parts parts = parts_of(number, root, {});
    const std::uint32_t left = share_out(budget, parts);
    add_parts(rows.features[root], parts, tree, [&](int side, Subset& part) {
        const std::uint32_t nodes = side == 0 ? left : budget.nodes - 1 - left;
        build_greedy(number + 1, part, {budget.depth - 1, nodes}, tree);
    });
    return true;
}

// The number of nodes for the left part, in proportion to the remaining errors of each part.
std::uint32_t TreeBuilder::share_out(Budget budget, const Parts& parts) {
    const std::int64_t left_wrong = parts[0].part.leaf_cost;
    const std::int64_t right_wrong = parts[1].part.leaf_cost;
    const std::uint32_t below = budget.nodes - 1;
    const std::uint32_t most = std::min(below, Budget::most_nodes(budget.depth - 1));
    const double share = static_cast<double>(left_wrong) /
                         static_cast<double>(std::max<std::int64_t>(left_wrong + right_wrong, 1));
    return std::clamp(static_cast<std::uint32_t>(share * below), below - most, most);
}

Tree TreeBuilder::look_ahead_tree(Budget budget, std::uint32_t ahead) {
    Tree tree;
    grace_.reset();
    Subset subset = problem_.whole();
    build_ahead(0, subset, budget, ahead, tree);
    return tree;
}

void TreeBuilder::build_ahead(
    std::size_t number, Subset& subset, Budget budget, std::uint32_t ahead, Tree& tree) {
    budget = problem_.normalise(
        budget, subset.row_numbers.size(), problem_.cost_of(subset.part.leaf_cost));
    const Budget near{std::min(ahead, budget.depth),
                      std::min(budget.nodes, Budget::most_nodes(ahead))};
    const Outcome outcome = search_.solve_one(number, subset, near);
    if (!outcome.is_solved()) return build_greedy(number, subset, budget, tree);
    if (budget.depth <= ahead || outcome.feature == Outcome::leaf)
        return build(number, subset, near, &outcome, tree);
    const Rows& rows = search_.level(number).rows;
    problem_.select(subset, search_.level(number).rows);
    const std::uint32_t column = root_of(number, outcome, near);
    const auto feature = static_cast<std::size_t>(
        std::find(rows.features.begin(), rows.features.end(), column) - rows.features.begin());
    Parts parts = parts_of(number, feature, subset.branch);
    const std::uint32_t left = share_out(budget, parts);
    add_parts(column, parts, tree, [&](int side, Subset& part) {
        const std::uint32_t nodes = side == 0 ? left : budget.nodes - 1 - left;
        build_ahead(number + 1, part, {budget.depth - 1, nodes}, ahead, tree);
    });
}

// The column at the root of an outcome's tree, for the rows of this level.
std::uint32_t TreeBuilder::root_of(std::size_t number, const Outcome& outcome, Budget budget) {
    const Rows& rows = search_.level(number).rows;
    if (outcome.used_depth > 2) return outcome.feature;
    const auto two =
        outcome.used_depth == 2
            ? problem_.with_lane(
                  rows,
                  [&](auto lane) { return depth_two_tree<decltype(lane)>(number, budget.nodes); })
            : std::nullopt;
    return two && two->root != DepthTwoTree::none ? two->root
                                                  : rows.features[problem_.stump_of(rows)->feature];
}

// The two parts of the rows of this level, without and with a feature.
TreeBuilder::Parts TreeBuilder::parts_of(std::size_t number,
                                         std::size_t feature,
                                         const Fingerprint& branch) {
    const Rows& rows = search_.level(number).rows;
    std::array<std::vector<std::uint32_t>, 2> row_numbers;
    for (std::uint32_t row = 0; row < rows.n_rows(); ++row)
        row_numbers[rows.value(row, feature)].push_back(row);
    Parts parts;
    for (const int side : {0, 1}) {
        const auto index = static_cast<std::size_t>(side);
        parts[index] = problem_.subset_of(rows, std::move(row_numbers[index]));
        parts[index].branch = branch ^ problem_.literal(rows.features[feature], side);
    }
    return parts;
}

// Adds a split by a column, and its two parts by `add_part`.
template <class AddPart>
void TreeBuilder::add_parts(std::uint32_t column, Parts& parts, Tree& tree, AddPart add_part) {
    const auto node = static_cast<std::size_t>(tree.add_leaf());
    std::array<std::int32_t, 2> children{};
    for (const int side : {0, 1}) {
        const auto index = static_cast<std::size_t>(side);
        children[index] = static_cast<std::int32_t>(tree.size());
        add_part(side, parts[index]);
    }
    set_split(node, column, children, tree);
}

// A column stored as its complement swaps the two sides.
void TreeBuilder::set_split(std::size_t node,
                            std::uint32_t column,
                            std::array<std::int32_t, 2> children,
                            Tree& tree) {
    if (problem_.data().is_flipped(column)) std::swap(children[0], children[1]);
    tree.feature[node] = static_cast<std::int32_t>(column);
    tree.left[node] = children[0];
    tree.right[node] = children[1];
}

void TreeBuilder::add_depth_two(const DepthTwoTree& two, Tree& tree) {
    const auto root = static_cast<std::size_t>(tree.add_leaf());
    if (two.root == DepthTwoTree::none) return;
    std::array<std::int32_t, 2> children{};
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t column = side == 0 ? two.left : two.right;
        children[side] = tree.add_leaf();
        if (column == DepthTwoTree::none) continue;
        const std::int32_t without = tree.add_leaf();
        const std::int32_t with = tree.add_leaf();
        set_split(static_cast<std::size_t>(children[side]), column, {without, with}, tree);
    }
    set_split(root, two.root, children, tree);
}

}  // namespace murtree
