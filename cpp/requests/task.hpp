// The requirements on a tree: the price of an error and of a node, the minimum sizes of a leaf, and
// the limits on depth and number of nodes.
//
// A cost is price_of_error x misclassified weight (beyond the unavoidable) + price_of_node x nodes,
// in integers: a real-valued penalty is a fixed-point number (the caller chooses the unit), and
// "the fewest nodes among the best trees" is a price of one unit per node and of more units per
// error than any tree has nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "objectives/leaf_sizes.hpp"

namespace murtree {

struct Task {
    std::int64_t price_of_error = 1;
    std::int64_t price_of_node = 0;
    LeastSizes least_sizes;
};

struct Budget {
    std::uint32_t depth;
    std::uint32_t nodes;

    static constexpr std::uint32_t max_depth = 255;
    // More than any tree can have here; also the limit of a cache entry.
    static constexpr std::uint32_t max_nodes = (1u << 20) - 1;

    static constexpr std::uint32_t most_nodes(std::uint32_t depth) {
        return depth >= 20 ? max_nodes : (1u << depth) - 1;
    }
};

// Several requests at once: at most `first`, ..., at most `last` nodes.
struct Range {
    std::uint32_t depth;
    std::uint32_t first;
    std::uint32_t last;

    std::size_t size() const { return last - first + 1; }
};

}  // namespace murtree
