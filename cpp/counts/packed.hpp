// Rows packed into words for the kernels, and counts of the pairs of features in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "counts/count_layout.hpp"
#include "data/rows.hpp"
#include "requests/limits.hpp"

namespace murtree {

// Approximate time to count the pairs of a table with this many features, in units of Limits.
inline std::int64_t counting_work(std::size_t stride, std::size_t n_words) {
    return static_cast<std::int64_t>((stride * stride * n_words >> 14) + 1);
}

template <class Lane>
struct Packed {
    using Word = kernels::Word<Lane>;
    using Splat = kernels::Splat<Lane>;
    using Segments = std::vector<kernels::Segment>;

    explicit Packed(const kernels::LaneKernels<Lane>& lane_kernels) : kernels(&lane_kernels) {}

    const kernels::LaneKernels<Lane>* kernels;
    std::size_t n_features = 0;
    std::size_t stride = 0;
    AlignedVector<Word> words;
    AlignedVector<Splat> other_splats;  // empty if a splat is a word
    Segments segments;                  // which count each word adds to

    // Packs the rows with these numbers (ascending); each segment starts a new word. Segments that
    // are not counted or empty are left out, unless all are requested.
    void pack(const Rows& rows,
              std::span<const std::uint32_t> row_numbers,
              const CountLayout& layout,
              bool every_segment);

    kernels::PackedRows<Lane> view(const Segments& counted) const {
        return {words.data(), splats(), counted.data(), counted.size(), n_features, stride};
    }
    kernels::PackedRows<Lane> view() const { return view(segments); }

    // Writes the counts of all pairs for these segments. If the limits stop it, the counts must not
    // be used.
    void count_pairs(const Segments& counted,
                     std::size_t n_counts,
                     Limits& limits,
                     Lane* counts) const;
    // The same for a block of pairs, a given number of words at a time.
    void count_block(const Segments& counted,
                     std::size_t n_counts,
                     const kernels::PairBlock& block,
                     std::size_t chunk,
                     Limits& limits,
                     Lane* counts) const;

    // Number of matrix rows that are counted over these words between checks of the limits.
    std::size_t rows_at_once(std::size_t n_words) const;

    // Whether this many rows do not fit the second-level cache.
    static bool is_large(std::size_t n_rows, std::size_t stride);

  private:
    const Splat* splats() const {
        if constexpr (std::is_same_v<Word, Splat>)
            return words.data();
        else
            return other_splats.data();
    }
    Splat* splats() { return const_cast<Splat*>(std::as_const(*this).splats()); }
};

}  // namespace murtree
