#include "search/problem.hpp"

#include <algorithm>
#include <numeric>

namespace murtree {
namespace {

// Changes the keys of the cache for each different task; those of the default task are unchanged.
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

// The weights used to bound similar parts may be far larger than costs: see Sums.
bool has_exact_weights(const Dataset& data) {
    if (data.sums() == nullptr) return true;
    const Rows& rows = data.reduced();
    double weight = 0;
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
        weight += rows.values[row * rows.n_values + data.sums()->worst()];
    return weight < 0x1p50;
}

}  // namespace

Problem::Problem(const Dataset& data,
                 const Techniques& techniques,
                 const Task& task,
                 std::size_t pair_bytes)
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
                         task.price_of_error == 1 && task.price_of_node == 0)) {}

// No tree with more nodes than this is better than all smaller ones: each split must separate some
// rows, and all splits together must save more than they cost.
std::uint32_t Problem::useful_nodes(std::size_t n_rows, std::int64_t leaf_cost) const {
    auto useful = static_cast<std::int64_t>(
        std::min<std::size_t>(n_rows == 0 ? 0 : n_rows - 1, Budget::max_nodes));
    if (task_.price_of_node > 0)
        useful = std::min(useful, (std::max<std::int64_t>(leaf_cost, 1) - 1) / task_.price_of_node);
    return static_cast<std::uint32_t>(useful);
}

// Maps all limits that no tree of these rows can reach to the same budget, so that they share cache
// entries.
Budget Problem::normalise(Budget budget, std::size_t n_rows, std::int64_t leaf_cost) const {
    const std::uint32_t useful = useful_nodes(n_rows, leaf_cost);
    budget.depth = std::min(budget.depth, useful);
    if (budget.nodes >= useful) budget.nodes = Budget::most_nodes(budget.depth);
    budget.nodes = std::min(budget.nodes, Budget::most_nodes(budget.depth));
    budget.depth = std::min(budget.depth, budget.nodes);
    return budget;
}

std::int64_t Problem::total_weight(const Rows& rows) {
    std::int64_t weight = 0;
    for (const RowSegment& segment : rows.segments)
        weight += std::int64_t{segment.n_rows} << segment.shift;
    return weight;
}

// Zero unless the cache is keyed by branches.
Fingerprint Problem::literal(std::uint32_t column, int side) const {
    if (literals_.empty()) return {};
    return literals_[2 * std::size_t{column} + static_cast<std::size_t>(side)];
}

// The rows of `source` with these numbers (ascending), with the costs known without a search.
Subset Problem::subset_of(const Rows& source, std::vector<std::uint32_t> row_numbers) const {
    Subset subset{&source, std::move(row_numbers), {}, {}};
    for (const std::uint32_t row : subset.row_numbers) subset.part.fingerprint ^= source.keys[row];
    subset.part.leaf_cost = leaf_cost_of(source, subset.row_numbers);
    return subset;
}

std::int64_t Problem::leaf_cost_of(const Rows& rows,
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

std::optional<Stump> Problem::stump_of(const Rows& rows) const {
    if (rules_.sums != nullptr) return best_summed_stump(rows, *rules_.sums, task_.least_sizes);
    return best_stump(rows, rules_.objective, task_.least_sizes);
}

// Copies the rows of a subset; their worst costs depend on the other rows of the subset.
void Problem::select(const Subset& subset, Rows& rows) const {
    select_rows(*subset.source, subset.row_numbers, rows, task_.least_sizes);
    if (rules_.sums != nullptr) rules_.sums->set_worst(rows.values);
}

Subset Problem::whole() const {
    std::vector<std::uint32_t> row_numbers(data_.reduced().n_rows());
    std::iota(row_numbers.begin(), row_numbers.end(), 0u);
    return subset_of(data_.reduced(), std::move(row_numbers));
}

}  // namespace murtree
