// The cost of a tree on the original data.
#pragma once

#include "data/dataset.hpp"
#include "requests/tree.hpp"

namespace murtree {

// Passes every row of the original data through the tree, then replaces subtrees that cost no less
// than a leaf by a leaf.
CountedTree recount(const Tree& tree, const Dataset& data, const Task& task);

}  // namespace murtree
