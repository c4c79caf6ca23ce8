#include "pareto/pair_counts.hpp"

#include <algorithm>
#include <numeric>

namespace murtree::pareto {
namespace {

// Words are counted in chunks of about this many bytes; between them the limits are looked at.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;

// Pairs counted for a word of rows in a unit of Limits, very roughly.
constexpr std::size_t pairs_per_work = 4096;

constexpr std::size_t strip_rows = 16;  // features whose pairs are in one strip

std::uint16_t kind_of(const RowSegment& segment) {
    return segment.is_size() ? std::uint16_t{2} : segment.label;
}

}  // namespace

template <class Lane>
void PairCounts<Lane>::load(const Rows& rows,
                            const LeastSizes& least,
                            std::size_t pair_bytes,
                            Limits& limits) {
    rows_ = &rows;
    least_ = least;
    n_kinds_ = least.of[n_original_rows] > 0 ? 3 : 2;
    stride_ = rows.stride();
    totals_ = {};
    for (const RowSegment& segment : rows.segments)
        totals_[kind_of(segment)] += std::int64_t{segment.n_rows} << segment.shift;
    std::vector<std::uint32_t> all(rows.n_rows());
    std::iota(all.begin(), all.end(), 0u);
    is_in_strips_ = 2 * n_kinds_ * stride_ * stride_ * sizeof(Lane) > pair_bytes;
    if (is_in_strips_)
        start_strips(all, singles_);
    else
        count(all, limits, pairs_);
    if (limits.stopped()) return;
    if (!is_in_strips_) find_singles(pairs_, singles_);
    fingerprints_.resize(stride_);
    kernels::active()->fingerprints(
        rows.bits.data(), rows.row_words, rows.n_rows(), rows.keys.data(), fingerprints_.data());
    whole_ = {};
    for (const Fingerprint& key : rows.keys) whole_ ^= key;
}

template <class Lane>
CountsView<Lane> PairCounts<Lane>::view_of(const Counts& pairs,
                                           const Counts& singles,
                                           const std::array<std::int64_t, 3>& totals) const {
    const auto apart = [&](const Counts& counts, std::size_t size) {
        std::array<const Lane*, 3> kinds{};
        for (std::size_t kind = 0; kind < n_kinds_; ++kind)
            kinds[kind] = counts.data() + kind * size;
        return kinds;
    };
    return {rows_->features,
            stride_,
            apart(pairs, (is_in_strips_ ? strip_rows : stride_) * stride_),
            0,
            is_in_strips_ ? 0 : stride_,
            apart(singles, stride_),
            totals,
            least_};
}

// They stand on the diagonal.
template <class Lane>
void PairCounts<Lane>::find_singles(const Counts& pairs, Counts& singles) const {
    singles.resize(n_kinds_ * stride_);
    for (std::size_t kind = 0; kind < n_kinds_; ++kind)
        for (std::size_t j = 0; j < stride_; ++j)
            singles[kind * stride_ + j] = pairs[(kind * stride_ + j) * stride_ + j];
}

// Makes ready to count the pairs of these rows in strips.
template <class Lane>
void PairCounts<Lane>::start_strips(std::span<const std::uint32_t> row_numbers, Counts& singles) {
    pack_all(row_numbers);
    singles.assign(n_kinds_ * stride_, Lane{0});
    lane_->count_singles(
        {words_.data(), splats_.data(), packed_.data(), packed_.size(), rows_->n_features, stride_},
        singles.data());
    pairs_.resize(n_kinds_ * strip_rows * stride_);
}

template <class Lane>
void PairCounts<Lane>::pack_all(std::span<const std::uint32_t> row_numbers) {
    constexpr std::size_t word_rows = kernels::rows_per_word<Lane>;
    const std::size_t most_words = row_numbers.size() / word_rows + rows_->segments.size();
    words_.resize(most_words * stride_);
    splats_.resize(most_words * stride_);
    packed_.clear();
    std::size_t n_words = 0;
    auto next = row_numbers.begin();
    std::uint32_t end = 0;
    for (const RowSegment& segment : rows_->segments) {
        end += segment.n_rows;
        const auto beyond = std::lower_bound(next, row_numbers.end(), end);
        if (kind_of(segment) >= n_kinds_) break;  // sizes come last, and nobody asks
        if (next == beyond) continue;
        pack(segment, {next, beyond}, n_words);
        n_words += packed_.back().n_words;
        next = beyond;
    }
}

template <class Lane>
void PairCounts<Lane>::go_on(CountsView<Lane>& view) {
    view.first = view.last;
    view.last = std::min(view.first + strip_rows, stride_);
    lane_->count_pairs(
        {words_.data(), splats_.data(), packed_.data(), packed_.size(), rows_->n_features, stride_},
        n_kinds_,
        {view.first, view.last, 0, strip_rows * stride_},
        pairs_.data(),
        false);
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
        kernels::PairBlock::whole(stride_),
        pairs.data(),
        true);
    packed_.clear();
    return limits.keep_going(
        static_cast<std::int64_t>(stride_ * stride_ * (n_words + 1) / pairs_per_work));
}

template <class Lane>
void PairCounts<Lane>::count_parts(std::size_t feature, Limits& limits) {
    feature_ = feature;
    if (is_in_strips_) return;
    std::vector<std::uint32_t> numbers = row_numbers(feature, 1);
    counted_side_ = 2 * numbers.size() <= rows_->n_rows() ? 1 : 0;
    if (counted_side_ == 0) numbers = row_numbers(feature, 0);
    is_sibling_ = false;
    count(numbers, limits, part_);
}

template <class Lane>
CountsView<Lane> PairCounts<Lane>::part(int side) {
    if (is_in_strips_) {
        start_strips(row_numbers(feature_, side), part_singles_);
    } else if ((side != counted_side_) != is_sibling_) {
        using Count = std::make_unsigned_t<Lane>;  // see CountsView
        for (std::size_t k = 0; k < part_.size(); ++k)
            part_[k] =
                static_cast<Lane>(static_cast<Count>(pairs_[k]) - static_cast<Count>(part_[k]));
        is_sibling_ = !is_sibling_;
    }
    if (!is_in_strips_) find_singles(part_, part_singles_);
    std::array<std::int64_t, 3> totals{};
    const CountsView<Lane> node = view();
    for (std::size_t kind = 0; kind < n_kinds_; ++kind) {
        const std::int64_t with = node.single(kind, feature_);
        totals[kind] = side == 1 ? with : totals_[kind] - with;
    }
    return view_of(is_in_strips_ ? pairs_ : part_, part_singles_, totals);
}

template class PairCounts<std::int16_t>;
template class PairCounts<std::int32_t>;
template class PairCounts<std::int64_t>;

}  // namespace murtree::pareto
