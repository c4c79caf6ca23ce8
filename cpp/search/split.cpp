// One feature at the root of a node, and its two parts (Algorithm 3 of the paper).
#include <algorithm>
#include <initializer_list>
#include <map>
#include <type_traits>
#include <utility>

#include "search/node_search.hpp"
#include "search/search.hpp"

namespace murtree {
namespace {

// Approximate time to look up two parts, in units of Limits.
constexpr std::int64_t look_up_work = 4;

}  // namespace

// Sets pass_.bound to a lower bound for every request with this feature at the root.
template <class Lane>
void NodeSearch<Lane>::try_feature(std::size_t feature) {
    ++stats_.splits;
    if (problem_.techniques().cache == CacheKind::branch) transfer(feature);
    bool is_open = add_up(feature);
    if (is_open && problem_.uses_similarity()) {
        bound_parts(feature);
        is_open = add_up(feature);
    }
    if (!is_open) {
        ++stats_.splits_pruned;
        return;
    }
    two_.split(feature);
    const bool larger_right = two_.leaf_cost(1, feature) > two_.leaf_cost(0, feature);
    const std::size_t first = problem_.techniques().dynamic_order && larger_right ? 1 : 0;
    const bool at_depth_two = pass_.depth == 3 && problem_.techniques().depth_two;
    // With prices for nodes, the bounds of parts are weak at first. So the first part is solved in
    // two steps, the first of which allows only some of the remaining cost: a small cost is much
    // faster to refute, and the resulting bound may be sufficient together with the second part.
    const bool in_steps = !at_depth_two && problem_.price_of_node() > 0;
    const std::array<std::size_t, 3> sides{first, 1 - first, first};
    for (std::size_t step = 0; step < (in_steps ? 3 : 2); ++step) {
        const std::size_t side = sides[step];
        if (!want(feature, side)) continue;
        if (in_steps && step == 0) want_less(feature, side);
        if (at_depth_two)
            solve_parts_at_depth_two();  // both
        else
            solve_part(side);
        if (limits_.stopped()) return;
        if (!add_up(feature)) return;
    }
    improve(feature);
}

// Sums the bounds of the parts for every request, over all ways to distribute the nodes. Returns
// true if any sum may still be useful.
template <class Lane>
bool NodeSearch<Lane>::add_up(std::size_t feature) {
    bool is_open = false;
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot) {
        const std::uint32_t below = nodes_below(slot);
        const std::uint32_t high = std::min(below, parts_.most);
        std::int64_t least = unlimited;
        for (std::uint32_t left = below - high; left <= high; ++left)
            least = std::min(least,
                             std::int64_t{parts_.lower[0][parts_.index(left, feature)]} +
                                 parts_.lower[1][parts_.index(below - left, feature)]);
        pass_.bound[slot] = least + problem_.price_of(two_.column(feature));
        is_open |= pass_.bound[slot] <= pass_.limit[slot];
    }
    return is_open;
}

// The largest cost for which a part is worth solving, by number of nodes; negative: none. Returns
// false if that holds for all numbers of nodes.
template <class Lane>
bool NodeSearch<Lane>::want(std::size_t feature, std::size_t side) {
    Costs& wanted = pass_.wanted[side];
    wanted.assign(parts_.n_sizes(), -1);
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot) {
        if (pass_.limit[slot] < 0) continue;
        const std::uint32_t below = nodes_below(slot);
        const std::uint32_t high = std::min(below, parts_.most);
        for (std::uint32_t nodes = below - high; nodes <= high; ++nodes) {
            const std::size_t other = parts_.index(below - nodes, feature);
            const bool reserve =
                problem_.techniques().sibling_bound || parts_.solved[1 - side][other] != 0;
            const std::int64_t reserved = reserve ? parts_.lower[1 - side][other] : 0;
            std::int64_t& upper = wanted[nodes - parts_.fewest];
            upper = std::max(
                upper, pass_.limit[slot] - problem_.price_of(two_.column(feature)) - reserved);
        }
    }
    bool any = false;
    for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
        const std::size_t index = parts_.index(nodes, feature);
        std::int64_t& upper = wanted[nodes - parts_.fewest];
        if (parts_.solved[side][index] != 0 || upper < parts_.lower[side][index]) upper = -1;
        any |= upper >= 0;
    }
    return any;
}

