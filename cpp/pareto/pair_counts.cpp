#include "pareto/pair_counts.hpp"

#include <algorithm>
#include <numeric>

namespace murtree::pareto {
namespace {

// Words are counted in chunks of about this many bytes; between them the limits are looked at.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;

// Pairs counted for a word of rows in a unit of Limits, very roughly.
constexpr std::size_t pairs_per_work = 4096;

std::uint16_t kind_of(const RowSegment& segment) {
    return segment.is_size() ? std::uint16_t{2} : segment.label;
}

}  // namespace

template <class Lane>
void PairCounts<Lane>::load(const Rows& rows, std::int64_t min_size, Limits& limits) {
    rows_ = &rows;
    min_size_ = min_size;
    n_kinds_ = min_size > 1 ? 3 : 2;
    stride_ = rows.stride();
    totals_ = {};
    for (const RowSegment& segment : rows.segments)
        totals_[kind_of(segment)] += std::int64_t{segment.n_rows} << segment.shift;
    std::vector<std::uint32_t> all(rows.n_rows());
    std::iota(all.begin(), all.end(), 0u);
    count(all, limits, pairs_);
    fingerprints_.resize(stride_);
    kernels::active()->fingerprints(
        rows.bits.data(), rows.row_words, rows.n_rows(), rows.keys.data(), fingerprints_.data());
    whole_ = {};
    for (const Fingerprint& key : rows.keys) whole_ ^= key;
}

template <class Lane>
CountsView<Lane> PairCounts<Lane>::view_of(const Counts& pairs,
                                           const std::array<std::int64_t, 3>& totals) const {
    const std::size_t square = stride_ * stride_;
    return {
        rows_->features,
        stride_,
        {pairs.data(), pairs.data() + square, n_kinds_ == 3 ? pairs.data() + 2 * square : nullptr},
        totals,
        min_size_};
}

template <class Lane>
std::vector<std::uint32_t> PairCounts<Lane>::row_numbers(std::size_t feature, int side) const {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t row = 0; row < rows_->n_rows(); ++row)
        if (rows_->value(row, feature) == static_cast<std::size_t>(side)) numbers.push_back(row);
    return numbers;
}

template <class Lane>
std::int64_t PairCounts<Lane>::work() const {
    return static_cast<std::int64_t>(stride_ * stride_ / pairs_per_work *
                                     (rows_->n_rows() / kernels::rows_per_word<Lane> / 2 + 8));
}

template <class Lane>
void PairCounts<Lane>::count(std::span<const std::uint32_t> row_numbers,
                             Limits& limits,
                             Counts& pairs) {
    constexpr std::size_t word_rows = kernels::rows_per_word<Lane>;
    const std::size_t word_bytes =
        stride_ * (sizeof(kernels::Word<Lane>) + sizeof(kernels::Splat<Lane>)) + 1;
    const std::size_t chunk = std::max<std::size_t>(16, chunk_bytes / word_bytes);  // words
    pairs.assign(n_kinds_ * stride_ * stride_, Lane{0});
    words_.resize(chunk * stride_);
    splats_.resize(chunk * stride_);
    packed_.clear();
    std::size_t n_words = 0;
    const std::uint32_t* next = row_numbers.data();
    const std::uint32_t* const last = next + row_numbers.size();
    std::uint32_t end = 0;
    for (const RowSegment& segment : rows_->segments) {
        end += segment.n_rows;
        const std::uint32_t* const beyond = std::lower_bound(next, last, end);
        if (kind_of(segment) >= n_kinds_) break;  // sizes come last, and nobody asks
        while (next < beyond) {
            const std::size_t n =
                std::min((chunk - n_words) * word_rows, static_cast<std::size_t>(beyond - next));
            pack(segment, {next, n}, n_words);
            n_words += packed_.back().n_words;
            next += n;
            if (n_words < chunk) continue;
            if (!flush(n_words, limits, pairs)) return;
            n_words = 0;
        }
    }
    flush(n_words, limits, pairs);
}

// Lays rows of a segment out in words, from this one on.
template <class Lane>
void PairCounts<Lane>::pack(const RowSegment& segment,
                            std::span<const std::uint32_t> row_numbers,
                            std::size_t first_word) {
    constexpr std::size_t word_rows = kernels::rows_per_word<Lane>;
    lane_->pack(rows_->bits.data(),
                rows_->row_words,
                row_numbers.data(),
                row_numbers.size(),
                words_.data() + first_word * stride_,
                splats_.data() + first_word * stride_);
    const auto n_words =
        static_cast<std::uint32_t>((row_numbers.size() + word_rows - 1) / word_rows);
    packed_.push_back({n_words, segment.shift, kind_of(segment), 1});
}

// Counts the packed rows; whether to go on.
template <class Lane>
bool PairCounts<Lane>::flush(std::size_t n_words, Limits& limits, Counts& pairs) {
    lane_->count_pairs(
        {words_.data(), splats_.data(), packed_.data(), packed_.size(), rows_->n_features, stride_},
        n_kinds_,
        pairs.data(),
        true);
    packed_.clear();
    return limits.keep_going(
        static_cast<std::int64_t>(stride_ * stride_ * (n_words + 1) / pairs_per_work));
}

template <class Lane>
void PairCounts<Lane>::count_parts(std::size_t feature, Limits& limits) {
    feature_ = feature;
    std::vector<std::uint32_t> numbers = row_numbers(feature, 1);
    counted_side_ = 2 * numbers.size() <= rows_->n_rows() ? 1 : 0;
    if (counted_side_ == 0) numbers = row_numbers(feature, 0);
    is_sibling_ = false;
    count(numbers, limits, part_);
}

template <class Lane>
CountsView<Lane> PairCounts<Lane>::part(int side) {
    if ((side != counted_side_) != is_sibling_) {
        using Count = std::make_unsigned_t<Lane>;  // see CountsView
        for (std::size_t k = 0; k < part_.size(); ++k)
            part_[k] =
                static_cast<Lane>(static_cast<Count>(pairs_[k]) - static_cast<Count>(part_[k]));
        is_sibling_ = !is_sibling_;
    }
    std::array<std::int64_t, 3> totals{};
    const CountsView<Lane> node = view();
    for (std::size_t kind = 0; kind < n_kinds_; ++kind) {
        const std::int64_t with = node.single(kind, feature_);
        totals[kind] = side == 1 ? with : totals_[kind] - with;
    }
    return view_of(part_, totals);
}

template class PairCounts<std::int16_t>;
template class PairCounts<std::int32_t>;
template class PairCounts<std::int64_t>;

}  // namespace murtree::pareto
