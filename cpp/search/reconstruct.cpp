// From outcomes to trees (paper: "Recovering the Optimal Decision Tree"). An outcome knows only the
// root of its tree: the parts are asked for again, which the cache answers, and the last two levels
// are solved anew. Also the greedy tree.
#include <algorithm>

#include "search/search.hpp"

namespace murtree {

std::optional<Tree> Search::reconstruct(const Outcome& outcome, Budget budget) {
    Tree tree;
    Subset subset = whole();
    if (!build(0, subset, budget, &outcome, tree)) return std::nullopt;
    return tree;
}

bool Search::build(
    std::size_t number, Subset& subset, Budget budget, const Outcome* known, Tree& tree) {
    budget = normalise(budget, subset.row_numbers.size());
    const Outcome outcome =
        known != nullptr ? *known : solve_subset(number, subset, budget, subset.part.leaf_cost);
    if (!outcome.is_solved()) return false;
    if (outcome.feature == Outcome::leaf) {
        tree.add_leaf();
        return true;
    }
    Level& own = level(number);
    select_rows(*subset.source, subset.row_numbers, own.rows);
    return with_lane(own.rows, [&](auto lane) {
        auto& two = std::get<Node<decltype(lane)>>(own.nodes).two;
        two.load(own.rows, objective_);
        if (outcome.used_depth <= 2) {
            two.solve();
            add_depth_two(two.tree(std::min(budget.nodes, 3u)), tree);
            return true;
        }
        const auto found =
            std::find(own.rows.features.begin(), own.rows.features.end(), outcome.feature);
        two.split(static_cast<std::size_t>(found - own.rows.features.begin()));
        const std::uint32_t depth = outcome.used_depth - 1;
        return add_parts(two, outcome.feature, tree, [&](int side, Subset& part) {
            const std::uint32_t nodes = side == 0 ? outcome.left_nodes : outcome.right_nodes;
            return build(number + 1, part, {depth, nodes}, nullptr, tree);
        });
    });
}

Tree Search::greedy_tree(Budget budget) {
    Tree tree;
    Subset subset = whole();
    build_greedy(0, subset, budget, tree);
    return tree;
}

bool Search::build_greedy(std::size_t number, Subset& subset, Budget budget, Tree& tree) {
    budget = normalise(budget, subset.row_numbers.size());
    if (subset.part.leaf_cost == 0 || budget.nodes == 0) {
        tree.add_leaf();
        return true;
    }
    Level& own = level(number);
    select_rows(*subset.source, subset.row_numbers, own.rows);
    return with_lane(own.rows, [&](auto lane) {
        auto& two = std::get<Node<decltype(lane)>>(own.nodes).two;
        two.load(own.rows, objective_);
        const DepthTwoCosts costs = two.solve();
        const std::uint32_t most = std::min(budget.nodes, 3u);
        if (budget.nodes <= 3 || budget.depth <= 2 || costs[3] == 0 || two.n_features() == 0) {
            add_depth_two(two.tree(most), tree);
            return true;
        }
        const auto roots = two.root_costs();
        const auto root =
            static_cast<std::size_t>(std::min_element(roots.begin(), roots.end()) - roots.begin());
        two.split(root);
        // The nodes are shared out in proportion to what each part still gets wrong.
        const std::uint32_t below = budget.nodes - 1;
        const std::uint32_t most_in_part = std::min(below, Budget::most_nodes(budget.depth - 1));
        const double wrong[2] = {static_cast<double>(two.leaf_cost(0, root)),
                                 static_cast<double>(two.leaf_cost(1, root))};
        const double share = wrong[0] + wrong[1] > 0 ? wrong[0] / (wrong[0] + wrong[1]) : 0.5;
        const std::uint32_t left = std::clamp(
            static_cast<std::uint32_t>(share * below), below - most_in_part, most_in_part);
        return add_parts(two, own.rows.features[root], tree, [&](int side, Subset& part) {
            return build_greedy(
                number + 1, part, {budget.depth - 1, side == 0 ? left : below - left}, tree);
        });
    });
}

// Adds a split of the rows that `two` holds by the feature it was last split by, and its two parts
// by `add_part`.
template <class Lane, class AddPart>
bool Search::add_parts(DepthTwo<Lane>& two, std::uint32_t column, Tree& tree, AddPart add_part) {
    const auto node = static_cast<std::size_t>(tree.add_leaf());
    std::array<std::int32_t, 2> children{};
    for (const int side : {0, 1}) {
        Subset part{&two.rows(), {}, two.part(side)};
        two.row_numbers(side, part.row_numbers);
        children[static_cast<std::size_t>(side)] = static_cast<std::int32_t>(tree.size());
        if (!add_part(side, part)) return false;
    }
    set_split(node, column, children, tree);
    return true;
}

// A column stored as its complement sends its rows the other way.
void Search::set_split(std::size_t node,
                       std::uint32_t column,
                       std::array<std::int32_t, 2> children,
                       Tree& tree) {
    if (data_.is_flipped(column)) std::swap(children[0], children[1]);
    tree.feature[node] = static_cast<std::int32_t>(column);
    tree.left[node] = children[0];
    tree.right[node] = children[1];
}

void Search::add_depth_two(const DepthTwoTree& two, Tree& tree) {
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