// Reduces the allowance of a part above its bound to a quarter.
template <class Lane>
void NodeSearch<Lane>::want_less(std::size_t feature, std::size_t side) {
    for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
        std::int64_t& upper = pass_.wanted[side][nodes - parts_.fewest];
        const std::int64_t lower = parts_.lower[side][parts_.index(nodes, feature)];
        if (upper > lower) upper = lower + (upper - lower) / 4;
    }
}

// Updates the incumbents from solved parts.
template <class Lane>
void NodeSearch<Lane>::improve(std::size_t feature) {
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot) {
        const std::uint32_t below = nodes_below(slot);
        const std::uint32_t high = std::min(below, parts_.most);
        for (std::uint32_t left = below - high; left <= high; ++left) {
            const std::size_t first = parts_.index(left, feature);
            const std::size_t second = parts_.index(below - left, feature);
            if (parts_.solved[0][first] == 0 || parts_.solved[1][second] == 0) continue;
            const std::int64_t cost = std::int64_t{parts_.lower[0][first]} +
                                      parts_.lower[1][second] +
                                      problem_.price_of(two_.column(feature));
            if (cost < bounds_.best[slot].lower)
                bounds_.best[slot] = {
                    cost, level_.rows.features[feature], pass_.depth, left, below - left};
        }
    }
    bounds_.share_best();
}

// Raises the lower bounds of the two parts by those of the other parts and of the node itself.
template <class Lane>
void NodeSearch<Lane>::bound_parts(std::size_t feature) {
    if (!problem_.uses_similarity()) return;
    using Weight = kernels::Weight<Lane>;
    const auto& kernels = kernels::lane_kernels<Weight>(*kernels::active());
    const PartWeights<Weight> weights = two_.weights();
    const std::int64_t with = weights.with[feature];
    for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
        const std::size_t row = parts_.index(nodes, 0);
        if (parts_.solved[0][row + feature] != 0 && parts_.solved[1][row + feature] != 0) continue;
        const kernels::PartBounds<Weight> similar = kernels.similarity_bounds(
            {weights.n_features,
             parts_.lower[0].data() + row,
             parts_.lower[1].data() + row,
             weights.with,
             two_.weights_with_both(feature),
             weights.with[feature],
             weights.weight,
             static_cast<kernels::Cost<Lane>>(problem_.task().price_of_error)});
        // The part as a subset of the node itself, whose optimum for this depth is known or
        // bounded.
        const std::int64_t of_node = shallower_bound(nodes);
        parts_.raise(0, row + feature, {similar.without, of_node - problem_.cost_of(with)});
        parts_.raise(
            1, row + feature, {similar.with, of_node - problem_.cost_of(weights.weight - with)});
    }
}

// Another branch of this node may lead to the same rows: results stored under its key since the
// pass began are valid here too (paper: "Subtree Hashing Based on Branches" mentions this
// weakness). Needed only for the branch cache: the other kind is keyed by the set of rows.
template <class Lane>
void NodeSearch<Lane>::transfer(std::size_t feature) {
    const auto key_at = [&](std::size_t f, int side) {
        two_.split(f);
        return problem_.key_of(two_.part(side),
                               requests_.branch ^ problem_.literal(two_.column(f), side));
    };
    for (const int side : {0, 1}) {
        const std::uint32_t twin = pass_.twins[static_cast<std::size_t>(side)][feature];
        if (twin == 2 * feature + static_cast<std::size_t>(side)) continue;
        const Fingerprint from = key_at(twin / 2, static_cast<int>(twin % 2));
        const Fingerprint to = key_at(feature, side);
        if (const auto costs = lookup_.cache().find_depth_two(from))
            lookup_.cache().store_depth_two(to, *costs);
        const std::size_t n_rows = two_.n_rows(side);
        const std::int64_t leaf_cost = problem_.cost_of(two_.leaf_cost(side, feature));
        for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
            const Budget budget = problem_.normalise({pass_.depth - 1, nodes}, n_rows, leaf_cost);
            if (const auto outcome = lookup_.cache().find(problem_.task_key(from), budget))
                lookup_.cache().store(problem_.task_key(to), budget, *outcome);
        }
        look_up_part(static_cast<std::size_t>(side));
    }
}

// Initialises the bounds of all parts before any is solved: from leaves, single nodes and the
// cache. All at once, so that the lookups overlap and every result can bound the other parts.
template <class Lane>
void NodeSearch<Lane>::look_up_parts() {
    for (std::size_t feature = 0; feature < two_.n_features(); ++feature) {
        if (!limits_.keep_going(look_up_work)) return;
        two_.split(feature);
        for (std::size_t side = 0; side < 2; ++side) look_up_part(side);
    }
    if (problem_.techniques().cache == CacheKind::branch) find_twins();
}

