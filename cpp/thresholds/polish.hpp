// The last choice among equally good trees: nodes that are not needed are left out, and each test
// gets the cut in the widest gap between values.
#pragma once

#include "thresholds/search.hpp"

namespace murtree::thresholds {

// A tree that costs no more, with the same label at each leaf.
CutTree polished(CutTree tree, const Table& table, const Prices& prices);

}  // namespace murtree::thresholds
