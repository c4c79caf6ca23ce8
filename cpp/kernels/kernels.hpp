// The counting kernels of the depth-two solver: one table of function pointers per instruction set,
// chosen once at load. Raw words and counts only; nothing here knows about trees. Every variant
// returns identical numbers.
//
// Layout shared by all of them. Features are padded to `stride`, a multiple of 32. The rows of a
// subset are packed into lanes: bit b of words[w * stride + j] is feature j of the b-th row of word
// w. Words come in segments; all rows of a segment have the same class and the same weight,
// 2^shift. Padding bits are zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {

inline constexpr std::size_t feature_block = 32;  // features are padded to a multiple of this
inline constexpr std::size_t alignment =
    64;  // bytes; every array handed to a kernel starts at such an address

// A lane holds a signed count. `Word` is the same lane read as bits of rows; `Splat` is a word in
// the form the vector units broadcast from memory without a shuffle (a 16-bit word is stored twice
// in 32 bits).
template <class Lane>
struct LaneTraits;
template <>
struct LaneTraits<std::int16_t> {
    using Word = std::uint16_t;
    using Splat = std::uint32_t;
    using Cost = std::int32_t;
    using Weight = std::int16_t;
};
template <>
struct LaneTraits<std::int32_t> {
    using Word = std::uint32_t;
    using Splat = std::uint32_t;
    using Cost = std::int32_t;
    using Weight = std::int32_t;
};
template <>
struct LaneTraits<std::int64_t> {
    using Word = std::uint64_t;
    using Splat = std::uint64_t;
    using Cost = std::int64_t;
    using Weight = std::int64_t;
};
// Stands in the place of a lane where rows are not counted but summed up.
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
// Costs of trees: weights at their price, so wider than a lane.
template <class Lane>
using Cost = typename LaneTraits<Lane>::Cost;
// Weights of rows, by which parts bound each other.
template <class Lane>
using Weight = typename LaneTraits<Lane>::Weight;
template <class Lane>
inline constexpr std::size_t rows_per_word = sizeof(Lane) * 8;

// A random key of a row, or the exclusive-or of the keys of a set of rows.
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

struct Segment {
    std::uint32_t n_words;
    std::uint16_t shift;   // every row of the segment weighs 2^shift
    std::uint16_t column;  // which count it goes to: the class, or 0
    std::int32_t
        sign;  // +1 or -1: two classes are counted as one signed difference; 0: passed over
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

// One column of packed words, to be turned into a list of rows.
template <class Lane>
struct Column {
    const Word<Lane>* words;  // of the feature; the next word is a stride away
    std::size_t stride;
    std::size_t n_words;
    const std::uint32_t* first_rows;  // of each word
    const Word<Lane>* valid;          // of each word: which bits are rows
};

// One side of a split in phase two of the depth-two algorithm: what is known of it (singles,
// totals) and where the answers go. For a root feature j, `right[j]` is the best value for the rows
// with j = 1 when they are split once more, `left[j]` the same for the rows with j = 0. With two
// classes a value is a margin, the sum over leaves of |class 1 - class 0|; with more it is the
// weight classified right. Both are to be maximised.
template <class Lane>
struct Side {
    const Lane* singles;  // n_counts x stride: count of each feature
    const Lane* totals;   // n_counts
    Lane* right;          // stride; null: this side is not wanted
    Lane* left;           // stride
};

// `own` are the packed rows themselves, `sibling` the parent's other rows: parent - own. No rows at
// all (and no own side) is phase two of the parent from its counts.
template <class Lane>
struct PhaseTwo {
    PackedRows<Lane> rows;
    const Lane* parent;  // n_counts x stride x stride pair counts of the parent; may be null
                         // without a sibling
    std::size_t n_counts;
    Side<Lane> own;
    Side<Lane> sibling;
};

// Phase two where leaves have least sizes, from counts made before. The sizes are more counts, the
// last ones, beside the n_counts of the classes: in `counts` and in the side's singles and totals.
// A value of the side is that of at most one split, whose leaves are large enough.
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

// Which pairs (i, j) to count, and where: counts[column * matrix_size + (i - first) * stride + j].
struct PairBlock {
    std::size_t first;        // i, from here ...
    std::size_t last;         // ... to before here; multiples of four
    std::size_t from;         // j, from here to the end; a multiple of feature_block
    std::size_t matrix_size;  // from the counts of one column to those of the next