// For each part, the last one with the same rows, as 2 x feature + side; the part itself if there
// is no other.
template <class Lane>
void NodeSearch<Lane>::find_twins() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> latest;
    for (auto& twins : pass_.twins) twins.resize(two_.n_features());
    for (const std::uint32_t feature : pass_.order) {
        two_.split(feature);
        for (const int side : {0, 1}) {
            const Fingerprint& rows = two_.part(side).fingerprint;
            const std::uint32_t own = 2 * feature + static_cast<std::uint32_t>(side);
            const auto [entry, is_new] = latest.try_emplace({rows.high, rows.low}, own);
            pass_.twins[static_cast<std::size_t>(side)][feature] = entry->second;
            entry->second = own;
        }
    }
}

template <class Lane>
void NodeSearch<Lane>::look_up_part(std::size_t side) {
    const int which = static_cast<int>(side);
    const std::size_t feature = two_.feature();
    const std::uint32_t depth = pass_.depth - 1;
    const std::int64_t errors = two_.leaf_cost(which, feature);
    DepthTwoCosts costs{errors, Cache::unknown, Cache::unknown, Cache::unknown};
    if (problem_.techniques().depth_two) {
        costs[1] = two_.split_cost(which, feature);
        costs[2] = bounds_.two_costs[side][2 * feature];
        costs[3] = bounds_.two_costs[side][2 * feature + 1];
    }
    if (set_part(side, costs) || !problem_.uses_cache()) return;
    const Part part = two_.part(which);
    Fingerprint branch = requests_.branch;
    if (problem_.techniques().cache == CacheKind::branch)
        branch ^= problem_.literal(two_.column(feature), which);
    const Fingerprint key = problem_.key_of(part, branch);
    if (problem_.techniques().depth_two && costs[3] < 0 &&
        (depth == 2 || problem_.price_of_node() > 0))
        if (const auto cached = lookup_.cache().find_depth_two(key)) {
            ++stats_.cache_hits;
            costs[2] = (*cached)[2];
            costs[3] = (*cached)[3];
            if (set_part(side, costs)) return;
        }
    if (depth == 2 && problem_.techniques().depth_two) return;
    const std::size_t n_rows = two_.n_rows(which);
    for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
        const std::size_t index = parts_.index(nodes, feature);
        if (parts_.solved[side][index] != 0) continue;
        const Outcome cached =
            lookup_.look_up(key, {depth, nodes}, n_rows, problem_.cost_of(errors));
        stats_.cache_hits += cached.is_solved() ? 1 : 0;
        parts_.raise(side, index, {cached.lower});
        parts_.solved[side][index] = cached.is_solved() ? 1 : 0;
    }
}

// Applies costs of depth-two trees (negative: unknown) to a part: the optimum for the numbers of
// nodes they cover, otherwise a bound, since each further node has its price. Returns true if the
// part is completely solved.
template <class Lane>
bool NodeSearch<Lane>::set_part(std::size_t side, const DepthTwoCosts& costs) {
    const std::size_t feature = two_.feature();
    bounds_.two_costs[side][2 * feature] = costs[2];
    bounds_.two_costs[side][2 * feature + 1] = costs[3];
    bool is_complete = true;
    const std::int64_t price = problem_.price_of_node();
    const std::uint32_t depth = pass_.depth - 1;
    const bool is_leaf = depth == 0 || problem_.cost_of(costs[0]) <= price;
    for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
        std::int64_t least = problem_.cost_of(costs[0]);
        std::uint32_t covered = 0;  // trees with this many nodes are covered
        for (std::uint32_t k = 1; k <= std::min(nodes, 3u) && !is_leaf; ++k) {
            if (costs[k] >= 0) least = std::min(least, problem_.cost_of(costs[k]) + k * price);
            if (costs[k] >= 0 && covered + 1 == k && (k <= 2 || depth <= 2)) covered = k;
        }
        bool is_solved = is_leaf || covered == nodes || (depth <= 2 && covered == 3) ||
                         (depth == 1 && covered >= 1) ||
                         (price == 0 && depth == 2 && nodes >= 3 && costs[3] >= 0);
        if (!is_solved) {
            is_solved = least <= (covered + 1) * price;
            least = std::min(least, (covered + 1) * price);
        }
        const std::size_t index = parts_.index(nodes, feature);
        parts_.raise(side, index, {least});
        parts_.solved[side][index] = is_solved ? 1 : 0;
        is_complete &= is_solved;
    }
    return is_complete;
}

