// The kernels of the search over all thresholds: the extremes of prefix sums over rows that are
// sorted by a column, separately for the rows on either side of a test on another column.
//
// The rows are stored in `steps` x `lanes` order: lane i holds a contiguous part of the sorted
// rows, so that one vector addition advances the prefix sums of all lanes. The prefix sums of a
// lane start at the sum of the lanes before it, which is added at the end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/class_kernels.hpp"

namespace murtree::kernels {

// Sorted rows with a value each, and a code that tells on which side of a test they are.
template <class Value>
struct SortedRows {
    const std::uint8_t* codes;  // steps x lanes
    const Value* values;        // steps x lanes; 0 for padding
    const std::int8_t* ends;    // -1 where a threshold may follow the row, else 0; null: everywhere
    std::size_t steps;
};

// The highest and the lowest prefix sum, including the empty one. Sums between equal values of the
// column do not count.
struct Extremes {
    std::int64_t high = 0;
    std::int64_t low = 0;
};

struct SideExtremes {
    Extremes left;   // over the rows whose code is less than the given one
    Extremes right;  // over the other rows
};

struct StumpKernels {
    std::size_t lanes;
    SideExtremes (*signs)(const SortedRows<std::int8_t>& rows,
                          std::uint8_t first_right);  // -1 to 1
    SideExtremes (*sums)(const SortedRows<std::int64_t>& rows, std::uint8_t first_right);
    ClassKernels classes;
};

extern const StumpKernels stumps_portable;
extern const StumpKernels stumps_avx2;
extern const StumpKernels stumps_avx512;

}  // namespace murtree::kernels
