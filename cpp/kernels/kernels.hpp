// The counting kernels of the depth-two solver: one table of function pointers per instruction set,
// selected once at load time. They operate on raw words and counts and are independent of trees.
// Every variant returns identical numbers.
//
// All variants share one layout. Features are padded to `stride`, a multiple of 32. The rows of a
// subset are packed into lanes: bit b of words[w * stride + j] is feature j of the b-th row of word
// w. Words are grouped in segments; all rows of a segment have the same class and the same weight,
// 2^shift. Padding bits are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/stump_kernels.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {

inline constexpr std::size_t feature_block = 32;  // features are padded to a multiple of this
inline constexpr std::size_t alignment = 64;  // bytes; alignment of every array passed to a kernel

// A lane holds a signed count. `Word` is the same lane read as bits of rows; `Splat` is a word in
// the form the vector units broadcast from memory without a shuffle (a 16-bit word is stored twice
// in 32 bits).
template <class Lane>
struct LaneTraits {
    static constexpr bool is_wide = sizeof(Lane) == 8;
    using Word = std::make_unsigned_t<Lane>;
    using Splat = std::conditional_t<is_wide, std::uint64_t, std::uint32_t>;
    using Cost = std::conditional_t<is_wide, std::int64_t, std::int32_t>;
    using Weight = Lane;
};
// Used instead of a lane type in summed problems.
struct Summed {};
template <>
struct LaneTraits<Summed> {
    using Cost = std::int64_t;
    using Weight = std::int64_t;
};
template <class Lane>
using Word = typename LaneTraits<Lane>::Word;
template <class Lane>
using Splat = typename LaneTraits<Lane>::Splat;
// Costs of trees: weights times their price, hence wider than a lane.
template <class Lane>
using Cost = typename LaneTraits<Lane>::Cost;
// Weights of rows, used to bound one part by another.
template <class Lane>
using Weight = typename LaneTraits<Lane>::Weight;
template <class Lane>
inline constexpr std::size_t rows_per_word = sizeof(Lane) * 8;

// A random key of a row, or the XOR of the keys of a set of rows.
struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    Fingerprint& operator^=(const Fingerprint& other) {
        high ^= other.high;
        low ^= other.low;
        return *this;
    }
    friend Fingerprint operator^(Fingerprint a, const Fingerprint& b) { return a ^= b; }
    bool operator==(const Fingerprint&) const = default;
};

// Some rows of a table of bits, by their numbers.
struct RowBits {
    const std::uint32_t* bits;  // row_words 32-bit words per row
    std::size_t row_words;
    const std::uint32_t* numbers;  // n_rows
    std::size_t n_rows;

    const std::uint32_t* operator[](std::size_t k) const {
        return bits + std::size_t{numbers[k]} * row_words;
    }
};

struct Segment {
    std::uint32_t n_words;
    std::uint16_t shift;   // every row of the segment weighs 2^shift
    std::uint16_t column;  // the count it is added to: the class, or 0
    std::int32_t sign;     // +1 or -1: two classes are counted as one signed difference; 0: skipped
};

// The rows of a subset, packed. `splats` holds the same bits as `words`.
template <class Lane>
struct PackedRows {
    const Word<Lane>* words;
    const Splat<Lane>* splats;
    const Segment* segments;
    std::size_t n_segments;
    std::size_t n_features;
    std::size_t stride;
};

// One column of packed words, to be converted into a list of rows.
template <class Lane>
struct Column {
    const Word<Lane>* words;  // of the feature; the next word is a stride away
    std::size_t stride;
    std::size_t n_words;
    const std::uint32_t* first_rows;  // of each word
    const Word<Lane>* valid;          // of each word: mask of the bits that are rows
};

// One side of a split in phase two of the depth-two algorithm: its known counts (singles, totals)
// and its results. For a root feature j, `right[j]` is the best value for the rows with j = 1 when
// they are split once more, `left[j]` the same for the rows with j = 0. With two classes a value is
// a margin, the sum over leaves of |class 1 - class 0|; with more classes it is the correctly
// classified weight. Both are maximised.
template <class Lane>
struct Side {
    const Lane* singles;  // n_counts x stride: count of each feature
    const Lane* totals;   // n_counts
    Lane* right;          // stride; null: this side is not wanted
    Lane* left;           // stride
};

// `own` are the packed rows themselves, `sibling` the other rows of the parent: parent - own. With
// no rows (and no own side) this is phase two of the parent, from its counts.
template <class Lane>
struct PhaseTwo {
    PackedRows<Lane> rows;
    const Lane* parent;  // n_counts x stride x stride pair counts of the parent; null
                         // without a sibling
    std::size_t n_counts;
    Side<Lane> own;
    Side<Lane> sibling;
};

// Phase two with any minimum leaf sizes, from existing counts. The sizes are additional counts that
// follow the n_counts of the classes, in `counts` and in the side's singles and totals. A value of
// the side is that of at most one split with large enough leaves.
template <class Lane>
struct SizedPhaseTwo {
    const Lane* counts;  // (n_counts + n_sizes) x stride x stride
    std::size_t n_counts;
    std::size_t n_features;
    std::size_t stride;
    Side<Lane> side;
    std::size_t n_sizes;
    const Lane* min_sizes;
};

