// A greedy tree over all cuts, as the first upper bound: each node takes the cut with the lowest
// Gini impurity. The class of a row is its cheapest label, its weight is its reach.
#pragma once

#include <cstdint>
#include <optional>

#include "thresholds/search.hpp"

namespace murtree::thresholds {

// With a given chain at the root, if there is one.
CutTree greedy_tree(const Table& table,
                    const Prices& prices,
                    Budget budget,
                    Limits& limits,
                    std::optional<std::uint32_t> root = {});

}  // namespace murtree::thresholds
