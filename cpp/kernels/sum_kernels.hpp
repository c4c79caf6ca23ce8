// The kernels of summed problems, whose rows carry numbers that are added (see
// objectives/sums.hpp): sums for every pair of features, and phase two of the depth-two algorithm.
//
// All numbers are integers below 2^53, so that sums of doubles are exact in any order and every
// variant returns the same result. Features are padded to `stride`, a multiple of 32. A row of a
// pair matrix is filled from the block of eight on its diagonal: sums[i][j] for j >= i / 8 * 8, up
// to the block of the last feature.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murtree::kernels {

// How sums are converted into the value of a leaf, which is maximised.
enum class SumKind : std::uint8_t {
    two_labels,  // one column: |sum|
    labels,      // one column per label: - the minimum
    squares,     // weight and target: ceil(target^2 x (1 / weight) x unit)
    gini,        // weight and those of all classes but the first: see kernels/impurity.hpp
    log_loss,    // the same
};

struct SummedRows {
    static constexpr std::uint32_t none = ~0u;

    const std::uint32_t* bits;  // row_words words per row, plus one word at the end
    std::size_t row_words;
    std::size_t n_features;
    const std::uint32_t* before;  // by feature: an earlier one whose sums are reused, or none
    const std::size_t* starts;    // by feature from first_row on: index of its first row in `rows`
    const std::uint32_t* rows;    // row numbers
    const double* values;         // n_columns per row
    std::size_t n_columns;
    std::size_t stride;
    std::size_t first_row;    // the feature of the first row of each matrix
    std::size_t matrix_size;  // distance between the sums of two columns
};

// Phase two for one set of rows; with a `parent`, for the parent's rows without those of `sums`.
// The matrix may be processed in parts, each once, starting with the first feature's part.
struct SumPhaseTwo {
    SumKind kind;
    double unit;           // of squared errors and impurities
    double per_error;      // of impurities: units for each unit of misclassified weight
    std::size_t n_paired;  // columns that determine the value; the sizes follow them
    std::size_t n_sizes;   // number of sizes with a minimum
    const double* min_sizes;
    const double* sums;       // columns x rows of the matrix x stride
    const double* parent;     // the same for the parent, or null
    std::size_t first;        // the matrix rows are those of the features from here ...
    std::size_t last;         // ... to before here
    std::size_t matrix_size;  // distance between the sums of two columns
    const double* singles;    // columns x stride: of each feature
    const double* totals;     // by column
    const double* prices;     // of a split, by feature, as a value
    std::size_t n_features;
    std::size_t stride;
    double* right_leaf;  // stride: value of the rows with each feature as a leaf
    double* left_leaf;   // of those without it
    double* right;       // the same with one more split
    double* left;
};

struct SumKernels {
    // sums[column][i][j] = the sum over the rows with features i and j, for first <= i < last.
    void (*sum_pairs)(const SummedRows& rows, std::size_t first, std::size_t last, double* sums);
    void (*phase_two)(const SumPhaseTwo& task);
};

}  // namespace murtree::kernels
