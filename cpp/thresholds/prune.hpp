// Smaller trees from a large one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/search.hpp"

namespace murtree::thresholds {

struct PrunedTree {
    CutTree tree;
    Cost cost = 0;
};

// The trees that are left when tests are removed from the bottom, each time the one without which
// the cost grows least: the tree itself comes first, a leaf last.
std::vector<PrunedTree> pruned(const CutTree& tree,
                               const Table& table,
                               std::span<const std::uint32_t> rows,
                               const Prices& prices);

}  // namespace murtree::thresholds
