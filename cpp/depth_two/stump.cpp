#include "depth_two/stump.hpp"

#include <vector>

#include "counts/count_layout.hpp"

namespace murtree {
namespace {

// The best stump from sums of numbers that rows carry: `add` adds those of a row to n_columns sums,
// with the sizes from `first_size` on. Rows are added in ascending order. `cost` returns the cost
// of a split from the sums of its two parts.
template <class Number, class Add, class Cost>
std::optional<Stump> best_of(const Rows& rows,
                             std::size_t n_columns,
                             std::size_t first_size,
                             const LeastSizes& least,
                             Add add,
                             Cost cost) {
    std::vector<Number> with(rows.n_features * n_columns, 0);
    std::vector<Number> all(n_columns, 0);
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
        add(row, all.data());
        rows.for_each_feature(
            row, [&](std::size_t feature) { add(row, with.data() + feature * n_columns); });
    }
    std::vector<Number> without(n_columns);
    std::optional<Stump> best;
    for (std::size_t feature = 0; feature < rows.n_features; ++feature) {
        const Number* const own = with.data() + feature * n_columns;
        bool is_allowed = true;
        for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
            is_allowed &= least.allow(kind,
                                      static_cast<std::int64_t>(own[first_size + kind]),
                                      static_cast<std::int64_t>(all[first_size + kind]));
        if (!is_allowed) continue;
        for (std::size_t c = 0; c < n_columns; ++c) without[c] = all[c] - own[c];
        const std::int64_t found = cost(feature, own, without.data());
        if (!best || found < best->cost) best = Stump{feature, found};
    }
    return best;
}

}  // namespace

// The columns are the counts, the attainable weight, and the sizes, if there are size rows.
std::optional<Stump> best_stump(const Rows& rows,
                                const Classification& objective,
                                const LeastSizes& least) {
    const CountLayout layout(objective);
    const std::size_t n_counts = objective.n_counts();
    auto segment = rows.segments.begin();
    std::size_t first = 0;  // row of the segment
    const auto add = [&](std::size_t row, std::int64_t* sums) {
        for (; row >= first + segment->n_rows; ++segment) first += segment->n_rows;
        const kernels::Segment counted = layout.segment(*segment, 0);
        const std::int64_t weight = std::int64_t{1} << segment->shift;
        sums[counted.column] += counted.sign * weight;
        if (segment->attainable) sums[n_counts] += weight;
        if (segment->is_size()) sums[n_counts + 1 + segment->size_kind()] += weight;
    };
    const auto leaf_cost = [&](const std::int64_t* sums) {
        return objective.cost(sums[n_counts], objective.leaf_value(sums));
    };
    const auto cost = [&](std::size_t, const std::int64_t* with, const std::int64_t* without) {
        return leaf_cost(with) + leaf_cost(without);
    };
    return best_of<std::int64_t>(rows, n_counts + 1 + n_size_kinds, n_counts + 1, least, add, cost);
}

std::optional<Stump> best_summed_stump(const Rows& rows,
                                       const Sums& sums,
                                       const LeastSizes& least) {
    const std::size_t n = rows.n_values;
    const auto add = [&](std::size_t row, double* to) {
        for (std::size_t v = 0; v < n; ++v) to[v] += rows.values[row * n + v];
    };
    const auto cost = [&](std::size_t feature, const double* with, const double* without) {
        return sums.leaf_cost(with) + sums.leaf_cost(without) +
               static_cast<std::int64_t>(sums.feature_cost(rows.features[feature]));
    };
    return best_of<double>(rows, n, sums.size(0), least, add, cost);
}

}  // namespace murtree
