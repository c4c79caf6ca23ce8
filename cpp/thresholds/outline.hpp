// A tree as the search finds it: its tests in preorder, where the cuts of stumps are still open.
// Most trees that are found are not the best in the end, so they must be cheap to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "thresholds/cut_tree.hpp"
#include "thresholds/row_set.hpp"

namespace murtree::thresholds {

class Outline {
  public:
    Outline() = default;  // a leaf
    // The best stump of a chain for the rows that reach it.
    static Outline stump(std::uint32_t chain);
    static Outline join(Test test, const Outline& left, const Outline& right);

    // The tree for some rows, with the cuts of its stumps.
    CutTree completed(RowSet& rows, const LeastLeaf& least_leaf) const;

  private:
    class Completion;

    void append(const Outline& part);

    std::vector<Test> nodes_;  // empty: a leaf
};

}  // namespace murtree::thresholds
