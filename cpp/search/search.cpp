#include "search/search.hpp"

#include <algorithm>

#include "search/cluster_bound.hpp"

namespace murtree {

Level& Search::level(std::size_t number) {
    while (levels_.size() <= number)
        levels_.push_back(std::make_unique<Level>(
            SearchContext{problem_, lookup_, limits_, stats_, report_}, *this, levels_.size()));
    return *levels_[number];
}

Outcomes Search::solve(Range range, const Costs& upper) {
    Subset subset = problem_.whole();
    report_.range = range;
    report_.share_done = 0;
    report_.proven_lower.assign(range.size(), 0);
    report_.incumbents.assign(range.size(),
                              {problem_.cost_of(subset.part.leaf_cost), Outcome::leaf});
    Outcomes outcomes;
    report_.is_running = true;
    solve_subset(0, subset, range, upper, outcomes);
    report_.is_running = false;
    for (std::size_t k = 0; k < range.size(); ++k) {
        report_.proven_lower[k] = std::max(report_.proven_lower[k], outcomes[k].lower);
        if (outcomes[k].is_solved()) report_.incumbents[k] = outcomes[k];
    }
    return outcomes;
}

// Algorithm 1, for all requests of the range.
void Search::solve_subset(
    std::size_t number, Subset& subset, Range range, const Costs& upper, Outcomes& outcomes) {
    if (look_up_all(subset, range, upper, outcomes)) return;
    if (bound_by_clusters(subset, range, upper, outcomes)) return;
    if (!limits_.keep_going(static_cast<std::int64_t>(subset.row_numbers.size()))) return;
    Level& own = level(number);
    problem_.select(subset, own.rows);
    const std::uint32_t useful =
        problem_.useful_nodes(subset.row_numbers.size(), problem_.cost_of(subset.part.leaf_cost));
    const std::uint32_t depth = std::min(range.depth, useful);
    bool any_depth = false;
    // A single node needs no pairs, regardless of the number of columns.
    if (depth == 1 && (number == 0 || !problem_.techniques().depth_two)) {
        const Outcome stump = solve_stump(own.rows, subset.part);
        for (Outcome& outcome : outcomes)
            if (!outcome.is_solved()) outcome = stump;
    } else {
        any_depth = problem_.with_lane(own.rows, [&](auto lane) {
            return own.node<decltype(lane)>().solve(subset, range, upper, outcomes);
        });
    }
    if (problem_.uses_cache() && !limits_.stopped())
        lookup_.store_all(subset, range, outcomes, any_depth);
}

Outcome Search::solve_one(std::size_t number, Subset& subset, Budget budget) {
    Outcomes outcomes;
    solve_subset(number,
                 subset,
                 {budget.depth, budget.nodes, budget.nodes},
                 {problem_.cost_of(subset.part.leaf_cost)},
                 outcomes);
    return outcomes[0];
}

// Looks up all requests. Returns true if that answers every request.
bool Search::look_up_all(const Subset& subset,
                         Range range,
                         const Costs& upper,
                         Outcomes& outcomes) {
    outcomes.assign(range.size(), Outcome{});
    const std::int64_t leaf_cost = problem_.cost_of(subset.part.leaf_cost);
    const Fingerprint key = problem_.key_of(subset.part, subset.branch);
    bool is_open = false;
    for (std::uint32_t nodes = range.first; nodes <= range.last; ++nodes) {
        Outcome& outcome = outcomes[nodes - range.first];
        if (leaf_cost <= problem_.price_of_node() || nodes == 0 || range.depth == 0) {
            outcome = {leaf_cost, Outcome::leaf};
            continue;
        }
        const std::int64_t limit = upper[nodes - range.first];
        if (problem_.uses_cache())
            outcome =
                lookup_.look_up(key, {range.depth, nodes}, subset.row_numbers.size(), leaf_cost);
        if (outcome.is_solved() || (outcome.lower > limit && limit >= 0))
            ++stats_.cache_hits;
        else if (outcome.lower == leaf_cost)
            outcome = {leaf_cost, Outcome::leaf};
        else if (limit >= 0)
            is_open = true;
    }
    return !is_open;
}

// Applies the cluster bound (squared error only). Returns true if that answers every request. It
// requires sorting, so it is skipped if a tree of depth two is as fast, and if it is unlikely to
// help: k groups of a normal sample cost about 2.7 / k^2 of one group.
bool Search::bound_by_clusters(const Subset& subset,
                               Range range,
                               const Costs& upper,
                               Outcomes& outcomes) const {
    constexpr std::uint32_t max_leaves = 32;
    if (problem_.sums() == nullptr || problem_.sums()->kind() != Sums::Kind::squares) return false;
    if (!problem_.techniques().cluster_bound || range.depth < 3) return false;
    const std::uint32_t last = std::min(range.last, Budget::most_nodes(range.depth));
    const std::uint32_t most = std::min(last, max_leaves - 1);
    if (last > most && problem_.price_of_node() == 0) return false;
    const std::int64_t allowed = *std::max_element(upper.begin(), upper.end());
    std::int64_t leaves = most + 1;
    if (problem_.price_of_node() > 0)
        leaves = std::min(leaves, allowed / problem_.price_of_node() + 1);
    if (allowed > 4 * problem_.cost_of(subset.part.leaf_cost) / (leaves * leaves)) return false;
    const std::vector<std::int64_t> by_leaves =
        cluster_bounds(*subset.source, subset.row_numbers, *problem_.sums(), most + 1, limits_);
    if (limits_.stopped()) return true;
    std::int64_t least = unlimited;  // over trees with at most the nodes of the request
    bool is_open = false;
    for (std::uint32_t nodes = 0; nodes <= range.last; ++nodes) {
        // With more leaves than there are bounds for, the prices of the nodes still apply.
        const std::int64_t errors = nodes <= most ? std::max<std::int64_t>(by_leaves[nodes], 0) : 0;
        if (nodes <= last)
            least = std::min(least, problem_.cost_of(errors) + nodes * problem_.price_of_node());
        if (nodes < range.first) continue;
        Outcome& outcome = outcomes[nodes - range.first];
        if (!outcome.is_solved()) outcome.lower = std::max(outcome.lower, least);
        const std::int64_t limit = upper[nodes - range.first];
        is_open |= !outcome.is_solved() && limit >= 0 && outcome.lower <= limit;
    }
    return !is_open;
}

Outcome Search::solve_stump(const Rows& rows, const Part& part) const {
    const std::int64_t leaf_cost = problem_.cost_of(part.leaf_cost);
    const std::optional<Stump> stump = problem_.stump_of(rows);
    if (!stump || problem_.cost_of(stump->cost) + problem_.price_of_node() >= leaf_cost)
        return {leaf_cost, Outcome::leaf};
    return {problem_.cost_of(stump->cost) + problem_.price_of_node(),
            rows.features[stump->feature],
            1,
            0,
            0};
}

}  // namespace murtree
