// The kernels of summed problems, where rows carry numbers that are added up (see
// objectives/sums.hpp): sums for every pair of features, and phase two of the depth-two algorithm.
//
// All numbers are whole and below 2^53, so that sums of doubles are exact in any order and every
// variant returns the same. Features are padded to `stride`, a multiple of 32, and a matrix of
// pairs is filled from the eight that its diagonal is in: sums[i][j] for j >= i / 8 * 8, up to the
// eight of the last feature.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murtree::kernels {

// How sums become the value of a leaf, which is to be maximised.
enum class SumKind : std::uint8_t {
    two_labels,  // one column: |sum|
    labels,      // a column for each label: - the least of them
    squares,     // weight and target: ceil(target^2 x (1 / weight) x unit)
};

struct SummedRows {
    static constexpr std::uint32_t none = ~0u;

    const std::uint32_t* bits;  // row_words words a row, and one more word at the end
    std::size_t row_words;
    std::size_t n_features;
    const std::uint32_t* before;  // of each feature, an earlier one that its sums begin with; none
    const std::size_t* starts;    // of each from first_row on, where its rows begin in `rows`
    const std::uint32_t* rows;    // numbers of rows
    const double* values;         // n_columns a row
    std::size_t n_columns;
    std::size_t stride;
    std::size_t first_row;    // the feature whose sums are first in each matrix
    std::size_t matrix_size;  // from the sums of one column to those of the next
};

// Phase two for one set of rows. With a `parent` it is the parent's rows without those of `sums`.
// A part of the matrix is enough at a time, if each is seen once, the first feature's part first.
struct SumPhaseTwo {
    SumKind kind;
    double unit;           // of squares
    std::size_t n_paired;  // columns that make the value; the sizes come after them
    std::size_t n_sizes;   // that a leaf has a least of
    const double* min_sizes;
    const double* sums;       // columns x rows of the matrix x stride
    const double* parent;     // the same of the parent; may be null
    std::size_t first;        // the rows of the matrix are those of features from here ...
    std::size_t last;         // ... to before here
    std::size_t matrix_size;  // from the sums of one column to those of the next
    const double* singles;    // columns x stride: of each feature
    const double* totals;     // by column
    const double* prices;     // of a split, by feature, as a value
    std::size_t n_features;
    std::size_t stride;
    double* right_leaf;  // stride: value of the rows with each feature as a leaf
    double* left_leaf;   // of those without it
    double* right;       // the same with one split more
    double* left;
};

struct SumKernels {
    // sums[column][i][j] = the sum over the rows with features i and j, for first <= i < last.
    void (*sum_pairs)(const SummedRows& rows, std::size_t first, std::size_t last, double* sums);
    void (*phase_two)(const SumPhaseTwo& task);
};

}  // namespace murtree::kernels
