// One feature at the root of a node, and its two parts (Algorithm 3 of the paper).
#include <algorithm>
#include <initializer_list>
#include <map>
#include <type_traits>
#include <utility>

#include "search/search.hpp"

namespace murtree {
namespace {

// Rough time of looking up two parts, in the units of Limits.
constexpr std::int64_t look_up_work = 4;

// A solved part keeps its optimum, which no bound exceeds but for rounding (see Sums).
template <class Node>
void raise_lower(Node& node,
                 std::size_t side,
                 std::size_t index,
                 std::initializer_list<std::int64_t> bounds) {
    if (node.solved[side][index] != 0) return;
    auto& lower = node.lower[side][index];
    for (const std::int64_t bound : bounds)
        if (lower < bound) lower = static_cast<std::remove_reference_t<decltype(lower)>>(bound);
}

}  // namespace

// Leaves in node.bound a lower bound for every request with this feature at the root.
template <class Lane>
void Search::try_feature(std::size_t number, Node<Lane>& node, std::size_t feature) {
    ++stats_.splits;
    if (techniques_.cache == CacheKind::branch) transfer(node, feature);
    bool is_open = add_up(node, feature);
    if (is_open && uses_similarity()) {
        bound_parts(node, feature);
        is_open = add_up(node, feature);
    }
    if (!is_open) {
        ++stats_.splits_pruned;
        return;
    }
    node.two.split(feature);
    const bool larger_right = node.two.leaf_cost(1, feature) > node.two.leaf_cost(0, feature);
    const std::size_t first = techniques_.dynamic_order && larger_right ? 1 : 0;
    const bool at_depth_two = node.depth == 3 && techniques_.depth_two;
    // With prices for nodes the bounds of parts are weak at first. So the first part is asked in
    // two steps, the first of which allows only some of the cost that is left: a small cost is far
    // quicker to refute, and what that teaches may be enough together with the second part.
    const bool in_steps = !at_depth_two && task_.price_of_node > 0;
    const std::array<std::size_t, 3> sides{first, 1 - first, first};
    for (std::size_t step = 0; step < (in_steps ? 3 : 2); ++step) {
        const std::size_t side = sides[step];
        if (!want(node, feature, side)) continue;
        if (in_steps && step == 0) want_less(node, feature, side);
        if (at_depth_two)
            solve_parts_at_depth_two(node);  // both
        else
            solve_part(number, node, side);
        if (limits_.stopped()) return;
        if (!add_up(node, feature)) return;
    }
    improve(number, node, feature);
}

// Sums the bounds of the parts, for every request over all ways to share out the nodes. True if
// some sum may still be of use.
template <class Lane>
bool Search::add_up(Node<Lane>& node, std::size_t feature) const {
    bool is_open = false;
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot) {
        const std::uint32_t below = node.below(slot);
        const std::uint32_t high = std::min(below, node.most);
        std::int64_t least = unlimited;
        for (std::uint32_t left = below - high; left <= high; ++left)
            least = std::min(least,
                             std::int64_t{node.lower[0][node.index(left, feature)]} +
                                 node.lower[1][node.index(below - left, feature)]);
        node.bound[slot] = least + price_of(node.two.column(feature));
        is_open |= node.bound[slot] <= node.limit[slot];
    }
    return is_open;
}

// Up to which cost a part is worth solving, by its number of nodes; negative: not at all. False if
// no number of nodes is.
template <class Lane>
bool Search::want(Node<Lane>& node, std::size_t feature, std::size_t side) const {
    Costs& wanted = node.wanted[side];
    wanted.assign(node.most - node.fewest + 1, -1);
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot) {
        if (node.limit[slot] < 0) continue;
        const std::uint32_t below = node.below(slot);
        const std::uint32_t high = std::min(below, node.most);
        for (std::uint32_t nodes = below - high; nodes <= high; ++nodes) {
            const std::size_t other = node.index(below - nodes, feature);
            const bool reserve = techniques_.sibling_bound || node.solved[1 - side][other] != 0;
            const std::int64_t reserved = reserve ? node.lower[1 - side][other] : 0;
            std::int64_t& upper = wanted[nodes - node.fewest];
            upper =
                std::max(upper, node.limit[slot] - price_of(node.two.column(feature)) - reserved);
        }
    }
    bool any = false;
    for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
        const std::size_t index = node.index(nodes, feature);
        std::int64_t& upper = wanted[nodes - node.fewest];
        if (node.solved[side][index] != 0 || upper < node.lower[side][index]) upper = -1;
        any |= upper >= 0;
    }
    return any;
}

