// What is asked of a tree: the price of an error and of a node, the least sizes of a leaf, and the
// limits on depth and number of nodes.
//
// A cost is price_of_error x misclassified weight (beyond the unavoidable) + price_of_node x
// nodes, all in whole numbers: a real penalty is a fixed-point number (the caller chooses the
// unit), and "the fewest nodes among the best trees" is a price of one unit for a node against more
// units for an error than any tree has nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "data/rows.hpp"

namespace murtree {

struct Task {
    std::int64_t price_of_error = 1;
    std::int64_t price_of_node = 0;
    LeastSizes least_sizes;
};

// Costs of the best trees of depth at most two with at most 0, 1, 2 and 3 nodes, in misclassified
// weight.
using DepthTwoCosts = std::array<std::int64_t, 4>;

// The cheapest number of nodes, at most `most`, of a tree of depth two; the smaller of equals.
inline std::uint32_t cheapest_size(const DepthTwoCosts& costs,
                                   std::uint32_t most,
                                   const Task& task) {
    std::uint32_t best = 0;
    const auto cost = [&](std::uint32_t nodes) {
        return costs[nodes] * task.price_of_error + nodes * task.price_of_node;
    };
    for (std::uint32_t nodes = 1; nodes <= std::min(most, 3u); ++nodes)
        if (cost(nodes) < cost(best)) best = nodes;
    return best;
}

struct Budget {
    std::uint32_t depth;
    std::uint32_t nodes;

    static constexpr std::uint32_t max_depth = 255;
    // More than a tree of any data here can have; also what the cache has room for.
    static constexpr std::uint32_t max_nodes = (1u << 20) - 1;

    static constexpr std::uint32_t most_nodes(std::uint32_t depth) {
        return depth >= 20 ? max_nodes : (1u << depth) - 1;
    }
};

// Several questions at once: at most `first`, ..., at most `last` nodes.
struct Range {
    std::uint32_t depth;
    std::uint32_t first;
    std::uint32_t last;

    std::size_t size() const { return last - first + 1; }
};

}  // namespace murtree
