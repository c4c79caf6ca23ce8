// Trees without nodes that nobody needs: where a leaf, or one of the two subtrees, would do as well
// for all rows of a node as the node does, it takes the node's place.
#pragma once

#include "data/dataset.hpp"
#include "requests/tree.hpp"

namespace murtree {

// A tree that costs no more, with no more nodes, in which every such change costs more.
CountedTree simplified(CountedTree counted, const Dataset& data, const Task& task);

}  // namespace murtree