// Leaves of what a part may cost beyond its bound only a quarter.
template <class Lane>
void Search::want_less(Node<Lane>& node, std::size_t feature, std::size_t side) const {
    for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
        std::int64_t& upper = node.wanted[side][nodes - node.fewest];
        const std::int64_t lower = node.lower[side][node.index(nodes, feature)];
        if (upper > lower) upper = lower + (upper - lower) / 4;
    }
}

// New incumbents from parts that are solved.
template <class Lane>
void Search::improve(std::size_t number, Node<Lane>& node, std::size_t feature) {
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot) {
        const std::uint32_t below = node.below(slot);
        const std::uint32_t high = std::min(below, node.most);
        for (std::uint32_t left = below - high; left <= high; ++left) {
            const std::size_t first = node.index(left, feature);
            const std::size_t second = node.index(below - left, feature);
            if (node.solved[0][first] == 0 || node.solved[1][second] == 0) continue;
            const std::int64_t cost = std::int64_t{node.lower[0][first]} + node.lower[1][second] +
                                      price_of(node.two.column(feature));
            if (cost < node.best[slot].lower)
                node.best[slot] = {
                    cost, level(number).rows.features[feature], node.depth, left, below - left};
        }
    }
    node.share_best();
}

// Raises the lower bounds of the two parts by what is known of the others and of the node itself.
template <class Lane>
void Search::bound_parts(Node<Lane>& node, std::size_t feature) const {
    if (!uses_similarity()) return;
    using Weight = kernels::Weight<Lane>;
    const auto& kernels = kernels::lane_kernels<Weight>(*kernels::active());
    const PartWeights<Weight> weights = node.two.weights();
    const std::int64_t with = weights.with[feature];
    for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
        const std::size_t row = node.index(nodes, 0);
        if (node.solved[0][row + feature] != 0 && node.solved[1][row + feature] != 0) continue;
        const kernels::PartBounds<Weight> similar =
            kernels.similarity_bounds({weights.n_features,
                                       node.lower[0].data() + row,
                                       node.lower[1].data() + row,
                                       weights.with,
                                       node.two.weights_with_both(feature),
                                       weights.with[feature],
                                       weights.weight,
                                       static_cast<kernels::Cost<Lane>>(task_.price_of_error)});
        // The part as a subset of the node itself, whose optimum for this depth is known or
        // bounded.
        const std::int64_t of_node = node.shallower_bound(nodes);
        raise_lower(node, 0, row + feature, {similar.without, of_node - cost_of(with)});
        raise_lower(
            node, 1, row + feature, {similar.with, of_node - cost_of(weights.weight - with)});
    }
}

// Another branch of this node may lead to the same rows: what the cache has learned under its name
// since the pass began holds here too (paper: "Subtree Hashing Based on Branches" names the
// weakness). Only for the branch cache: the other kind knows sets of rows by themselves.
template <class Lane>
void Search::transfer(Node<Lane>& node, std::size_t feature) {
    const auto key_at = [&](std::size_t f, int side) {
        node.two.split(f);
        return key_of(node.two.part(side), node.branch ^ literal(node.two.column(f), side));
    };
    for (const int side : {0, 1}) {
        const std::uint32_t twin = node.twins[static_cast<std::size_t>(side)][feature];
        if (twin == 2 * feature + static_cast<std::size_t>(side)) continue;
        const Fingerprint from = key_at(twin / 2, static_cast<int>(twin % 2));
        const Fingerprint to = key_at(feature, side);
        if (const auto costs = cache_.find_depth_two(from)) cache_.store_depth_two(to, *costs);
        const std::size_t n_rows = node.two.n_rows(side);
        const std::int64_t leaf_cost = cost_of(node.two.leaf_cost(side, feature));
        for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
            const Budget budget = normalise({node.depth - 1, nodes}, n_rows, leaf_cost);
            if (const auto outcome = cache_.find(task_key(from), budget))
                cache_.store(task_key(to), budget, *outcome);
        }
        look_up_part(node, static_cast<std::size_t>(side));
    }
}