    static PairBlock whole(std::size_t stride) { return {0, stride, 0, stride * stride}; }
};

// Phase two from the counts of a few rows of the matrix: feature i against all j from its block of
// features on. Each may be the root and the other its child, so that going over all i once is
// enough. Raises `right` and `left` of the side, which begin with the values of leaves. Sizes are
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

// Lower bounds of the parts D(not f) and D(f) of every feature f of a node, and how much weight
// they share with the rows with a feature g (see search/similarity.hpp).
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

// Of D(not g) and D(g).
template <class Lane>
struct PartBounds {
    Cost<Lane> without;
    Cost<Lane> with;
};

template <class Lane>
struct LaneKernels {
    // Time to count a word of rows for one pair of features; measured, see DepthTwo.
    std::size_t pair_picoseconds;
    // Packs n_rows rows, given by their numbers in row_bits (row_words 32-bit words a row), into
    // words and splats.
    void (*pack)(const std::uint32_t* row_bits,
                 std::size_t row_words,
                 const std::uint32_t* row_numbers,
                 std::size_t n_rows,
                 Word<Lane>* words,
                 Splat<Lane>* splats);
    // Writes the numbers of the rows with the feature (or without it), ascending, and returns how
    // many there are. The list needs room for 16 more.
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
    // Phase two with the pair counts made on the way: n_counts is 1 (signed difference of two
    // classes).
    void (*two_class)(const PhaseTwo<Lane>& task);
    // Phase two for any number of classes, one count each.
    void (*multi_class)(const PhaseTwo<Lane>& task);
    // The same two where leaves have least sizes.
    void (*sized_two_class)(const SizedPhaseTwo<Lane>& task);
    void (*sized_multi_class)(const SizedPhaseTwo<Lane>& task);
    // Phase two strip by strip, with or without least sizes.
    void (*strip_two_class)(const StripPhaseTwo<Lane>& task);
    void (*strip_multi_class)(const StripPhaseTwo<Lane>& task);
    // What the parts of all features say about those of one.
    PartBounds<Lane> (*similarity_bounds)(const SimilarParts<Lane>& parts);
    // bounds[k] = the larger of bounds[k] and others[k] - lost, for n of them.
    void (*raise_bounds)(Cost<Lane>* bounds,
                         const Cost<Lane>* others,
                         Cost<Lane> lost,
                         std::size_t n);
};

struct Table {
    const char* name;
    LaneKernels<std::int16_t> lane16;
    LaneKernels<std::int32_t> lane32;
    // For each feature the exclusive-or of the keys of the rows that have it.
    void (*fingerprints)(const std::uint32_t* row_bits,
                         std::size_t row_words,
                         std::size_t n_rows,
                         const Fingerprint* keys,
                         Fingerprint* by_feature);
    // Keeps of the rows with these numbers only the bits in `mask`, closed up: row_words words in,
    // out_words words out (padded by zero).
    void (*compress)(const std::uint32_t* row_bits,
                     std::size_t row_words,
                     const std::uint32_t* row_numbers,
                     std::size_t n_rows,
                     const std::uint32_t* mask,
                     std::uint32_t* out,
                     std::size_t out_words);
    SumKernels sums;
};

// Table::fingerprints without vector instructions.
void plain_fingerprints(const std::uint32_t* row_bits,
                        std::size_t row_words,
                        std::size_t n_rows,
                        const Fingerprint* keys,
                        Fingerprint* by_feature);

// Plain loops on every machine: weights that need such lanes are rare.
extern const LaneKernels<std::int64_t> lane64;
extern const Table portable;
extern const Table avx2;
extern const Table avx512;

// The tables this machine can run, best first, ended by null.
const Table* const* available();

// The table in use: the best available one, or the one named by MURTREE_KERNEL. Null if that name
// is unknown or this machine cannot run it.
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
