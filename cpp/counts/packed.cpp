#include "counts/packed.hpp"

#include <algorithm>

namespace murtree {
namespace {

// Words are counted in chunks of this many bytes, which stay in the second-level cache while every
// block of features is counted; the limits are checked between chunks.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;

// The longest time spent counting without checking the limits: ten milliseconds.
constexpr std::size_t picoseconds_at_once = 10'000'000'000;

template <class Lane>
constexpr std::size_t word_bytes =
    sizeof(typename Packed<Lane>::Word) + sizeof(typename Packed<Lane>::Splat);

template <class Lane>
std::uint32_t words_for(std::size_t n_rows) {
    return static_cast<std::uint32_t>((n_rows + kernels::rows_per_word<Lane> - 1) /
                                      kernels::rows_per_word<Lane>);
}

}  // namespace

template <class Lane>
void Packed<Lane>::pack(const Rows& rows,
                        std::span<const std::uint32_t> row_numbers,
                        const CountLayout& layout,
                        bool every_segment) {
    n_features = rows.n_features;
    stride = rows.stride();
    const std::size_t most_words =
        row_numbers.size() / kernels::rows_per_word<Lane> + rows.segments.size();
    words.resize(most_words * stride);
    if constexpr (!std::is_same_v<Word, Splat>) other_splats.resize(most_words * stride);
    segments.clear();
    std::size_t word = 0;
    std::uint32_t end = 0;
    const std::uint32_t* next = row_numbers.data();
    const std::uint32_t* const last = next + row_numbers.size();
    for (const RowSegment& segment : rows.segments) {
        end += segment.n_rows;
        const std::uint32_t* const beyond = std::lower_bound(next, last, end);
        const auto n_rows = static_cast<std::size_t>(beyond - next);
        const std::uint32_t* const first = std::exchange(next, beyond);
        if (!every_segment && (n_rows == 0 || !layout.counts(segment))) continue;
        kernels->pack({rows.bits.data(), rows.row_words, first, n_rows},
                      words.data() + word * stride,
                      splats() + word * stride);
        segments.push_back(layout.segment(segment, words_for<Lane>(n_rows)));
        word += words_for<Lane>(n_rows);
    }
}

template <class Lane>
bool Packed<Lane>::is_large(std::size_t n_rows, std::size_t stride) {
    return n_rows * stride * word_bytes<Lane> > chunk_bytes * kernels::rows_per_word<Lane>;
}

template <class Lane>
std::size_t Packed<Lane>::rows_at_once(std::size_t n_words) const {
    const std::size_t of_row = n_words * stride * kernels->pair_picoseconds + 1;
    return std::max<std::size_t>(picoseconds_at_once / of_row / 4, 1) * 4;
}

template <class Lane>
void Packed<Lane>::count_pairs(const Segments& counted,
                               std::size_t n_counts,
                               Limits& limits,
                               Lane* counts) const {
    const std::size_t chunk =
        std::max<std::size_t>(16, chunk_bytes / (stride * word_bytes<Lane> + 1));
    count_block(counted, n_counts, kernels::PairBlock::whole(stride), chunk, limits, counts);
}

template <class Lane>
void Packed<Lane>::count_block(const Segments& counted,
                               std::size_t n_counts,
                               const kernels::PairBlock& block,
                               std::size_t chunk,
                               Limits& limits,
                               Lane* counts) const {
    Segments part;  // segments of the chunk, the last one possibly truncated
    std::size_t first = 0;
    std::size_t n_words = 0;
    const auto flush = [&] {
        const kernels::PackedRows<Lane> rows{words.data() + first * stride,
                                             splats() + first * stride,
                                             part.data(),
                                             part.size(),
                                             n_features,
                                             stride};
        const std::size_t step = rows_at_once(n_words);
        for (std::size_t i = block.first; i < block.last; i += step) {
            const std::size_t last = std::min(i + step, block.last);
            kernels->count_pairs(rows,
                                 n_counts,
                                 {i, last, block.from, block.matrix_size},
                                 counts + (i - block.first) * stride,
                                 first > 0);
            if (!limits.keep_going(counting_work(stride, chunk) *
                                   static_cast<std::int64_t>(last - i) /
                                   static_cast<std::int64_t>(stride)))
                return false;
        }
        first += n_words;
        n_words = 0;
        part.clear();
        return true;
    };
    for (kernels::Segment segment : counted)
        for (std::uint32_t rest = segment.n_words; rest > 0; rest -= segment.n_words) {
            segment.n_words =
                static_cast<std::uint32_t>(std::min<std::size_t>(rest, chunk - n_words));
            part.push_back(segment);
            n_words += segment.n_words;
            if (n_words == chunk && !flush()) return;
        }
    if (n_words > 0 || first == 0) flush();
}

template struct Packed<std::int16_t>;
template struct Packed<std::int32_t>;
template struct Packed<std::int64_t>;

}  // namespace murtree