// What is known of the parts before any is solved: leaves, single nodes, and what the cache has.
// All at once, so that the look-ups overlap and every answer can bound the other parts.
template <class Lane>
void Search::look_up_parts(Node<Lane>& node) {
    for (std::size_t feature = 0; feature < node.two.n_features(); ++feature) {
        if (!limits_.keep_going(look_up_work)) return;
        node.two.split(feature);
        for (std::size_t side = 0; side < 2; ++side) look_up_part(node, side);
    }
    if (techniques_.cache == CacheKind::branch) find_twins(node);
}

// For each part the last one with the same rows, as 2 x feature + side; itself: there is no other.
template <class Lane>
void Search::find_twins(Node<Lane>& node) const {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> latest;
    for (auto& twins : node.twins) twins.resize(node.two.n_features());
    for (const std::uint32_t feature : node.order) {
        node.two.split(feature);
        for (const int side : {0, 1}) {
            const Fingerprint& rows = node.two.part(side).fingerprint;
            const std::uint32_t own = 2 * feature + static_cast<std::uint32_t>(side);
            const auto [place, is_new] = latest.try_emplace({rows.high, rows.low}, own);
            node.twins[static_cast<std::size_t>(side)][feature] = place->second;
            place->second = own;
        }
    }
}

template <class Lane>
void Search::look_up_part(Node<Lane>& node, std::size_t side) {
    const int which = static_cast<int>(side);
    const std::size_t feature = node.two.feature();
    const std::uint32_t depth = node.depth - 1;
    const std::int64_t errors = node.two.leaf_cost(which, feature);
    DepthTwoCosts costs{errors, Cache::unknown, Cache::unknown, Cache::unknown};
    if (techniques_.depth_two) {
        costs[1] = node.two.split_cost(which, feature);
        costs[2] = node.two_costs[side][2 * feature];
        costs[3] = node.two_costs[side][2 * feature + 1];
    }
    if (set_part(node, side, costs) || !uses_cache()) return;
    const Part part = node.two.part(which);
    Fingerprint branch = node.branch;
    if (techniques_.cache == CacheKind::branch) branch ^= literal(node.two.column(feature), which);
    const Fingerprint key = key_of(part, branch);
    if (techniques_.depth_two && costs[3] < 0 && (depth == 2 || task_.price_of_node > 0))
        if (const auto cached = cache_.find_depth_two(key)) {
            ++stats_.cache_hits;
            costs[2] = (*cached)[2];
            costs[3] = (*cached)[3];
            if (set_part(node, side, costs)) return;
        }
    if (depth == 2 && techniques_.depth_two) return;
    const std::size_t n_rows = node.two.n_rows(which);
    for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
        const std::size_t index = node.index(nodes, feature);
        if (node.solved[side][index] != 0) continue;
        const Outcome cached = look_up(key, {depth, nodes}, n_rows, cost_of(errors));
        stats_.cache_hits += cached.is_solved() ? 1 : 0;
        raise_lower(node, side, index, {cached.lower});
        node.solved[side][index] = cached.is_solved() ? 1 : 0;
    }
}

// Writes down what costs of depth-two trees (negative: not known) say about a part: the optimum for
// as many nodes as they cover, else a bound, for each node beyond has its price. True if that is
// all there is to know.
template <class Lane>
bool Search::set_part(Node<Lane>& node, std::size_t side, const DepthTwoCosts& costs) const {
    const std::size_t feature = node.two.feature();
    node.two_costs[side][2 * feature] = costs[2];
    node.two_costs[side][2 * feature + 1] = costs[3];
    bool is_complete = true;
    const std::int64_t price = task_.price_of_node;
    const std::uint32_t depth = node.depth - 1;
    const bool is_leaf = depth == 0 || cost_of(costs[0]) <= price;
    for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
        std::int64_t least = cost_of(costs[0]);
        std::uint32_t covered = 0;  // trees with this many nodes have been looked at
        for (std::uint32_t k = 1; k <= std::min(nodes, 3u) && !is_leaf; ++k) {
            if (costs[k] >= 0) least = std::min(least, cost_of(costs[k]) + k * price);
            if (costs[k] >= 0 && covered + 1 == k && (k <= 2 || depth <= 2)) covered = k;
        }
        bool is_solved = is_leaf || covered == nodes || (depth <= 2 && covered == 3) ||
                         (depth == 1 && covered >= 1) ||
                         (price == 0 && depth == 2 && nodes >= 3 && costs[3] >= 0);
        if (!is_solved) {
            is_solved = least <= (covered + 1) * price;
            least = std::min(least, (covered + 1) * price);
        }
        const std::size_t index = node.index(nodes, feature);
        raise_lower(node, side, index, {least});
        node.solved[side][index] = is_solved ? 1 : 0;
        is_complete &= is_solved;
    }
    return is_complete;
}

