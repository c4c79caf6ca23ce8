// Trees of depth two: their costs by number of nodes, and the choice among them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "requests/task.hpp"

namespace murtree {

// Costs of the best trees of depth at most two with at most 0, 1, 2 and 3 nodes, in misclassified
// weight.
using DepthTwoCosts = std::array<std::int64_t, 4>;

// The cheapest number of nodes, at most `most`, of a tree of depth two; the smallest among ties.
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

// A tree of depth two. Features are columns of the dataset, none for absent nodes.
struct DepthTwoTree {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t root = none;
    std::uint32_t left = none;   // splits the rows without the root feature
    std::uint32_t right = none;  // splits the rows with it
};

// Which sides of a root are split again.
struct SplitSides {
    bool with;     // split the rows with the root feature
    bool without;  // split the rows without it
};

// Among the trees that cost as little as the best with this many nodes, returns one with the fewest
// nodes, then the first by root. `cost` returns the cost of a root, given the sides that are split
// again.
template <class Algorithm, class Cost>
DepthTwoTree tree_of_cost(Algorithm& algorithm,
                          const DepthTwoCosts& costs,
                          std::size_t nodes,
                          Cost cost) {
    std::size_t fewest = 0;
    while (costs[fewest] > costs[nodes]) ++fewest;
    if (fewest == 0) return {};
    for (std::size_t root = 0; root < algorithm.n_features(); ++root) {
        if (!algorithm.may_split(root)) continue;
        for (const SplitSides split : {SplitSides{false, false},
                                       SplitSides{true, false},
                                       SplitSides{false, true},
                                       SplitSides{true, true}}) {
            const std::size_t n_nodes = 1 + std::size_t{split.with} + std::size_t{split.without};
            if (n_nodes != fewest || cost(root, split) != costs[fewest]) continue;
            return {algorithm.column(root),
                    split.without ? algorithm.best_child(root, false) : DepthTwoTree::none,
                    split.with ? algorithm.best_child(root, true) : DepthTwoTree::none};
        }
    }
    return {};
}

}  // namespace murtree
