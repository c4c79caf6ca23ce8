#include "counts/pair_counts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace murtree {
namespace {

// Rows are counted one by one in chunks of this many updates; the limits are checked between
// chunks.
constexpr std::size_t chunk_updates = std::size_t{1} << 19;
constexpr std::size_t updates_per_work = 128;  // per unit of Limits

// Half the time of one update of a count. The automatic choice between dense and sparse counting
// depends on this and on the kernels' pair_picoseconds. Both were fitted by linear regression to
// the times of all splits at the root of DL_anneal, DL_german-credit and Nina_colic, for every
// kernel and lane, and of Nina_australian, for the 16-bit lanes of AVX-512, on one Xeon. An update
// took 0.4 ns (49 features) to 0.8 ns (962); 0.75 ns suits the wide sets, where the choice matters.
constexpr std::size_t half_update_picoseconds = 375;

// Matrix rows in a strip, and words of rows counted at a time: the words of these features and
// those of one register stay in the first-level cache.
constexpr std::size_t max_strip_rows = kernels::feature_block;
constexpr std::size_t strip_words = 256;

}  // namespace

template <class Lane>
void PairCounts<Lane>::load(const Rows& rows, const CountRules& rules, Limits& limits) {
    is_loaded_ = false;
    whole_fingerprint_ = rows.fingerprint();
    rows_ = &rows;
    layout_ = rules.layout;
    counting_ = rules.counting;
    pair_bytes_ = rules.pair_bytes;
    weighs_ = rules.weighs;
    stride_ = rows.stride();
    all_rows_.resize(rows.n_rows());
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
    has_sparse_ = false;
    incremental_.clear();
    is_in_strips_ = matrix_bytes() > pair_bytes_;
    updates_per_row_ = sample_updates();
    pack_rows();
    if (!is_in_strips_) count_node_pairs(limits);
    count_totals();
    if (limits.stopped()) return;
    count_singles();
    count_rows();
    fingerprints_.resize(stride_);
    table_->fingerprints(
        rows.bits.data(), rows.row_words, rows.n_rows(), rows.keys.data(), fingerprints_.data());
    is_loaded_ = true;
}

// Memory for the matrices of all pairs: the counts of the node, its weights, and the counts of a
// part.
template <class Lane>
std::size_t PairCounts<Lane>::matrix_bytes() const {
    return (n_apart() + (weighs_ ? 1 : 0) + n_counts()) * stride_ * stride_ * sizeof(Lane);
}

// Also finds the first row of each word and the mask of its bits that are rows.
template <class Lane>
void PairCounts<Lane>::pack_rows() {
    packed_.pack(*rows_, all_rows_, layout_, true);
    weight_segments_.clear();
    row_segments_.clear();
    first_rows_.clear();
    valid_.clear();
    constexpr std::uint32_t word_rows = kernels::rows_per_word<Lane>;
    std::uint32_t row = 0;
    for (std::size_t s = 0; s < rows_->segments.size(); ++s) {
        const RowSegment& segment = rows_->segments[s];
        const std::uint32_t n_words = packed_.segments[s].n_words;
        if (!segment.is_size())
            weight_segments_.push_back({n_words, segment.shift, 0, segment.attainable ? 1 : 0});
        row_segments_.push_back({n_words, 0, 0, 1});
        const std::uint32_t end = row + segment.n_rows;
        for (; row < end; row += word_rows) {
            first_rows_.push_back(row);
            const std::uint32_t missing = word_rows - std::min(word_rows, end - row);
            valid_.push_back(static_cast<Word>(static_cast<Word>(~Word{0}) >> missing));
        }
        row = end;
    }
}

template <class Lane>
void PairCounts<Lane>::count_node(const Segments& counted,
                                  std::size_t n_counts,
                                  Limits& limits,
                                  Lane* counts) {
    if (!is_sparse({rows_->n_rows(), 2, first_rows_.size()}))
        return packed_.count_pairs(counted, n_counts, limits, counts);
    load_sparse();
    sparse_.weigh(*rows_, counted);
    std::fill_n(counts, n_counts * stride_ * stride_, Lane{0});
    add_sparse(all_rows_, 1, limits, counts);
    sparse_.weigh(*rows_, packed_.segments);
}

// Counts two classes separately in one pass: their difference is the signed count, their sum the
// weight.
template <class Lane>
void PairCounts<Lane>::count_node_pairs(Limits& limits) {
    const std::size_t square = stride_ * stride_;
    pairs_.resize(n_apart() * square);
    if (weighs_) pair_weights_.resize(square);
    if (!layout_.is_signed()) {
        count_node(packed_.segments, n_counts(), limits, pairs_.data());
        if (weighs_) count_node(weight_segments_, 1, limits, pair_weights_.data());
        return;
    }
    const CountLayout apart = layout_.apart();
    Segments segments = packed_.segments;
    for (std::size_t s = 0; s < segments.size(); ++s)
        segments[s] = apart.segment(rows_->segments[s], segments[s].n_words);
    count_node(segments, n_apart(), limits, pairs_.data());
    Lane* const first = pairs_.data();
    Lane* const second = first + square;
    for (std::size_t k = 0; k < square; ++k) {
        pair_weights_[k] = static_cast<Lane>(first[k] + second[k]);
        first[k] = static_cast<Lane>(second[k] - first[k]);
    }
    std::copy(second + square, second + (1 + layout_.n_sizes()) * square, second);
}

