// The two parts of a node that is split by a feature: their rows, and their best trees of depth
// two. Part of depth_two.cpp.
#pragma once

#include <algorithm>
#include <utility>

#include "depth_two/depth_two_counts.ipp"

namespace murtree {

template <class Lane>
Part DepthTwo<Lane>::part(int side) const {
    const Fingerprint& fingerprint = fingerprints_[feature_];
    return {side == 1 ? fingerprint : whole_fingerprint_ ^ fingerprint, leaf_cost(side, feature_)};
}

template <class Lane>
void DepthTwo<Lane>::row_numbers(int side, std::vector<std::uint32_t>& numbers) const {
    numbers.resize(n_rows(side) + 16);
    kernels_->list_rows({packed_.words.data() + feature_,
                         stride_,
                         first_rows_.size(),
                         first_rows_.data(),
                         valid_.data()},
                        side == 1,
                        numbers.data());
    numbers.resize(n_rows(side));
}

template <class Lane>
void DepthTwo<Lane>::list_smaller() {
    smaller_ = 2 * n_rows(1) <= rows_->n_rows() ? 1 : 0;
    row_numbers(smaller_, smaller_rows_);
}

template <class Lane>
void DepthTwo<Lane>::pack_smaller() {
    smaller_packed_.counted.clear();
    const std::size_t most_words =
        smaller_rows_.size() / kernels::rows_per_word<Lane> + rows_->segments.size();
    smaller_packed_.resize(most_words * stride_);
    std::size_t word = 0;
    std::uint32_t end = 0;
    const std::uint32_t* next = smaller_rows_.data();
    const std::uint32_t* const last = next + smaller_rows_.size();
    for (const RowSegment& segment : rows_->segments) {
        end += segment.n_rows;
        const std::uint32_t* const beyond = std::lower_bound(next, last, end);
        const auto n_rows = static_cast<std::size_t>(beyond - next);
        const std::uint32_t* const first = std::exchange(next, beyond);
        if (n_rows == 0 || !is_counted(segment)) continue;
        kernels_->pack(rows_->bits.data(),
                       rows_->row_words,
                       first,
                       n_rows,
                       smaller_packed_.words.data() + word * stride_,
                       smaller_packed_.splats() + word * stride_);
        smaller_packed_.counted.push_back(counted(segment, words_for<Lane>(n_rows)));
        word += words_for<Lane>(n_rows);
    }
}

// The counts of single features in a part stand in the pair counts of the whole.
template <class Lane>
void DepthTwo<Lane>::prepare_side(int side, SideArrays& arrays) {
    const PairRow pairs = pairs_with(feature_);
    arrays.n_features = rows_->n_features;
    arrays.stride = stride_;
    arrays.singles.resize(n_counts() * stride_);
    arrays.totals.resize(n_counts());
    for (std::size_t k = 0; k < n_counts(); ++k) {
        const Lane* with = pairs.row + k * pairs.matrix_size;
        const Lane* whole = whole_.singles.data() + k * stride_;
        Lane* singles = arrays.singles.data() + k * stride_;
        if (side == 1)
            std::copy(with, with + stride_, singles);
        else
            for (std::size_t j = 0; j < stride_; ++j)
                singles[j] = static_cast<Lane>(whole[j] - with[j]);
        arrays.totals[k] =
            side == 1 ? whole[feature_] : static_cast<Lane>(whole_.totals[k] - whole[feature_]);
    }
}

template <class Lane>
void DepthTwo<Lane>::solve_parts(std::array<bool, 2> wanted,
                                 bool all_budgets,
                                 Limits& limits,
                                 std::array<DepthTwoCosts, 2>& costs) {
    for (int side = 0; side < 2; ++side)
        if (wanted[static_cast<std::size_t>(side)])
            prepare_side(side, sides_[static_cast<std::size_t>(side)]);
    if (is_in_strips_) {
        solve_parts_in_strips(wanted, limits);
    } else if (counting_ == Counting::incremental) {
        solve_incremental_parts(wanted);
    } else {
        list_smaller();
        if (splits_sparsely(wanted))
            solve_sparse_parts(wanted, limits);
        else
            solve_dense_parts(wanted, limits);
    }
    if (limits.stopped()) {
        is_loaded_ = is_in_strips_;  // the counts may be in pieces
        return;
    }
    const std::array<std::int64_t, 2> weights{weight_ - weight_with_[feature_],
                                              weight_with_[feature_]};
    for (std::size_t side = 0; side < 2; ++side)
        if (wanted[side]) costs[side] = costs_of(sides_[side], weights[side], all_budgets);
}

template <class Lane>
void DepthTwo<Lane>::solve_dense_parts(std::array<bool, 2> wanted, Limits& limits) {
    pack_smaller();
    const auto own = static_cast<std::size_t>(smaller_);
    const bool is_large = smaller_rows_.size() * stride_ * (sizeof(Word) + sizeof(Splat)) >
                          chunk_bytes * kernels::rows_per_word<Lane>;
    if (is_large || is_sized())
        solve_counted_parts(wanted, limits);
    else
        run({view(smaller_packed_, smaller_packed_.counted),
             pairs_.data(),
             objective_.n_counts(),
             side_of(sides_[own], wanted[own]),
             side_of(sides_[1 - own], wanted[1 - own])});
}

// Rows too many for the cache are counted first, in chunks, rather than within phase two; so are
// all where leaves have a least size.
template <class Lane>
void DepthTwo<Lane>::solve_counted_parts(std::array<bool, 2> wanted, Limits& limits) {
    const auto own = static_cast<std::size_t>(smaller_);
    part_pairs_.resize(n_counts() * stride_ * stride_);
    count_pairs(smaller_packed_, smaller_packed_.counted, n_counts(), limits, part_pairs_.data());
    if (limits.stopped()) return;
    if (wanted[own]) solve_from_counts(part_pairs_.data(), sides_[own]);
    if (!wanted[1 - own]) return;
    for (std::size_t k = 0; k < part_pairs_.size(); ++k)
        part_pairs_[k] = static_cast<Lane>(pairs_[k] - part_pairs_[k]);
    solve_from_counts(part_pairs_.data(), sides_[1 - own]);
}

// Sparse counting makes the smaller part once, among the features it has, which saves most of phase
// two: about two words' time on Nina_colic. The larger part it makes and undoes. With a least size
// dense counting is not fused with phase two and loses more; those numbers are cautious guesses.
// About half of the last word of a segment is empty.
template <class Lane>
bool DepthTwo<Lane>::splits_sparsely(std::array<bool, 2> wanted) const {
    const auto own = static_cast<std::size_t>(smaller_);
    const std::size_t n_rows = smaller_rows_.size();
    CountingTimes times{
        n_rows, 0, n_rows / kernels::rows_per_word<Lane> + rows_->segments.size() / 2 + 1};
    if (wanted[own]) {
        times.half_updates += 3;
        times.n_words += is_sized() ? 8 : 2;
    }
    if (wanted[1 - own]) {
        times.half_updates += 4;
        times.n_words += is_sized() ? 4 : 0;
    }
    return is_sparse(times);
}

// The larger part is counted in the place of the node: nothing but the updates is written, and they
// are undone.
template <class Lane>
void DepthTwo<Lane>::solve_sparse_parts(std::array<bool, 2> wanted, Limits& limits) {
    load_sparse();
    const auto own = static_cast<std::size_t>(smaller_);
    if (wanted[own]) solve_sparse_smaller();
    if (!wanted[1 - own]) return;
    add_sparse(smaller_rows_, -1, limits, pairs_.data());
    if (limits.stopped()) return;
    solve_from_counts(pairs_.data(), sides_[1 - own]);
    add_sparse(smaller_rows_, 1, limits, pairs_.data());
}

// Few of the features occur in a small part: only those are looked at.
template <class Lane>
void DepthTwo<Lane>::solve_sparse_smaller() {
    SideArrays& side = sides_[static_cast<std::size_t>(smaller_)];
    choose_features(side);
    chosen_.n_features = choice_.features.size();
    chosen_.stride = choice_.stride();
    chosen_.totals = side.totals;
    chosen_.singles.assign(n_counts() * chosen_.stride, 0);
    for (std::size_t k = 0; k < n_counts(); ++k)
        for (std::size_t j = 0; j < chosen_.n_features; ++j)
            chosen_.singles[k * chosen_.stride + j] =
                side.singles[k * stride_ + choice_.features[j]];
    part_pairs_.assign(n_counts() * chosen_.stride * chosen_.stride, 0);
    sparse_.add(smaller_rows_, choice_, part_pairs_.data());
    solve_from_counts(part_pairs_.data(), chosen_);
    std::swap(side, chosen_);
}

// Those that are not constant in the smaller part or, where leaves have a least size, that may
// split it. Every row that is left of its group has attainable weight beside it, so that tells.
template <class Lane>
void DepthTwo<Lane>::choose_features(const SideArrays& side) {
    const Lane* const both = pair_weights_.data() + feature_ * stride_;
    const Lane* const sizes = side.singles.data() + objective_.n_counts() * stride_;
    const Lane* const all = side.totals.data() + objective_.n_counts();
    const auto weight = static_cast<Lane>(smaller_ == 1 ? weight_with_[feature_]
                                                        : weight_ - weight_with_[feature_]);
    choice_.features.clear();
    choice_.numbers.assign(stride_, FeatureChoice::none);
    for (std::uint32_t j = 0; j < rows_->n_features; ++j) {
        const auto with = static_cast<Lane>(smaller_ == 1 ? both[j] : weight_with_[j] - both[j]);
        const bool splits =
            is_sized() ? large_enough([&](std::size_t s) { return sizes[s * stride_ + j]; },
                                      [&](std::size_t s) { return all[s]; })
                       : with > 0 && with < weight;
        if (!splits) continue;
        choice_.numbers[j] = static_cast<std::uint32_t>(choice_.features.size());
        choice_.features.push_back(j);
    }
}

template <class Lane>
void DepthTwo<Lane>::solve_incremental_parts(std::array<bool, 2> wanted) {
    load_sparse();
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side]) continue;
        row_numbers(static_cast<int>(side), smaller_rows_);
        const Lane* const counts =
            incremental_.count(sparse_, smaller_rows_, n_counts() * stride_ * stride_);
        solve_from_counts(counts, sides_[side]);
    }
}

}  // namespace murtree
