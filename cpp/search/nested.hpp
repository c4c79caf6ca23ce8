// The best trees of depth two if the columns are many thresholds of a few variables, root by root
// in sorted order.
//
// Thresholds of one column are nested: a value above one is above all smaller ones. A row is thus
// described by its ranks, the number of thresholds of each column that it is above, and one pass
// over the rows gives the best test of every column. Counting pairs is quadratic in the number of
// thresholds; this takes that number times the rows, for the roots that are not pruned.
//
// Roots are pruned as in ConTree (Brita et al., AAAI 2025). Between roots u < v of one column, rows
// of total weight w change sides. A tree for root v costs at least that for u less w: the side that
// grows costs no less, and the other one saves at most the weight of the rows that leave it. For u
// < v < z the left side of v contains that of u, and the right side that of z: a tree for v costs
// at least the left part of u plus the right part of z. Both bounds hold for each number of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace murtree {

struct RankedRows {
    std::vector<std::span<const std::uint32_t>> ranks;  // by column: one rank per row
    std::vector<std::uint32_t> n_thresholds;            // by column; the maximum rank
    std::span<const std::int32_t> labels;
    std::span<const std::int64_t> weights;
    std::size_t n_classes = 2;
};

// True if the rank in the column is above the threshold's number.
struct RankedTest {
    std::uint32_t column = 0;
    std::uint32_t threshold = 0;
};

struct NestedAnswer {
    bool is_complete = false;             // false: it was stopped, and better trees may exist
    std::array<std::int64_t, 4> costs{};  // the minimum with at most 0, 1, 2, 3 nodes
    std::vector<RankedTest> tests;        // of a best tree for each number of nodes
    std::size_t n_roots = 0;              // number of roots not pruned
};

// `keep_going` is called before each root.
NestedAnswer best_nested(const RankedRows& rows, const std::function<bool()>& keep_going);

}  // namespace murtree
