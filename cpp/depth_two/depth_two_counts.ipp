// Phase one of the depth-two algorithm: the pair counts of a node. Part of depth_two.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "depth_two/depth_two.hpp"

namespace murtree {
namespace {

template <class Lane>
std::uint32_t words_for(std::size_t n_rows) {
    return static_cast<std::uint32_t>((n_rows + kernels::rows_per_word<Lane> - 1) /
                                      kernels::rows_per_word<Lane>);
}

// Words are counted in chunks of this many bytes, which stay in the second-level cache while every
// block of features goes over them; between chunks the limits are looked at.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;

// The same for rows counted one by one.
constexpr std::size_t chunk_updates = std::size_t{1} << 19;
constexpr std::size_t updates_per_work = 128;  // in a unit of Limits

// Half the time of one update of a count. The automatic choice between dense and sparse counting
// rests on this and on the pair_picoseconds of the kernels. Both come from straight lines through
// the times of all splits at the root of DL_anneal, DL_german-credit and Nina_colic, by every
// kernel and lane, and of Nina_australian, by 16-bit lanes of AVX-512, on one Xeon. An update took
// 0.4 ns (49 features) to 0.8 ns (962); 0.75 ns suits the wide sets, where the choice matters.
constexpr std::size_t half_update_picoseconds = 375;

// Counting without a look at the limits takes about this long at most: ten milliseconds.
constexpr std::size_t picoseconds_at_once = 10'000'000'000;

}  // namespace

template <class Lane>
void DepthTwo<Lane>::load(const Rows& rows, const DepthTwoRules& rules, Limits& limits) {
    if (holds(rows)) return;
    is_loaded_ = false;
    whole_fingerprint_ = rows.fingerprint();
    next_root_ = 0;
    rows_ = &rows;
    objective_ = rules.objective;
    choose_sizes(rules.least_sizes);
    layout_ = CountLayout(objective_, rules.least_sizes);
    counting_ = rules.counting;
    stride_ = rows.stride();
    all_rows_.resize(rows.n_rows());
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
    has_sparse_ = false;
    incremental_.clear();
    is_in_strips_ = matrix_bytes() > rules.pair_bytes;
    strip_bytes_ = rules.pair_bytes;
    updates_per_row_ = sample_updates();
    pack_rows();
    count(limits);
    if (limits.stopped()) return;
    fingerprints_.resize(stride_);
    table_->fingerprints(
        rows.bits.data(), rows.row_words, rows.n_rows(), rows.keys.data(), fingerprints_.data());
    is_loaded_ = true;
}

// No lane holds more than its largest number: two such leaves there cannot be.
template <class Lane>
void DepthTwo<Lane>::choose_sizes(const LeastSizes& least) {
    n_sizes_ = 0;
    for (std::size_t kind = 0; kind < n_size_kinds; ++kind) {
        if (least.of[kind] == 0) continue;
        min_sizes_[n_sizes_] = static_cast<Lane>(
            std::min<std::int64_t>(least.of[kind], std::numeric_limits<Lane>::max()));
        ++n_sizes_;
    }
}

template <class Lane>
kernels::PackedRows<Lane> DepthTwo<Lane>::view(
    const Packed& packed, const std::vector<kernels::Segment>& segments) const {
    return {packed.words.data(),
            packed.splats(),
            segments.data(),
            segments.size(),
            rows_->n_features,
            stride_};
}

template <class Lane>
kernels::Segment DepthTwo<Lane>::counted(const RowSegment& segment, std::uint32_t n_words) const {
    return layout_.segment(segment, n_words);
}

// Lays the rows out in words, each segment beginning a new one.
template <class Lane>
void DepthTwo<Lane>::pack_rows() {
    packed_.counted.clear();
    weight_segments_.clear();
    row_segments_.clear();
    first_rows_.clear();
    valid_.clear();
    std::uint32_t row = 0;
    for (const RowSegment& segment : rows_->segments) {
        const std::uint32_t n_words = words_for<Lane>(segment.n_rows);
        packed_.counted.push_back(counted(segment, n_words));
        if (!segment.is_size())
            weight_segments_.push_back({n_words, segment.shift, 0, segment.attainable ? 1 : 0});
        row_segments_.push_back({n_words, 0, 0, 1});
        const std::uint32_t end = row + segment.n_rows;
        for (; row < end; row += kernels::rows_per_word<Lane>) {
            first_rows_.push_back(row);
            const std::uint32_t missing =
                kernels::rows_per_word<Lane> -
                std::min<std::uint32_t>(kernels::rows_per_word<Lane>, end - row);
            valid_.push_back(static_cast<Word>(static_cast<Word>(~Word{0}) >> missing));
        }
        row = end;
    }
    packed_.resize(first_rows_.size() * stride_);
    std::size_t word = 0;
    const std::uint32_t* next = all_rows_.data();
    for (const RowSegment& segment : rows_->segments) {
        kernels_->pack(rows_->bits.data(),
                       rows_->row_words,
                       next,
                       segment.n_rows,
                       packed_.words.data() + word * stride_,
                       packed_.splats() + word * stride_);
        next += segment.n_rows;
        word += words_for<Lane>(segment.n_rows);
    }
}

template <class Lane>
void DepthTwo<Lane>::count_pairs(const Packed& packed,
                                 const std::vector<kernels::Segment>& segments,
                                 std::size_t n_counts,
                                 Limits& limits,
                                 Lane* counts) const {
    const std::size_t chunk =
        std::max<std::size_t>(16, chunk_bytes / (stride_ * (sizeof(Word) + sizeof(Splat)) + 1));
    count_block(
        packed, segments, n_counts, kernels::PairBlock::whole(stride_), chunk, limits, counts);
}

// Rows of the matrix that so many words of rows are counted for before the limits are looked at.
template <class Lane>
std::size_t DepthTwo<Lane>::rows_at_once(std::size_t n_words) const {
    const std::size_t of_row = n_words * stride_ * kernels_->pair_picoseconds + 1;
    return std::max<std::size_t>(picoseconds_at_once / of_row / 4, 1) * 4;
}

template <class Lane>
void DepthTwo<Lane>::count_block(const Packed& packed,
                                 const std::vector<kernels::Segment>& segments,
                                 std::size_t n_counts,
                                 const kernels::PairBlock& block,
                                 std::size_t chunk,
                                 Limits& limits,
                                 Lane* counts) const {
    std::vector<kernels::Segment> part;  // segments of the chunk, the last one perhaps cut
    std::size_t first = 0;
    std::size_t n_words = 0;
    const auto flush = [&] {
        const kernels::PackedRows<Lane> rows{packed.words.data() + first * stride_,
                                             packed.splats() + first * stride_,
                                             part.data(),
                                             part.size(),
                                             rows_->n_features,
                                             stride_};
        const std::size_t step = rows_at_once(n_words);
        for (std::size_t i = block.first; i < block.last; i += step) {
            const std::size_t last = std::min(i + step, block.last);
            kernels_->count_pairs(rows,
                                  n_counts,
                                  {i, last, block.from, block.matrix_size},
                                  counts + (i - block.first) * stride_,
                                  first > 0);
            if (!limits.keep_going(work_of(stride_, chunk) * static_cast<std::int64_t>(last - i) /
                                   static_cast<std::int64_t>(stride_)))
                return false;
        }
        first += n_words;
        n_words = 0;
        part.clear();
        return true;
    };
    for (kernels::Segment segment : segments)
        for (std::uint32_t rest = segment.n_words; rest > 0; rest -= segment.n_words) {
            segment.n_words =
                static_cast<std::uint32_t>(std::min<std::size_t>(rest, chunk - n_words));
            part.push_back(segment);
            n_words += segment.n_words;
            if (n_words == chunk && !flush()) return;
        }
    if (n_words > 0 || first == 0) flush();
}

// The number of updates for a row: its features squared, from a few rows, and a little for the row
// itself.
template <class Lane>
std::size_t DepthTwo<Lane>::sample_updates() const {
    constexpr std::size_t n_sampled = 32;
    constexpr std::size_t for_a_row = 8;
    const std::size_t n_rows = rows_->n_rows();
    const std::size_t step = n_rows / n_sampled + 1;
    std::size_t sum = 0;
    for (std::size_t row = 0; row < n_rows; row += step) {
        std::size_t n_ones = 0;
        for (std::size_t k = 0; k < rows_->row_words; ++k)
            n_ones +=
                static_cast<std::size_t>(std::popcount(rows_->bits[row * rows_->row_words + k]));
        sum += n_ones * n_ones;
    }
    return n_rows == 0 ? for_a_row : for_a_row + sum * step / n_rows;
}

template <class Lane>
bool DepthTwo<Lane>::is_sparse(const CountingTimes& times) const {
    if (counting_ != Counting::automatic) return counting_ != Counting::dense;
    return times.n_rows * updates_per_row_ * times.half_updates * half_update_picoseconds <
           times.n_words * stride_ * stride_ * kernels_->pair_picoseconds;
}

template <class Lane>
void DepthTwo<Lane>::load_sparse() {
    if (has_sparse_) return;
    sparse_.load(*rows_);
    sparse_.weigh(*rows_, packed_.counted);
    has_sparse_ = true;
}

template <class Lane>
void DepthTwo<Lane>::add_sparse(std::span<const std::uint32_t> row_numbers,
                                int times,
                                Limits& limits,
                                Lane* counts) const {
    const std::size_t chunk = chunk_updates / updates_per_row_ + 1;
    while (!row_numbers.empty() && !limits.stopped()) {
        const std::size_t n = std::min(chunk, row_numbers.size());
        sparse_.add(row_numbers.first(n), times, counts);
        row_numbers = row_numbers.subspan(n);
        limits.keep_going(static_cast<std::int64_t>(n * updates_per_row_ / updates_per_work));
    }
}

template <class Lane>
void DepthTwo<Lane>::count_node(const std::vector<kernels::Segment>& segments,
                                std::size_t n_counts,
                                Limits& limits,
                                Lane* counts) {
    if (!is_sparse({rows_->n_rows(), 2, first_rows_.size()}))
        return count_pairs(packed_, segments, n_counts, limits, counts);
    load_sparse();
    sparse_.weigh(*rows_, segments);
    std::fill_n(counts, n_counts * stride_ * stride_, Lane{0});
    add_sparse(all_rows_, 1, limits, counts);
    sparse_.weigh(*rows_, packed_.counted);
}

// Two classes are counted apart in one go: their difference is the signed count, their sum the
// weight.
template <class Lane>
void DepthTwo<Lane>::count_node_pairs(Limits& limits) {
    const std::size_t square = stride_ * stride_;
    const std::size_t n_apart = n_counts() + (objective_.is_signed() ? 1 : 0);
    pairs_.resize(n_apart * square);
    pair_weights_.resize(square);
    if (!objective_.is_signed()) {
        count_node(packed_.counted, n_counts(), limits, pairs_.data());
        count_node(weight_segments_, 1, limits, pair_weights_.data());
        return;
    }
    std::vector<kernels::Segment> apart = packed_.counted;
    for (kernels::Segment& segment : apart) {
        if (segment.sign >= 0) ++segment.column;  // columns ascend, also where passed over
        if (segment.sign < 0) segment.sign = 1;
    }
    count_node(apart, n_apart, limits, pairs_.data());
    Lane* const first = pairs_.data();
    Lane* const second = first + square;
    for (std::size_t k = 0; k < square; ++k) {
        pair_weights_[k] = static_cast<Lane>(first[k] + second[k]);
        first[k] = static_cast<Lane>(second[k] - first[k]);
    }
    if (is_sized()) std::copy(second + square, second + (1 + n_sizes_) * square, second);
}

template <class Lane>
void DepthTwo<Lane>::count(Limits& limits) {
    if (!is_in_strips_) count_node_pairs(limits);
    if (limits.stopped()) return;
    count_totals();
    count_singles();
    for (std::vector<std::int64_t>& costs : leaf_costs_) costs.resize(rows_->n_features);
    for (std::size_t f = 0; f < rows_->n_features; ++f) {
        const auto [right, left] = leaf_values(whole_, f);
        leaf_costs_[0][f] = objective_.cost(weight_ - weight_with_[f], left);
        leaf_costs_[1][f] = objective_.cost(weight_with_[f], right);
    }
}

template <class Lane>
void DepthTwo<Lane>::count_totals() {
    whole_.totals.assign(n_counts(), 0);
    weight_ = 0;
    for (const RowSegment& segment : rows_->segments) {
        const auto weight = static_cast<Lane>(std::int64_t{segment.n_rows} << segment.shift);
        if (segment.attainable) weight_ = static_cast<Lane>(weight_ + weight);
        const kernels::Segment to = counted(segment, 0);
        whole_.totals[to.column] = static_cast<Lane>(whole_.totals[to.column] + to.sign * weight);
    }
}

template <class Lane>
void DepthTwo<Lane>::count_singles() {
    rows_with_.assign(stride_, 0);
    kernels_->count_singles(view(packed_, row_segments_), rows_with_.data());
    whole_.n_features = rows_->n_features;
    whole_.stride = stride_;
    whole_.singles.assign(n_counts() * stride_, 0);
    weight_with_.assign(stride_, 0);
    if (is_in_strips_) {
        kernels_->count_singles(view(packed_, packed_.counted), whole_.singles.data());
        kernels_->count_singles(view(packed_, weight_segments_), weight_with_.data());
        return;
    }
    for (std::size_t f = 0; f < rows_->n_features; ++f) {
        weight_with_[f] = pair_weights_[f * stride_ + f];
        for (std::size_t k = 0; k < n_counts(); ++k)
            whole_.singles[k * stride_ + f] = pairs_[(k * stride_ + f) * stride_ + f];
    }
}

}  // namespace murtree
