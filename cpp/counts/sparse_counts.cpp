#include "counts/sparse_counts.hpp"

#include <algorithm>
#include <iterator>

namespace murtree {
namespace {

template <class Lane>
void add_pairs(std::span<const std::uint32_t> features,
               std::size_t stride,
               Lane weight,
               Lane* counts) {
    for (const std::uint32_t i : features) {
        Lane* const row = counts + i * stride;
        for (const std::uint32_t j : features) row[j] = static_cast<Lane>(row[j] + weight);
    }
}

using RowNumbers = std::vector<std::uint32_t>;

// Size of the symmetric difference of two ascending lists.
std::size_t n_different(const RowNumbers& a, const RowNumbers& b) {
    std::size_t n_same = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        n_same += a[i] == b[j] ? 1 : 0;
        const bool first = a[i] <= b[j];
        const bool second = b[j] <= a[i];
        i += first ? 1 : 0;
        j += second ? 1 : 0;
    }
    return a.size() + b.size() - 2 * n_same;
}

void difference(const RowNumbers& a, const RowNumbers& b, RowNumbers& only_a) {
    only_a.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
}

}  // namespace

template <class Lane>
void SparseRows<Lane>::load(const Rows& rows) {
    stride_ = rows.stride();
    starts_.assign(1, 0);
    features_.clear();
    for (std::size_t row = 0; row < rows.n_rows(); ++row) {
        rows.for_each_feature(row, [&](std::size_t feature) {
            features_.push_back(static_cast<std::uint32_t>(feature));
        });
        starts_.push_back(features_.size());
    }
}

template <class Lane>
void SparseRows<Lane>::weigh(const Rows& rows, std::span<const kernels::Segment> segments) {
    weights_.assign(rows.n_rows(), {0, 0});
    auto next = weights_.begin();
    for (std::size_t s = 0; s < segments.size(); ++s) {
        const kernels::Segment& to = segments[s];
        const auto weight = static_cast<Lane>(to.sign * (std::int64_t{1} << to.shift));
        next = std::fill_n(next, rows.segments[s].n_rows, RowWeight{to.column, weight});
    }
}

template <class Lane>
void SparseRows<Lane>::add(std::span<const std::uint32_t> row_numbers,
                           int times,
                           Lane* counts) const {
    for (const std::uint32_t row : row_numbers) {
        const RowWeight& to = weights_[row];
        if (to.weight == 0) continue;
        add_pairs(features(row),
                  stride_,
                  static_cast<Lane>(times * to.weight),
                  counts + to.column * stride_ * stride_);
    }
}

template <class Lane>
void SparseRows<Lane>::add(std::span<const std::uint32_t> row_numbers,
                           const FeatureChoice& choice,
                           Lane* counts) const {
    const std::size_t stride = choice.stride();
    std::vector<std::uint32_t> chosen;
    for (const std::uint32_t row : row_numbers) {
        const RowWeight& to = weights_[row];
        if (to.weight == 0) continue;
        chosen.clear();
        for (const std::uint32_t feature : features(row))
            if (choice.numbers[feature] != FeatureChoice::none)
                chosen.push_back(choice.numbers[feature]);
        add_pairs<Lane>(chosen, stride, to.weight, counts + to.column * stride * stride);
    }
}

template <class Lane>
const Lane* IncrementalCounts<Lane>::count(const SparseRows<Lane>& rows,
                                           const std::vector<std::uint32_t>& row_numbers,
                                           std::size_t size) {
    const std::array<std::size_t, 2> different{n_different(counters_[0].row_numbers, row_numbers),
                                               n_different(counters_[1].row_numbers, row_numbers)};
    const std::size_t chosen = different[1] < different[0] ? 1 : 0;
    Counter& counter = counters_[chosen];
    if (different[chosen] < row_numbers.size()) {
        difference(counter.row_numbers, row_numbers, difference_);
        rows.add(difference_, -1, counter.counts.data());
        difference(row_numbers, counter.row_numbers, difference_);
        rows.add(difference_, 1, counter.counts.data());
    } else {
        counter.counts.assign(size, 0);
        rows.add(row_numbers, 1, counter.counts.data());
    }
    counter.row_numbers = row_numbers;
    return counter.counts.data();
}

template class SparseRows<std::int16_t>;
template class SparseRows<std::int32_t>;
template class SparseRows<std::int64_t>;
template class IncrementalCounts<std::int16_t>;
template class IncrementalCounts<std::int32_t>;
template class IncrementalCounts<std::int64_t>;

}  // namespace murtree
