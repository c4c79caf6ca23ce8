// The kernels of the search over all thresholds for rows of several classes: the most rows that the
// two leaves of a test can have in common with their classes, over all thresholds of a column,
// separately for the rows on either side of a test on another column.
//
// The sorted rows are divided into words of 16 rows, `lanes` words to a group. A word of a class
// has one bit for each row, the first row lowest. All counts of rows fit into 16 bits, because they
// start at 0 again in each part of 16,384 rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murtree::kernels {

inline constexpr std::size_t rows_of_word = 16;
inline constexpr std::size_t words_of_part = 1024;

// All rows of a set, sorted. Padding belongs to no class.
struct ClassRows {
    std::size_t n_words;  // with padding, a multiple of the lanes
    std::size_t n_classes;
    const std::uint16_t* members;  // groups x classes x lanes: the rows of the class
    const std::uint16_t* before;   // likewise: how many of them are before the word, in its part
    const std::uint16_t* ends;     // by word: the rows after which there may be a threshold
    const std::uint32_t* parts;    // (parts + 1) x classes: the rows before the part
};

// A class on both sides of a test.
struct ClassState {
    std::uint32_t left_total = 0;  // rows left of the test
    std::uint32_t right_total = 0;
    std::uint32_t left_before = 0;  // those before the part
    // In the part: the first count of rows on the left, where 0 stands for a count too low to
    // matter; the count at which no row is left; and the same for the right side.
    std::uint16_t left_first, left_last, right_first, right_last;
    bool is_left, is_right;  // whether the class can be that of a leaf of the side
};

// Arrays that a scan writes to.
struct ClassScratch {
    ClassState* states;     // by class
    std::uint16_t* lefts;   // by word of a part: the rows on the left
    std::uint8_t* chosen;   // numbers of classes
    std::uint16_t* bounds;  // six for each word of a part
    std::uint16_t* counts;  // (words of a part + lanes) x classes
};

struct Agreement {
    std::int64_t left;
    std::int64_t right;
};

struct ClassKernels {
    std::size_t lanes;
    // Fills in members, before and parts for classes by row; padding has another class.
    void (*mark)(const std::uint8_t* classes,
                 const std::uint8_t* values,
                 std::size_t n_classes,
                 std::size_t n_words,
                 std::uint16_t* members,
                 std::uint16_t* before,
                 std::uint32_t* parts);
    // Fills in the ends for ranks by row, with one more.
    void (*mark_ends)(const std::uint32_t* ranks, std::size_t n_words, std::uint16_t* ends);
    // Rows with a code below the given one are on the left. The states have the totals of the left.
    Agreement (*scan)(const ClassRows& rows,
                      const std::uint8_t* codes,
                      std::uint8_t first_right,
                      const ClassScratch& scratch);
};

}  // namespace murtree::kernels
