// The best trees of depth two where columns are many thresholds of few: root by root, in order.
//
// Thresholds of one column are nested: a value above one is above all before it. So a row is told
// by its ranks, how many thresholds of each column it is above, and one pass over the rows gives
// the best test of every column at once. Counting pairs takes the square of the number of
// thresholds; this takes that number times the rows, for the roots that are not pruned.
//
// Roots are pruned as in ConTree (Brita et al., AAAI 2025). Between roots u < v of one column lie
// the rows that change sides. They weigh w: a tree for root v costs at least that for u less w, for
// the side that grows costs no less and the other saves at most the rows that leave it. And for
// u < v < z the left side of v contains that of u, the right side that of z: a tree for v costs at
// least the left part of u and the right part of z. Both hold for each number of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace murtree {

struct RankedRows {
    std::vector<std::span<const std::uint32_t>> ranks;  // by column: one a row
    std::vector<std::uint32_t> n_thresholds;            // by column; ranks are at most this
    std::span<const std::int32_t> labels;
    std::span<const std::int64_t> weights;
    std::size_t n_classes = 2;
};

// Yes where the rank in the column is above the threshold's number.
struct RankedTest {
    std::uint32_t column = 0;
    std::uint32_t threshold = 0;
};

struct NestedAnswer {
    bool is_complete = false;             // or it was stopped, and better trees may exist
    std::array<std::int64_t, 4> costs{};  // the least with at most 0, 1, 2, 3 nodes
    std::vector<RankedTest> tests;        // of a best tree for each number of nodes
    std::size_t n_roots = 0;              // that were not pruned
};

// `keep_going` is asked before each root.
NestedAnswer best_nested(const RankedRows& rows, const std::function<bool()>& keep_going);

}  // namespace murtree
