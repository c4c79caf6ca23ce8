#include "depth_two/stump.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "counts/count_layout.hpp"
#include "data/bit_transpose.hpp"

namespace murtree {
namespace {

// With fewer rows it is faster to go through the features of each.
constexpr std::size_t min_rows_to_transpose = 16;

// Sums of numbers that rows carry, n_columns for each sum.
template <class Number>
struct Totals {
    Totals(const Rows& rows, std::size_t columns)
        : n_columns(columns), with(rows.n_features * columns, 0), all(columns, 0) {}

    Number* of(std::size_t feature) { return with.data() + feature * n_columns; }

    std::size_t n_columns;
    std::vector<Number> with;  // of the rows with each feature
    std::vector<Number> all;
};

// The number of ones in each column, for consecutive rows.
std::vector<std::int64_t> count_ones(const Rows& rows, std::size_t first, std::size_t end) {
    std::vector<std::int64_t> ones(rows.row_words * kernels::feature_block, 0);
    for (; first < end; first += 64)
        for (std::size_t word = 0; word < rows.row_words; word += 2) {
            const bool is_last = word + 1 == rows.row_words;
            std::array<std::uint64_t, 64> block{};
            for (std::size_t r = 0; r < std::min<std::size_t>(64, end - first); ++r) {
                const std::uint32_t* const bits =
                    rows.bits.data() + (first + r) * rows.row_words + word;
                block[r] = bits[0] | (is_last ? 0 : std::uint64_t{bits[1]} << 32);
            }
            transpose_64x64(block);
            for (std::size_t j = 0; j < (is_last ? 32u : 64u); ++j)
                ones[word * kernels::feature_block + j] += std::popcount(block[j]);
        }
    return ones;
}

// The best stump by sums of which those from `first_size` on are sizes. `cost` returns the cost of
// a split from the sums of its two parts.
template <class Number, class Cost>
std::optional<Stump> best_of(const Totals<Number>& totals,
                             std::size_t n_features,
                             std::size_t first_size,
                             const LeastSizes& least,
                             Cost cost) {
    const std::size_t n_columns = totals.n_columns;
    const std::vector<Number>& all = totals.all;
    std::vector<Number> without(n_columns);
    std::optional<Stump> best;
    for (std::size_t feature = 0; feature < n_features; ++feature) {
        const Number* const own = totals.with.data() + feature * n_columns;
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
    Totals<std::int64_t> totals(rows, n_counts + 1 + n_size_kinds);
    std::size_t row = 0;
    for (const RowSegment& segment : rows.segments) {
        const kernels::Segment counted = layout.segment(segment, 0);
        const auto add = [&](std::int64_t n_rows, std::int64_t* sums) {
            const std::int64_t weight = n_rows << segment.shift;
            sums[counted.column] += counted.sign * weight;
            if (segment.attainable) sums[n_counts] += weight;
            if (segment.is_size()) sums[n_counts + 1 + segment.size_kind()] += weight;
        };
        const std::size_t end = row + segment.n_rows;
        add(segment.n_rows, totals.all.data());
        if (segment.n_rows >= min_rows_to_transpose) {
            const std::vector<std::int64_t> ones = count_ones(rows, row, end);
            for (std::size_t feature = 0; feature < rows.n_features; ++feature)
                add(ones[feature], totals.of(feature));
            row = end;
        }
        for (; row < end; ++row)
            rows.for_each_feature(row, [&](std::size_t feature) { add(1, totals.of(feature)); });
    }
    const auto leaf_cost = [&](const std::int64_t* sums) {
        return objective.cost(sums[n_counts], objective.leaf_value(sums));
    };
    const auto cost = [&](std::size_t, const std::int64_t* with, const std::int64_t* without) {
        return leaf_cost(with) + leaf_cost(without);
    };
    return best_of(totals, rows.n_features, n_counts + 1, least, cost);
}

std::optional<Stump> best_summed_stump(const Rows& rows,
                                       const Sums& sums,
                                       const LeastSizes& least) {
    const std::size_t n = rows.n_values;
    Totals<double> totals(rows, n);
    const auto add = [&](std::size_t row, double* to) {
        for (std::size_t v = 0; v < n; ++v) to[v] += rows.values[row * n + v];
    };
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
        add(row, totals.all.data());
        rows.for_each_feature(row, [&](std::size_t feature) { add(row, totals.of(feature)); });
    }
    const auto cost = [&](std::size_t feature, const double* with, const double* without) {
        return sums.leaf_cost(with) + sums.leaf_cost(without) +
               static_cast<std::int64_t>(sums.feature_cost(rows.features[feature]));
    };
    return best_of(totals, rows.n_features, sums.size(0), least, cost);
}

}  // namespace murtree
