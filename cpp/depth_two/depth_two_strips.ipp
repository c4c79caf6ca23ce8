// Tables with too many pairs of features to keep: strips of the matrix. Part of depth_two.cpp.
#pragma once

#include <algorithm>

#include "depth_two/depth_two_counts.ipp"

namespace murtree {
namespace {

// Rows of the matrix in a strip, and words of rows counted at a time: the words of these features
// and of those of one register stay in the first-level cache.
constexpr std::size_t max_strip_rows = kernels::feature_block;
constexpr std::size_t strip_words = 256;

}  // namespace

// What the matrices of all pairs would take: the node's counts, its weights, and those of a part.
template <class Lane>
std::size_t DepthTwo<Lane>::matrix_bytes() const {
    const std::size_t n_apart = n_counts() + (objective_.is_signed() ? 1 : 0);
    return (n_apart + 1 + n_counts()) * stride_ * stride_ * sizeof(Lane);
}

// Four rows of the matrix, which the kernels count at once: those of the feature's block.
template <class Lane>
void DepthTwo<Lane>::count_row(std::size_t feature,
                               const std::vector<kernels::Segment>& segments,
                               std::size_t n_counts,
                               AlignedVector<Lane>& rows) const {
    rows.resize(n_counts * 4 * stride_);
    const std::size_t first = feature / 4 * 4;
    kernels_->count_pairs(
        view(packed_, segments), n_counts, {first, first + 4, 0, 4 * stride_}, rows.data(), false);
}

template <class Lane>
typename DepthTwo<Lane>::PairRow DepthTwo<Lane>::pairs_with(std::size_t feature) {
    if (!is_in_strips_) return {pairs_.data() + feature * stride_, stride_ * stride_};
    count_row(feature, packed_.counted, n_counts(), row_);
    return {row_.data() + feature % 4 * stride_, 4 * stride_};
}

template <class Lane>
const Lane* DepthTwo<Lane>::weights_with_both(std::size_t feature) {
    if (!is_in_strips_) return pair_weights_.data() + feature * stride_;
    count_row(feature, weight_segments_, 1, weight_row_);
    return weight_row_.data() + feature % 4 * stride_;
}

// Leaves below every root: what phase two begins with.
template <class Lane>
void DepthTwo<Lane>::start_roots(SideArrays& arrays) const {
    arrays.right.assign(arrays.stride, 0);
    arrays.left.assign(arrays.stride, 0);
    for (std::size_t root = 0; root < arrays.n_features; ++root) {
        const auto [right, left] = leaf_values(arrays, root);
        arrays.right[root] = right;
        arrays.left[root] = left;
    }
}

// Both phases strip by strip, from a root on. When the limits stop it, the values of all roots are
// those of the children seen so far.
template <class Lane>
void DepthTwo<Lane>::solve_strips(const Packed& packed,
                                  SideArrays& arrays,
                                  std::size_t& next_root,
                                  Limits& limits) {
    if (next_root == 0) start_roots(arrays);
    std::size_t n_words = 0;
    for (const kernels::Segment& segment : packed.counted) n_words += segment.n_words;
    const std::size_t of_row = n_counts() * stride_ * sizeof(Lane);
    const std::size_t n_rows =
        std::min({max_strip_rows,
                  rows_at_once(std::min(n_words, strip_words)),
                  std::max<std::size_t>(strip_bytes_ / (of_row + 1) / 4, 1) * 4});
    const auto solve =
        objective_.is_signed() ? kernels_->strip_two_class : kernels_->strip_multi_class;
    strip_.resize(n_rows * of_row / sizeof(Lane));
    while (next_root < arrays.n_features && limits.keep_going()) {
        const std::size_t last = std::min(next_root + n_rows, stride_);
        const std::size_t from = next_root / kernels::feature_block * kernels::feature_block;
        count_block(packed,
                    packed.counted,
                    n_counts(),
                    {next_root, last, from, (last - next_root) * stride_},
                    strip_words,
                    limits,
                    strip_.data());
        if (limits.stopped()) return;
        solve({strip_.data(),
               objective_.n_counts(),
               next_root,
               last,
               arrays.n_features,
               stride_,
               side_of(arrays, true),
               n_sizes_,
               min_sizes_.data()});
        next_root = last;
    }
}

template <class Lane>
void DepthTwo<Lane>::solve_parts_in_strips(std::array<bool, 2> wanted, Limits& limits) {
    for (const int side : {0, 1}) {
        const auto index = static_cast<std::size_t>(side);
        if (!wanted[index] || limits.stopped()) continue;
        row_numbers(side, smaller_rows_);
        pack_smaller();
        std::size_t next_root = 0;
        solve_strips(smaller_packed_, sides_[index], next_root, limits);
    }
}

}  // namespace murtree
