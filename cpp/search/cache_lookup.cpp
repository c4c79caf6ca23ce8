#include "search/cache_lookup.hpp"

#include <algorithm>

namespace murtree {

void CacheLookup::remember(const Fingerprint& key, Budget budget, const Outcome& outcome) {
    if (problem_.price_of_node() == 0) cache_.note(budget);  // see look_up_others()
    cache_.store(problem_.task_key(key), budget, outcome);
}

// Looks up one request in the cache.
Outcome CacheLookup::look_up(const Fingerprint& key,
                             Budget budget,
                             std::size_t n_rows,
                             std::int64_t leaf_cost) const {
    const bool is_full = budget.nodes >= Budget::most_nodes(budget.depth);
    budget = problem_.normalise(budget, n_rows, leaf_cost);
    const Fingerprint of_task = problem_.task_key(key);
    const Outcome known = cache_.find(of_task, budget).value_or(Outcome{});
    if (known.is_solved()) return known;
    if (problem_.price_of_node() == 0) return look_up_others(of_task, budget, known);
    if (!is_full) return known;
    return look_up_any_depth(
        of_task,
        budget,
        problem_.normalise({Budget::max_depth, Budget::max_nodes}, n_rows, leaf_cost),
        known);
}

// A bound of a larger tree holds for a smaller one too, and a smaller tree that reaches it is
// optimal (paper: "Retrieving Subtrees and Lower Bounds from the Cache").
Outcome CacheLookup::look_up_others(const Fingerprint& key, Budget budget, Outcome known) const {
    Outcome smaller{unlimited};
    for (const Budget& other : cache_.budgets()) {
        const bool is_larger = other.depth >= budget.depth && other.nodes >= budget.nodes;
        const bool is_smaller = other.depth <= budget.depth && other.nodes <= budget.nodes;
        if (is_larger == is_smaller) continue;  // the same budget, or neither
        const auto cached = cache_.find(key, other);
        if (!cached) continue;
        if (is_larger) known.lower = std::max(known.lower, cached->lower);
        if (is_smaller && cached->is_solved() && cached->lower < smaller.lower) smaller = *cached;
    }
    return smaller.is_solved() && smaller.lower <= known.lower ? smaller : known;
}

// Results for every depth hold for this one; and the best tree overall is within the depth if its
// cost does not allow more nodes than that.
Outcome CacheLookup::look_up_any_depth(const Fingerprint& key,
                                       Budget budget,
                                       Budget any_depth,
                                       Outcome known) const {
    if (any_depth.depth == budget.depth) return known;
    const auto cached = cache_.find(key, any_depth);
    if (!cached) return known;
    if (cached->is_solved() && cached->lower / problem_.price_of_node() <= budget.depth)
        return *cached;
    known.lower = std::max(known.lower, cached->lower);
    return known;
}

void CacheLookup::store_all(const Subset& subset,
                            Range range,
                            const Outcomes& outcomes,
                            bool any_depth) {
    const Fingerprint key = problem_.key_of(subset.part, subset.branch);
    const std::int64_t leaf_cost = problem_.cost_of(subset.part.leaf_cost);
    for (std::uint32_t nodes = std::max(range.first, 1u); nodes <= range.last; ++nodes) {
        const Outcome& outcome = outcomes[nodes - range.first];
        if (!outcome.is_solved() && outcome.lower == 0) continue;
        const bool is_full = nodes >= Budget::most_nodes(range.depth);
        const Budget budget = any_depth && is_full ? Budget{Budget::max_depth, Budget::max_nodes}
                                                   : Budget{range.depth, nodes};
        remember(key, problem_.normalise(budget, subset.row_numbers.size(), leaf_cost), outcome);
    }
}

}  // namespace murtree
