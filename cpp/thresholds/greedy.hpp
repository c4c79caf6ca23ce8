// A greedy tree over all cuts, as the first upper bound: each node takes the cut with the lowest
// Gini impurity. The class of a row is its cheapest label, its weight is its reach.
#pragma once

#include "thresholds/search.hpp"

namespace murtree::thresholds {

CutTree greedy_tree(const Table& table, const Prices& prices, Budget budget, Limits& limits);

// The cost of a tree.
Cost cost_of(const CutTree& tree, const Table& table, const Prices& prices);

}  // namespace murtree::thresholds