template <class Lane>
void PairCounts<Lane>::count_totals() {
    totals_.assign(n_counts(), 0);
    weight_ = 0;
    for (std::size_t s = 0; s < rows_->segments.size(); ++s) {
        const RowSegment& segment = rows_->segments[s];
        const auto weight = static_cast<Lane>(std::int64_t{segment.n_rows} << segment.shift);
        if (segment.attainable) weight_ = less(weight_, less(Lane{0}, weight));
        const kernels::Segment& to = packed_.segments[s];
        Lane& total = totals_[to.column];
        if (to.sign > 0) total = less(total, less(Lane{0}, weight));
        if (to.sign < 0) total = less(total, weight);
    }
}

// The single counts are on the diagonal.
template <class Lane>
void PairCounts<Lane>::count_singles() {
    singles_.assign(n_counts() * stride_, 0);
    weight_with_.assign(stride_, 0);
    if (is_in_strips_) {
        kernels_->count_singles(packed_.view(), singles_.data());
        if (weighs_) kernels_->count_singles(packed_.view(weight_segments_), weight_with_.data());
        return;
    }
    for (std::size_t f = 0; f < n_features(); ++f) {
        if (weighs_) weight_with_[f] = pair_weights_[f * stride_ + f];
        for (std::size_t k = 0; k < n_counts(); ++k)
            singles_[k * stride_ + f] = pairs_[(k * stride_ + f) * stride_ + f];
    }
}

// Counts as many segments at a time as fit a lane. A lane holds the weight of each segment, hence
// its number of rows, but an unsigned lane may not hold the rows of all segments: a row of weight 3
// is two rows here.
template <class Lane>
void PairCounts<Lane>::count_rows() {
    constexpr std::uint64_t most = std::numeric_limits<std::make_unsigned_t<Lane>>::max();
    rows_with_.assign(stride_, 0);
    const std::size_t n_segments = row_segments_.size();
    for (std::size_t first = 0, last = 0; first < n_segments; first = last) {
        std::uint64_t n_rows = 0;
        for (; last < n_segments; ++last) {
            n_rows += rows_->segments[last].n_rows;
            if (n_rows > most && last > first) break;
        }
        for (std::size_t s = 0; s < n_segments; ++s)
            row_segments_[s].sign = first <= s && s < last ? 1 : 0;
        row_.assign(stride_, 0);
        kernels_->count_singles(packed_.view(row_segments_), row_.data());
        for (std::size_t f = 0; f < n_features(); ++f)
            rows_with_[f] +=
                static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<Lane>>(row_[f]));
    }
}

// Counts the four matrix rows of the feature's block, which the kernels count together.
template <class Lane>
void PairCounts<Lane>::count_row(std::size_t feature,
                                 const Segments& counted,
                                 std::size_t n_counts,
                                 Counts& rows) const {
    rows.resize(n_counts * 4 * stride_);
    const std::size_t first = feature / 4 * 4;
    kernels_->count_pairs(
        packed_.view(counted), n_counts, {first, first + 4, 0, 4 * stride_}, rows.data(), false);
}

template <class Lane>
PairRow<Lane> PairCounts<Lane>::pairs_with(std::size_t feature) {
    if (!is_in_strips_) return {pairs_.data() + feature * stride_, stride_ * stride_};
    count_row(feature, packed_.segments, n_counts(), row_);
    return {row_.data() + feature % 4 * stride_, 4 * stride_};
}

template <class Lane>
const Lane* PairCounts<Lane>::weights_with_both(std::size_t feature) {
    if (!is_in_strips_) return pair_weights_.data() + feature * stride_;
    count_row(feature, weight_segments_, 1, weight_row_);
    return weight_row_.data() + feature % 4 * stride_;
}