template <class Lane>
void NodeSearch<Lane>::solve_part(std::size_t side) {
    Subset& child = level_.child;
    const std::size_t feature = two_.feature();
    const int which = static_cast<int>(side);
    child.source = &level_.rows;
    child.part = two_.part(which);
    child.branch = requests_.branch ^ problem_.literal(level_.rows.features[feature], which);
    two_.row_numbers(which, child.row_numbers);
    child.root_bounds.clear();
    if (pass_.learns)
        child.root_bounds = parts_.root_bounds.infer(two_.weights(),
                                                     feature,
                                                     two_.weights_with_both(feature),
                                                     which,
                                                     problem_.task().price_of_error,
                                                     parts_.n_sizes() * level_.rows.n_features);
    search_.solve_subset(number_ + 1,
                         child,
                         {pass_.depth - 1, parts_.fewest, parts_.most},
                         pass_.wanted[side],
                         level_.child_outcomes);
    if (limits_.stopped()) return;
    for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes) {
        const Outcome& outcome = level_.child_outcomes[nodes - parts_.fewest];
        const std::size_t index = parts_.index(nodes, feature);
        parts_.raise(side, index, {outcome.lower});
        if (outcome.is_solved()) parts_.solved[side][index] = 1;
        if (!pass_.learns) continue;
        std::int64_t* const bounds =
            child.root_bounds.data() + (nodes - parts_.fewest) * level_.rows.n_features;
        for (std::size_t root = 0; root < level_.rows.n_features; ++root)
            bounds[root] = std::max(bounds[root], outcome.lower);
    }
    if (pass_.learns) parts_.root_bounds.keep(which, feature, child.root_bounds);
}

// Solves both parts together, for every number of nodes, since they share the counting.
template <class Lane>
void NodeSearch<Lane>::solve_parts_at_depth_two() {
    if (!limits_.keep_going(two_.work())) return;
    const std::size_t feature = two_.feature();
    const auto open = [&](std::size_t side) {
        for (std::uint32_t nodes = parts_.fewest; nodes <= parts_.most; ++nodes)
            if (parts_.solved[side][parts_.index(nodes, feature)] == 0) return true;
        return false;
    };
    const bool only_three = parts_.fewest == 3 && problem_.price_of_node() == 0;
    const std::array<bool, 2> wanted{open(0), open(1)};
    std::array<DepthTwoCosts, 2> costs{};
    two_.solve_parts(wanted, !only_three, limits_, costs);
    if (limits_.stopped()) return;
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side]) continue;
        ++stats_.depth_two_calls;
        if (only_three)
            costs[side] = {two_.leaf_cost(static_cast<int>(side), feature),
                           Cache::unknown,
                           Cache::unknown,
                           costs[side][3]};
        set_part(side, costs[side]);
        if (!problem_.uses_cache()) continue;
        const int which = static_cast<int>(side);
        lookup_.cache().store_depth_two(
            problem_.key_of(two_.part(which),
                            requests_.branch ^ problem_.literal(two_.column(feature), which)),
            costs[side]);
    }
}

// Called by node_search.cpp, which instantiates the rest of the class.
template void NodeSearch<std::int16_t>::try_feature(std::size_t);
template void NodeSearch<std::int16_t>::look_up_parts();
template void NodeSearch<std::int16_t>::bound_parts(std::size_t);
template bool NodeSearch<std::int16_t>::add_up(std::size_t);
template void NodeSearch<std::int32_t>::try_feature(std::size_t);
template void NodeSearch<std::int32_t>::look_up_parts();
template void NodeSearch<std::int32_t>::bound_parts(std::size_t);
template bool NodeSearch<std::int32_t>::add_up(std::size_t);
template void NodeSearch<std::int64_t>::try_feature(std::size_t);
template void NodeSearch<std::int64_t>::look_up_parts();
template void NodeSearch<std::int64_t>::bound_parts(std::size_t);
template bool NodeSearch<std::int64_t>::add_up(std::size_t);
template void NodeSearch<Summed>::try_feature(std::size_t);
template void NodeSearch<Summed>::look_up_parts();
template void NodeSearch<Summed>::bound_parts(std::size_t);
template bool NodeSearch<Summed>::add_up(std::size_t);

}  // namespace murtree
