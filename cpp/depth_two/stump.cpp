#include "depth_two/stump.hpp"

#include <array>
#include <bit>
#include <vector>

#include "counts/count_layout.hpp"

namespace murtree {
namespace {

// Counts, attainable weight and sizes (if there are size rows) of the rows with each feature and,
// at index n_features, of all rows.
struct SingleCounts {
    std::vector<std::int64_t> counts;  // (n_features + 1) x n_counts
    std::vector<std::int64_t> attainable;
    std::vector<std::array<std::int64_t, n_size_kinds>> sizes;
};

SingleCounts count(const Rows& rows, const Classification& objective) {
    const std::size_t n_counts = objective.n_counts();
    SingleCounts single{std::vector<std::int64_t>((rows.n_features + 1) * n_counts, 0),
                        std::vector<std::int64_t>(rows.n_features + 1, 0),
                        {}};
    single.sizes.resize(rows.n_features + 1);
    const CountLayout layout(objective);
    std::size_t row = 0;
    for (const RowSegment& segment : rows.segments) {
        const kernels::Segment counted = layout.segment(segment, 0);
        const std::int64_t weight = std::int64_t{1} << segment.shift;
        const auto add = [&](std::size_t feature) {
            single.counts[feature * n_counts + counted.column] += counted.sign * weight;
            if (segment.attainable) single.attainable[feature] += weight;
            if (segment.is_size()) single.sizes[feature][segment.size_kind()] += weight;
        };
        for (const std::size_t end = row + segment.n_rows; row < end; ++row) {
            add(rows.n_features);
            for (std::size_t k = 0; k < rows.row_words; ++k)
                for (std::uint32_t rest = rows.bits[row * rows.row_words + k]; rest != 0;
                     rest &= rest - 1)
                    add(k * 32 + static_cast<std::size_t>(std::countr_zero(rest)));
        }
    }
    return single;
}

}  // namespace

std::optional<Stump> best_stump(const Rows& rows,
                                const Classification& objective,
                                const LeastSizes& least) {
    const std::size_t n_counts = objective.n_counts();
    const SingleCounts single = count(rows, objective);
    const std::int64_t* const all = single.counts.data() + rows.n_features * n_counts;
    std::vector<std::int64_t> without(n_counts);
    std::optional<Stump> best;
    for (std::size_t feature = 0; feature < rows.n_features; ++feature) {
        bool is_allowed = true;
        for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
            is_allowed &=
                least.allow(kind, single.sizes[feature][kind], single.sizes[rows.n_features][kind]);
        if (!is_allowed) continue;
        const std::int64_t* const with = single.counts.data() + feature * n_counts;
        for (std::size_t k = 0; k < n_counts; ++k) without[k] = all[k] - with[k];
        const std::int64_t attainable = single.attainable[feature];
        const std::int64_t cost = objective.cost(attainable, objective.leaf_value(with)) +
                                  objective.cost(single.attainable[rows.n_features] - attainable,
                                                 objective.leaf_value(without.data()));
        if (!best || cost < best->cost) best = Stump{feature, cost};
    }
    return best;
}

std::optional<Stump> best_summed_stump(const Rows& rows,
                                       const Sums& sums,
                                       const LeastSizes& least) {
    const std::size_t n = rows.n_values;
    std::vector<double> with(rows.n_features * n, 0);
    std::vector<double> all(n, 0);
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
        const double* const values = rows.values.data() + row * n;
        for (std::size_t v = 0; v < n; ++v) all[v] += values[v];
        for (std::size_t k = 0; k < rows.row_words; ++k)
            for (std::uint32_t rest = rows.bits[row * rows.row_words + k]; rest != 0;
                 rest &= rest - 1) {
                double* const sum =
                    with.data() + (k * 32 + static_cast<std::size_t>(std::countr_zero(rest))) * n;
                for (std::size_t v = 0; v < n; ++v) sum[v] += values[v];
            }
    }
    std::vector<double> without(n);
    std::optional<Stump> best;
    for (std::size_t feature = 0; feature < rows.n_features; ++feature) {
        const double* const own = with.data() + feature * n;
        for (std::size_t v = 0; v < n; ++v) without[v] = all[v] - own[v];
        bool is_allowed = true;
        for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
            is_allowed &= least.allow(kind,
                                      static_cast<std::int64_t>(own[sums.size(kind)]),
                                      static_cast<std::int64_t>(all[sums.size(kind)]));
        if (!is_allowed) continue;
        const std::int64_t cost =
            sums.leaf_cost(own) + sums.leaf_cost(without.data()) +
            static_cast<std::int64_t>(sums.feature_cost(rows.features[feature]));
        if (!best || cost < best->cost) best = Stump{feature, cost};
    }
    return best;
}

}  // namespace murtree