template <class Lane>
void PairCounts<Lane>::row_numbers(int side, std::vector<std::uint32_t>& numbers) const {
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
void PairCounts<Lane>::find_singles(int side, Counts& singles, Counts& totals) {
    const PairRow<Lane> pairs = pairs_with(feature_);
    singles.resize(n_counts() * stride_);
    totals.resize(n_counts());
    for (std::size_t k = 0; k < n_counts(); ++k) {
        const Lane* const with = pairs.row + k * pairs.matrix_size;
        const Lane* const whole = singles_.data() + k * stride_;
        Lane* const part = singles.data() + k * stride_;
        if (side == 1)
            std::copy(with, with + stride_, part);
        else
            for (std::size_t j = 0; j < stride_; ++j) part[j] = less(whole[j], with[j]);
        totals[k] = side == 1 ? whole[feature_] : less(totals_[k], whole[feature_]);
    }
}

template <class Lane>
void PairCounts<Lane>::choose_smaller() {
    smaller_ = 2 * n_rows(1) <= rows_->n_rows() ? 1 : 0;
    row_numbers(smaller_, part_rows_);
}

template <class Lane>
const Lane* PairCounts<Lane>::count_smaller(Limits& limits) {
    part_pairs_.resize(n_counts() * stride_ * stride_);
    part_packed_.count_pairs(part_packed_.segments, n_counts(), limits, part_pairs_.data());
    return part_pairs_.data();
}

template <class Lane>
const Lane* PairCounts<Lane>::count_sibling() {
    for (std::size_t k = 0; k < part_pairs_.size(); ++k)
        part_pairs_[k] = less(pairs_[k], part_pairs_[k]);
    return part_pairs_.data();
}

// Sparse counting computes the smaller part once, for the features that occur in it, which saves
// most of phase two: about the time of two words on Nina_colic. The counts of the larger part are
// made in place and undone. With a minimum leaf size dense counting is not fused with phase two and
// loses more; those numbers are conservative guesses. On average half of the last word of a segment
// is empty.
template <class Lane>
bool PairCounts<Lane>::counts_sparsely(std::array<bool, 2> wanted) const {
    const auto own = static_cast<std::size_t>(smaller_);
    const bool is_sized = layout_.n_sizes() > 0;
    const std::size_t n_rows = part_rows_.size();
    CountingTimes times{
        n_rows, 0, n_rows / kernels::rows_per_word<Lane> + rows_->segments.size() / 2 + 1};
    if (wanted[own]) {
        times.half_updates += 3;
        times.n_words += is_sized ? 8 : 2;
    }
    if (wanted[1 - own]) {
        times.half_updates += 4;
        times.n_words += is_sized ? 4 : 0;
    }
    return is_sparse(times);
}

template <class Lane>
const Lane* PairCounts<Lane>::count_smaller(const FeatureChoice& choice) {
    load_sparse();
    part_pairs_.assign(n_counts() * choice.stride() * choice.stride(), 0);
    sparse_.add(part_rows_, choice, part_pairs_.data());
    return part_pairs_.data();
}

template <class Lane>
const Lane* PairCounts<Lane>::count_incrementally(int side) {
    load_sparse();
    row_numbers(side, part_rows_);
    return incremental_.count(sparse_, part_rows_, n_counts() * stride_ * stride_);
}

template <class Lane>
std::size_t PairCounts<Lane>::strip_rows(const Packed<Lane>& packed) const {
    std::size_t n_words = 0;
    for (const kernels::Segment& segment : packed.segments) n_words += segment.n_words;
    const std::size_t of_row = n_counts() * stride_ * sizeof(Lane);
    return std::min({max_strip_rows,
                     packed.rows_at_once(std::min(n_words, strip_words)),
                     std::max<std::size_t>(pair_bytes_ / (of_row + 1) / 4, 1) * 4});
}

template <class Lane>
const Lane* PairCounts<Lane>::count_strip(const Packed<Lane>& packed,
                                          std::size_t first,
                                          std::size_t last,
                                          std::size_t from,
                                          Limits& limits) {
    const std::size_t size = (last - first) * stride_;
    part_pairs_.resize(n_counts() * size);
    packed.count_block(packed.segments,
                       n_counts(),
                       {first, last, from, size},
                       strip_words,
                       limits,
                       part_pairs_.data());
    return part_pairs_.data();
}

// The number of updates per row: its number of features squared, estimated from a few rows, plus a
// small constant.
template <class Lane>
std::size_t PairCounts<Lane>::sample_updates() const {
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
bool PairCounts<Lane>::is_sparse(const CountingTimes& times) const {
    if (counting_ != Counting::automatic) return counting_ != Counting::dense;
    return times.n_rows * updates_per_row_ * times.half_updates * half_update_picoseconds <
           times.n_words * stride_ * stride_ * kernels_->pair_picoseconds;
}

template <class Lane>
void PairCounts<Lane>::load_sparse() {
    if (has_sparse_) return;
    sparse_.load(*rows_);
    sparse_.weigh(*rows_, packed_.segments);
    has_sparse_ = true;
}

template <class Lane>
void PairCounts<Lane>::add_sparse(std::span<const std::uint32_t> row_numbers,
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

template class PairCounts<std::int16_t>;
template class PairCounts<std::int32_t>;
template class PairCounts<std::int64_t>;

}  // namespace murtree
