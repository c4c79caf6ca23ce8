#include "search/search.hpp"

#include <algorithm>
#include <numeric>

#include "search/cluster_bound.hpp"

namespace murtree {
namespace {

// Moves the cache's keys somewhere else for each different task; the plain one stays.
Fingerprint salt_of(const Keys& keys, std::int64_t a, std::int64_t b, bool is_plain) {
    if (is_plain) return {};
    return keys.of(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

// A key for either side of a test of each column.
std::vector<Fingerprint> literal_keys(const Dataset& data) {
    std::vector<Fingerprint> keys(2 * data.n_features());
    data.keys().for_use(Keys::Use::literals).fill(keys);
    return keys;
}

// The weights by which similar parts bound each other may be far larger than costs: see Sums.
bool has_exact_weights(const Dataset& data) {
    if (data.sums() == nullptr) return true;
    const Rows& rows = data.reduced();
    double weight = 0;
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
        weight += rows.values[row * rows.n_values + data.sums()->worst()];
    return weight < 0x1p50;
}

}  // namespace

Search::Search(const Dataset& data,
               const Techniques& techniques,
               const Task& task,
               std::size_t pair_bytes,
               Cache& cache,
               Limits& limits,
               SearchStats& stats)
    : data_(data),
      techniques_(techniques),
      task_(task),
      rules_{Classification(data.n_classes()),
             techniques.counting,
             task.least_sizes,
             data.sums(),
             pair_bytes},
      weighs_(has_exact_weights(data)),
      literals_(techniques.cache == CacheKind::branch ? literal_keys(data)
                                                      : std::vector<Fingerprint>{}),
      salt_(salt_of(data.keys().for_use(Keys::Use::sizes),
                    task.least_sizes.of[n_original_rows],
                    task.least_sizes.of[leaf_weight],
                    !task.least_sizes.any())),
      task_salt_(salt_of(data.keys().for_use(Keys::Use::prices),
                         task.price_of_error,
                         task.price_of_node,
                         task.price_of_error == 1 && task.price_of_node == 0)),
      cache_(cache),
      limits_(limits),
      stats_(stats) {}

// No tree with more nodes than this is better than every smaller one: each split must part some
// rows, and all splits together must save more than they cost.
std::uint32_t Search::useful_nodes(std::size_t n_rows, std::int64_t leaf_cost) const {
    auto useful = static_cast<std::int64_t>(
        std::min<std::size_t>(n_rows == 0 ? 0 : n_rows - 1, Budget::max_nodes));
    if (task_.price_of_node > 0)
        useful = std::min(useful, (std::max<std::int64_t>(leaf_cost, 1) - 1) / task_.price_of_node);
    return static_cast<std::uint32_t>(useful);
}

// Limits that no tree of these rows can use up are all written the same way, so that they share
// cache entries.
Budget Search::normalise(Budget budget, std::size_t n_rows, std::int64_t leaf_cost) const {
    const std::uint32_t useful = useful_nodes(n_rows, leaf_cost);
    budget.depth = std::min(budget.depth, useful);
    if (budget.nodes >= useful) budget.nodes = Budget::most_nodes(budget.depth);
    budget.nodes = std::min(budget.nodes, Budget::most_nodes(budget.depth));
    budget.depth = std::min(budget.depth, budget.nodes);
    return budget;
}

Search::Level& Search::level(std::size_t number) {
    while (levels_.size() <= number) levels_.push_back(std::make_unique<Level>());
    return *levels_[number];
}

std::int64_t Search::total_weight(const Rows& rows) {
    std::int64_t weight = 0;
    for (const RowSegment& segment : rows.segments)
        weight += std::int64_t{segment.n_rows} << segment.shift;
    return weight;
}

// None unless the cache knows branches.
Fingerprint Search::literal(std::uint32_t column, int side) const {
    if (literals_.empty()) return {};
    return literals_[2 * std::size_t{column} + static_cast<std::size_t>(side)];
}

// The rows of `source` with these numbers (ascending), with what is known without a search.
Search::Subset Search::subset_of(const Rows& source, std::vector<std::uint32_t> row_numbers) const {
    Subset subset{&source, std::move(row_numbers), {}, {}};
    for (const std::uint32_t row : subset.row_numbers) subset.part.fingerprint ^= source.keys[row];
    subset.part.leaf_cost = leaf_cost_of(source, subset.row_numbers);
    return subset;
}

std::int64_t Search::leaf_cost_of(const Rows& rows,
                                  std::span<const std::uint32_t> row_numbers) const {
    if (rules_.sums != nullptr) {
        std::vector<double> sums(rows.n_values, 0);
        for (const std::uint32_t row : row_numbers)
            for (std::size_t v = 0; v < rows.n_values; ++v)
                sums[v] += rows.values[row * rows.n_values + v];
        return rules_.sums->leaf_cost(sums.data());
    }
    const Classification& objective = rules_.objective;
    const CountLayout layout(objective);
    std::vector<std::int64_t> counts(layout.n_counts(), 0);
    std::int64_t attainable = 0;
    std::size_t next = 0;
    std::uint32_t end = 0;
    for (const RowSegment& segment : rows.segments) {
        end += segment.n_rows;
        const kernels::Segment counted = layout.segment(segment, 0);
        for (; next < row_numbers.size() && row_numbers[next] < end; ++next) {
            counts[counted.column] += counted.sign * (std::int64_t{1} << segment.shift);
            if (segment.attainable) attainable += std::int64_t{1} << segment.shift;
        }
    }
    return objective.cost(attainable, objective.leaf_value(counts.data()));
}

std::optional<Stump> Search::stump_of(const Rows& rows) const {
    if (rules_.sums != nullptr) return best_summed_stump(rows, *rules_.sums, task_.least_sizes);
    return best_stump(rows, rules_.objective, task_.least_sizes);
}

// The rows of a subset by themselves; what they may cost depends on their company.
void Search::select(const Subset& subset, Rows& rows) const {
    select_rows(*subset.source, subset.row_numbers, rows, task_.least_sizes);
    if (rules_.sums != nullptr) rules_.sums->set_worst(rows.values);
}

Search::Subset Search::whole() const {
    std::vector<std::uint32_t> row_numbers(data_.reduced().n_rows());
    std::iota(row_numbers.begin(), row_numbers.end(), 0u);
    return subset_of(data_.reduced(), std::move(row_numbers));
}

Search::Outcomes Search::solve(Range range, const Costs& upper) {
    Subset subset = whole();
    root_range_ = range;
    share_done_ = 0;
    proven_lower_.assign(range.size(), 0);
    incumbents_.assign(range.size(), {cost_of(subset.part.leaf_cost), Outcome::leaf});
    Outcomes outcomes;
    grace_.reset();
    is_asked_ = true;
    solve_subset(0, subset, range, upper, outcomes);
    is_asked_ = false;
    for (std::size_t k = 0; k < range.size(); ++k) {
        proven_lower_[k] = std::max(proven_lower_[k], outcomes[k].lower);
        if (outcomes[k].is_solved()) incumbents_[k] = outcomes[k];
    }
    return outcomes;
}

// Algorithm 1, for all requests of the range.
void Search::solve_subset(
    std::size_t number, Subset& subset, Range range, const Costs& upper, Outcomes& outcomes) {
    if (recall_all(subset, range, upper, outcomes)) return;
    if (bound_by_clusters(subset, range, upper, outcomes)) return;
    if (!limits_.keep_going(static_cast<std::int64_t>(subset.row_numbers.size()))) return;
    Level& own = level(number);
    select(subset, own.rows);
    const std::uint32_t useful =
        useful_nodes(subset.row_numbers.size(), cost_of(subset.part.leaf_cost));
    const std::uint32_t depth = std::min(range.depth, useful);
    bool any_depth = false;
    // No pairs are needed for a single node, however many columns there are.
    if (depth == 1 && (number == 0 || !techniques_.depth_two)) {
        const Outcome stump = solve_stump(own.rows, subset.part);
        for (Outcome& outcome : outcomes)
            if (!outcome.is_solved()) outcome = stump;
    } else {
        any_depth = with_lane(own.rows, [&](auto lane) {
            return solve_node<decltype(lane)>(number, subset, range, upper, outcomes);
        });
    }
    if (uses_cache() && !limits_.stopped()) store_all(subset, range, outcomes, any_depth);
}

// The optimum for one budget.
Outcome Search::solve_one(std::size_t number, Subset& subset, Budget budget) {
    Outcomes outcomes;
    solve_subset(number,
                 subset,
                 {budget.depth, budget.nodes, budget.nodes},
                 {cost_of(subset.part.leaf_cost)},
                 outcomes);
    return outcomes[0];
}

// What is known without work. True if that answers every request.
bool Search::recall_all(const Subset& subset, Range range, const Costs& upper, Outcomes& outcomes) {
    outcomes.assign(range.size(), Outcome{});
    const std::int64_t leaf_cost = cost_of(subset.part.leaf_cost);
    const Fingerprint key = key_of(subset.part, subset.branch);
    bool is_open = false;
    for (std::uint32_t nodes = range.first; nodes <= range.last; ++nodes) {
        Outcome& outcome = outcomes[nodes - range.first];
        if (leaf_cost <= task_.price_of_node || nodes == 0 || range.depth == 0) {
            outcome = {leaf_cost, Outcome::leaf};
            continue;
        }
        const std::int64_t limit = upper[nodes - range.first];
        if (uses_cache())
            outcome = look_up(key, {range.depth, nodes}, subset.row_numbers.size(), leaf_cost);
        if (outcome.is_solved() || (outcome.lower > limit && limit >= 0))
            ++stats_.cache_hits;
        else if (outcome.lower == leaf_cost)
            outcome = {leaf_cost, Outcome::leaf};
        else if (limit >= 0)
            is_open = true;
    }
    return !is_open;
}

// Squared error only. True if that answers every request. It takes sorting, so it is left out
// where a tree of depth two is made as quickly, and where it has little hope: k groups of a normal
// sample cost about 2.7 / k^2 of what one does.
bool Search::bound_by_clusters(const Subset& subset,
                               Range range,
                               const Costs& upper,
                               Outcomes& outcomes) const {
    constexpr std::uint32_t max_leaves = 32;
    if (rules_.sums == nullptr || rules_.sums->kind() != Sums::Kind::squares) return false;
    if (!techniques_.cluster_bound || range.depth < 3) return false;
    const std::uint32_t last = std::min(range.last, Budget::most_nodes(range.depth));
    const std::uint32_t most = std::min(last, max_leaves - 1);
    if (last > most && task_.price_of_node == 0) return false;
    const std::int64_t allowed = *std::max_element(upper.begin(), upper.end());
    std::int64_t leaves = most + 1;
    if (task_.price_of_node > 0) leaves = std::min(leaves, allowed / task_.price_of_node + 1);
    if (allowed > 4 * cost_of(subset.part.leaf_cost) / (leaves * leaves)) return false;
    const std::vector<std::int64_t> by_leaves =
        cluster_bounds(*subset.source, subset.row_numbers, *rules_.sums, most + 1, limits_);
    if (limits_.stopped()) return true;
    std::int64_t least = unlimited;  // over trees with the nodes of the request or fewer
    bool is_open = false;
    for (std::uint32_t nodes = 0; nodes <= range.last; ++nodes) {
        // With more leaves than there are bounds for, the nodes still have their price.
        const std::int64_t errors = nodes <= most ? std::max<std::int64_t>(by_leaves[nodes], 0) : 0;
        if (nodes <= last) least = std::min(least, cost_of(errors) + nodes * task_.price_of_node);
        if (nodes < range.first) continue;
        Outcome& outcome = outcomes[nodes - range.first];
        if (!outcome.is_solved()) outcome.lower = std::max(outcome.lower, least);
        const std::int64_t limit = upper[nodes - range.first];
        is_open |= !outcome.is_solved() && limit >= 0 && outcome.lower <= limit;
    }
    return !is_open;
}

void Search::remember(const Fingerprint& key, Budget budget, const Outcome& outcome) {
    if (task_.price_of_node == 0) cache_.note(budget);  // see look_up_others()
    cache_.store(task_key(key), budget, outcome);
}

// What the cache has on a request.
Outcome Search::look_up(const Fingerprint& key,
                        Budget budget,
                        std::size_t n_rows,
                        std::int64_t leaf_cost) const {
    const bool is_full = budget.nodes >= Budget::most_nodes(budget.depth);
    budget = normalise(budget, n_rows, leaf_cost);
    const Fingerprint of_task = task_key(key);
    const Outcome known = cache_.find(of_task, budget).value_or(Outcome{});
    if (known.is_solved()) return known;
    if (task_.price_of_node == 0) return look_up_others(of_task, budget, known);
    if (!is_full) return known;
    return look_up_any_depth(of_task,
                             budget,
                             normalise({Budget::max_depth, Budget::max_nodes}, n_rows, leaf_cost),
                             known);
}

// A bound of a larger tree holds for a smaller one too, and a smaller tree that reaches it is
// optimal (paper: "Retrieving Subtrees and Lower Bounds from the Cache").
Outcome Search::look_up_others(const Fingerprint& key, Budget budget, Outcome known) const {
    Outcome smaller{unlimited};
    for (const Budget& other : cache_.budgets()) {
        const bool is_larger = other.depth >= budget.depth && other.nodes >= budget.nodes;
        const bool is_smaller = other.depth <= budget.depth && other.nodes <= budget.nodes;
        if (is_larger == is_smaller) continue;  // the same one, or neither
        const auto cached = cache_.find(key, other);
        if (!cached) continue;
        if (is_larger) known.lower = std::max(known.lower, cached->lower);
        if (is_smaller && cached->is_solved() && cached->lower < smaller.lower) smaller = *cached;
    }
    return smaller.is_solved() && smaller.lower <= known.lower ? smaller : known;
}

// What holds for every depth holds for this one; and the best tree of all is within the depth if
// its cost does not pay for more nodes than that.
Outcome Search::look_up_any_depth(const Fingerprint& key,
                                  Budget budget,
                                  Budget any_depth,
                                  Outcome known) const {
    if (any_depth.depth == budget.depth) return known;
    const auto cached = cache_.find(key, any_depth);
    if (!cached) return known;
    if (cached->is_solved() && cached->lower / task_.price_of_node <= budget.depth) return *cached;
    known.lower = std::max(known.lower, cached->lower);
    return known;
}

void Search::store_all(const Subset& subset,
                       Range range,
                       const Outcomes& outcomes,
                       bool any_depth) {
    const Fingerprint key = key_of(subset.part, subset.branch);
    const std::int64_t leaf_cost = cost_of(subset.part.leaf_cost);
    for (std::uint32_t nodes = std::max(range.first, 1u); nodes <= range.last; ++nodes) {
        const Outcome& outcome = outcomes[nodes - range.first];
        if (!outcome.is_solved() && outcome.lower == 0) continue;
        const bool is_full = nodes >= Budget::most_nodes(range.depth);
        const Budget budget = any_depth && is_full ? Budget{Budget::max_depth, Budget::max_nodes}
                                                   : Budget{range.depth, nodes};
        remember(key, normalise(budget, subset.row_numbers.size(), leaf_cost), outcome);
    }
}

Outcome Search::solve_stump(const Rows& rows, const Part& part) const {
    const std::int64_t leaf_cost = cost_of(part.leaf_cost);
    const std::optional<Stump> stump = stump_of(rows);
    if (!stump || cost_of(stump->cost) + task_.price_of_node >= leaf_cost)
        return {leaf_cost, Outcome::leaf};
    return {cost_of(stump->cost) + task_.price_of_node, rows.features[stump->feature], 1, 0, 0};
}

}  // namespace murtree
