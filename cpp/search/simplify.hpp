// Removal of redundant nodes: a node is replaced by a leaf, or by one of its two subtrees, if that
// costs no more for the rows of the node.
#pragma once

#include "data/dataset.hpp"
#include "requests/tree.hpp"

namespace murtree {

// A tree with no higher cost and no more nodes, in which every such replacement increases the cost.
CountedTree simplified(CountedTree counted, const Dataset& data, const Task& task);

}  // namespace murtree
