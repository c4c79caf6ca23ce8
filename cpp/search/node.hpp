// The state of a node while it is searched. A slot is a request: slot s is for at most first + s
// nodes.
//
// The requests and the counts of the rows (DepthTwo) are constant during a visit; bounds only
// increase and incumbents only become cheaper; everything else is temporary data of one pass.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "data/aligned.hpp"
#include "requests/task.hpp"
#include "search/cache_lookup.hpp"
#include "search/problem.hpp"
#include "search/root_bounds.hpp"

namespace murtree {

// The requests to a node.
struct NodeRequests {
    Range range{};
    Fingerprint branch;
    std::int64_t leaf_cost = 0;
    Costs upper;  // by slot: the largest useful cost of the tree

    std::size_t n_slots() const { return range.size(); }
    std::size_t slot_of(std::uint32_t nodes) const {
        return nodes <= range.first ? 0
                                    : std::min(std::size_t{nodes - range.first}, range.size() - 1);
    }
};

// The bounds and incumbents of a node.
struct NodeBounds {
    Costs known;                        // by slot: a lower bound
    Outcomes best;                      // by slot: the incumbent; its `lower` is its cost
    Costs root_lower;                   // by slot and feature: a bound for trees with this root
    std::uint32_t shallower_depth = 0;  // depth of the last pass, and ...
    Costs shallower;                    // ... by slot a lower bound for that depth ...
    std::size_t shallower_last = 0;     // ... which covers the slots up to this one
    std::array<Costs, 2> two_costs;     // of the parts, by feature: for two and three nodes in two
                                        // levels

    // A tree for fewer nodes is also valid for more.
    void share_best() {
        for (std::size_t slot = 1; slot < best.size(); ++slot)
            if (best[slot - 1].lower < best[slot].lower) best[slot] = best[slot - 1];
    }
};

// Bounds of a pass for the two parts of each feature, by number of nodes.
template <class Lane>
struct PartsKnown {
    std::uint32_t fewest = 0;  // a part has at least this many nodes, and ...
    std::uint32_t most = 0;    // ... at most this many
    std::size_t stride = 0;
    std::array<AlignedVector<kernels::Cost<Lane>>, 2> lower;  // by nodes - fewest and feature
    std::array<std::vector<std::uint8_t>, 2> solved;          // whether the bound is the optimum
    RootBounds<kernels::Weight<Lane>> root_bounds;            // the bounds by root of the parts

    void start(std::uint32_t fewest_nodes, std::uint32_t most_nodes, std::size_t n_columns) {
        fewest = fewest_nodes;
        most = most_nodes;
        stride = n_columns;
        for (std::size_t side = 0; side < 2; ++side) {
            lower[side].assign(size(), 0);
            solved[side].assign(size(), 0);
        }
    }
    std::size_t n_sizes() const { return most - fewest + 1; }
    std::size_t size() const { return n_sizes() * stride; }
    std::size_t index(std::uint32_t nodes, std::size_t feature) const {
        return (nodes - fewest) * stride + feature;
    }
    // A solved part keeps its optimum, which bounds exceed only by rounding (see Sums).
    void raise(std::size_t side, std::size_t index, std::initializer_list<std::int64_t> bounds) {
        if (solved[side][index] != 0) return;
        kernels::Cost<Lane>& known = lower[side][index];
        for (const std::int64_t bound : bounds)
            if (known < bound) known = static_cast<kernels::Cost<Lane>>(bound);
    }
};

// Temporary data of a pass over the features.
struct Pass {
    std::uint32_t depth = 0;
    std::size_t first_slot = 0;
    std::size_t last_slot = 0;
    Costs upper;  // by slot, like those of the requests and of the bounds, but for this depth
    Costs known;
    bool completed = false;       // every feature has been tried
    bool learns = false;          // whether bounds by root are kept for the parts
    bool learned = false;         // whether `scores` has bounds for every root
    Costs limit;                  // by slot: the largest useful cost; negative: closed
    Costs refined;                // by slot: the minimum bound over the features tried
    Costs bound;                  // by slot: the bound with the current feature at the root
    std::array<Costs, 2> wanted;  // by nodes - fewest: the largest cost for which a part is solved
    Costs scores;                 // by slot and feature: the bound for trees with this root
    std::size_t last_score = 0;   // the slot whose scores order the features of the next pass
    std::vector<std::uint32_t> order;
    std::vector<std::pair<std::int64_t, std::uint32_t>> ranking;  // used to sort the features
    std::array<std::vector<std::uint32_t>, 2> twins;              // see find_twins()
};

}  // namespace murtree