template <class Lane>
void Search::solve_part(std::size_t number, Node<Lane>& node, std::size_t side) {
    Level& own = level(number);
    Subset& child = own.child;
    const std::size_t feature = node.two.feature();
    const int which = static_cast<int>(side);
    child.source = &own.rows;
    child.part = node.two.part(which);
    child.branch = node.branch ^ literal(own.rows.features[feature], which);
    node.two.row_numbers(which, child.row_numbers);
    child.root_bounds.clear();
    if (node.learns)
        child.root_bounds =
            node.root_bounds.infer(node.two.weights(),
                                   feature,
                                   node.two.weights_with_both(feature),
                                   which,
                                   task_.price_of_error,
                                   (node.most - node.fewest + 1) * own.rows.n_features);
    solve_subset(number + 1,
                 child,
                 {node.depth - 1, node.fewest, node.most},
                 node.wanted[side],
                 own.child_outcomes);
    if (limits_.stopped()) return;
    for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes) {
        const Outcome& outcome = own.child_outcomes[nodes - node.fewest];
        const std::size_t index = node.index(nodes, feature);
        raise_lower(node, side, index, {outcome.lower});
        if (outcome.is_solved()) node.solved[side][index] = 1;
        if (!node.learns) continue;
        std::int64_t* const bounds =
            child.root_bounds.data() + (nodes - node.fewest) * own.rows.n_features;
        for (std::size_t root = 0; root < own.rows.n_features; ++root)
            bounds[root] = std::max(bounds[root], outcome.lower);
    }
    if (node.learns) node.root_bounds.keep(which, feature, child.root_bounds);
}

// Both parts at once, for every number of nodes: counting is shared between them.
template <class Lane>
void Search::solve_parts_at_depth_two(Node<Lane>& node) {
    if (!limits_.keep_going(node.two.work())) return;
    const std::size_t feature = node.two.feature();
    const auto open = [&](std::size_t side) {
        for (std::uint32_t nodes = node.fewest; nodes <= node.most; ++nodes)
            if (node.solved[side][node.index(nodes, feature)] == 0) return true;
        return false;
    };
    const bool only_three = node.fewest == 3 && task_.price_of_node == 0;
    const std::array<bool, 2> wanted{open(0), open(1)};
    std::array<DepthTwoCosts, 2> costs{};
    node.two.solve_parts(wanted, !only_three, limits_, costs);
    if (limits_.stopped()) return;
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side]) continue;
        ++stats_.depth_two_calls;
        if (only_three)
            costs[side] = {node.two.leaf_cost(static_cast<int>(side), feature),
                           Cache::unknown,
                           Cache::unknown,
                           costs[side][3]};
        set_part(node, side, costs[side]);
        if (!uses_cache()) continue;
        const int which = static_cast<int>(side);
        cache_.store_depth_two(
            key_of(node.two.part(which), node.branch ^ literal(node.two.column(feature), which)),
            costs[side]);
    }
}

template void Search::try_feature(std::size_t, Node<std::int16_t>&, std::size_t);
template void Search::try_feature(std::size_t, Node<std::int32_t>&, std::size_t);
template void Search::try_feature(std::size_t, Node<std::int64_t>&, std::size_t);
template void Search::try_feature(std::size_t, Node<Summed>&, std::size_t);
template void Search::look_up_parts(Node<std::int16_t>&);
template void Search::look_up_parts(Node<std::int32_t>&);
template void Search::look_up_parts(Node<std::int64_t>&);
template void Search::look_up_parts(Node<Summed>&);
template void Search::bound_parts(Node<std::int16_t>&, std::size_t) const;
template void Search::bound_parts(Node<std::int32_t>&, std::size_t) const;
template void Search::bound_parts(Node<std::int64_t>&, std::size_t) const;
template void Search::bound_parts(Node<Summed>&, std::size_t) const;
template bool Search::add_up(Node<std::int16_t>&, std::size_t) const;
template bool Search::add_up(Node<std::int32_t>&, std::size_t) const;
template bool Search::add_up(Node<std::int64_t>&, std::size_t) const;
template bool Search::add_up(Node<Summed>&, std::size_t) const;

}  // namespace murtree