// A block of pairs (i, j), counted in counts[column * matrix_size + (i - first) * stride + j].
struct PairBlock {
    std::size_t first;        // i, from here ...
    std::size_t last;         // ... to before here; multiples of four
    std::size_t from;         // j, from here to the end; a multiple of feature_block
    std::size_t matrix_size;  // distance between the counts of two columns

    static PairBlock whole(std::size_t stride) { return {0, stride, 0, stride * stride}; }
};

// Phase two from the counts of a few rows of the matrix: feature i against all j from its block of
// features on. Either may be the root and the other its child, so that one pass over all i is
// enough. Raises `right` and `left` of the side, which start with the values of leaves. Sizes are
// as in SizedPhaseTwo.
template <class Lane>
struct StripPhaseTwo {
    const Lane* counts;  // PairBlock{first, last, ..., (last - first) * stride}
    std::size_t n_counts;
    std::size_t first;
    std::size_t last;
    std::size_t n_features;
    std::size_t stride;
    Side<Lane> side;
    std::size_t n_sizes;
    const Lane* min_sizes;
};

// Lower bounds for the parts D(not f) and D(f) of every feature f of a node, and the weight they
// share with the rows with a feature g (see search/root_bounds.hpp).
template <class Lane>
struct SimilarParts {
    std::size_t n_features;
    const Cost<Lane>* lower_without;
    const Cost<Lane>* lower_with;
    const Lane* weight_with;       // by f
    const Lane* weight_with_both;  // f and g, by f
    Lane weight_with_g;
    Lane weight;       // of all rows
    Cost<Lane> price;  // of a unit of weight
};

// Bounds for D(not g) and D(g).
template <class Lane>
struct PartBounds {
    Cost<Lane> without;
    Cost<Lane> with;
};

template <class Lane>
struct LaneKernels {
    // Measured time to count a word of rows for one pair of features; see PairCounts.
    std::size_t pair_picoseconds;
    void (*pack)(const RowBits& rows, Word<Lane>* words, Splat<Lane>* splats);
    // Writes the numbers of the rows with the feature (or without it) in ascending order, and
    // returns their number. The list needs space for 16 more.
    std::size_t (*list_rows)(const Column<Lane>& column, bool with, std::uint32_t* row_numbers);
    // counts[column][j] += signed weight of the rows with feature j.
    void (*count_singles)(const PackedRows<Lane>& rows, Lane* counts);
    // counts[column][i][j] = signed weight of the rows with both features, for the pairs of the
    // block, or += that if `add`; column < n_counts.
    void (*count_pairs)(const PackedRows<Lane>& rows,
                        std::size_t n_counts,
                        const PairBlock& block,
                        Lane* counts,
                        bool add);
    // Phase two including the pair counts, for n_counts = 1 (the signed difference of two classes).
    void (*two_class)(const PhaseTwo<Lane>& task);
    // Phase two for any number of classes, with one count per class.
    void (*multi_class)(const PhaseTwo<Lane>& task);
    // The same two with minimum leaf sizes.
    void (*sized_two_class)(const SizedPhaseTwo<Lane>& task);
    void (*sized_multi_class)(const SizedPhaseTwo<Lane>& task);
    // Phase two strip by strip, with or without minimum sizes.
    void (*strip_two_class)(const StripPhaseTwo<Lane>& task);
    void (*strip_multi_class)(const StripPhaseTwo<Lane>& task);
    // Bounds for the parts of one feature from the parts of all features.
    PartBounds<Lane> (*similarity_bounds)(const SimilarParts<Lane>& parts);
    // bounds[k] = max(bounds[k], others[k] - lost), for n bounds.
    void (*raise_bounds)(Cost<Lane>* bounds,
                         const Cost<Lane>* others,
                         Cost<Lane> lost,
                         std::size_t n);
};

struct Table {
    const char* name;
    LaneKernels<std::int16_t> lane16;
    LaneKernels<std::int32_t> lane32;
    // For each feature, the XOR of the keys of the rows with that feature.
    void (*fingerprints)(const std::uint32_t* row_bits,
                         std::size_t row_words,
                         std::size_t n_rows,
                         const Fingerprint* keys,
                         Fingerprint* by_feature);
    // Extracts the bits in `mask` from these rows: row_words words in, out_words words out
    // (zero-padded).
    void (*compress)(const RowBits& rows,
                     const std::uint32_t* mask,
                     std::uint32_t* out,
                     std::size_t out_words);
    SumKernels sums;
    const StumpKernels& stumps;
};

// Table::fingerprints without vector instructions.
void plain_fingerprints(const std::uint32_t* row_bits,
                        std::size_t row_words,
                        std::size_t n_rows,
                        const Fingerprint* keys,
                        Fingerprint* by_feature);

// Plain loops on every machine, since weights that need such lanes are rare.
extern const LaneKernels<std::int64_t> lane64;
extern const Table portable;
extern const Table avx2;
extern const Table avx512;

// The tables supported by this machine, best first, null-terminated.
const Table* const* available();

// The table in use: the best available one, or the one named by MURTREE_KERNEL. Null if that name
// is unknown or not supported by this machine.
const Table* active();

template <class Lane>
const LaneKernels<Lane>& lane_kernels(const Table& table) {
    if constexpr (sizeof(Lane) == 2)
        return table.lane16;
    else if constexpr (sizeof(Lane) == 4)
        return table.lane32;
    else
        return lane64;
}

}  // namespace murtree::kernels
