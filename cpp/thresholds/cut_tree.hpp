// A tree of tests "the rank in the chain is below the cut".
#pragma once

#include <cstdint>
#include <vector>

#include "requests/tree.hpp"

namespace murtree::thresholds {

struct Test {
    std::uint32_t chain = 0;
    std::uint32_t cut = 0;
};

// Arrays by node, as in Tree; the left child has the rows that pass the test. `feature` is the
// number of the test in `tests`.
struct CutTree {
    Tree tree;
    std::vector<Test> tests;

    static CutTree leaf() {
        CutTree leaf;
        leaf.tree.add_leaf();
        return leaf;
    }
    static CutTree join(Test test, const CutTree& left, const CutTree& right) {
        CutTree joined = leaf();
        joined.tests.push_back(test);
        joined.tree.feature[0] = 0;
        joined.tree.left[0] = joined.append(left);
        joined.tree.right[0] = joined.append(right);
        return joined;
    }
    std::size_t n_tests() const { return tests.size(); }

  private:
    std::int32_t append(const CutTree& other) {
        const auto node = static_cast<std::int32_t>(tree.size());
        const auto test = static_cast<std::int32_t>(tests.size());
        for (std::size_t k = 0; k < other.tree.size(); ++k) {
            const bool is_leaf = other.tree.left[k] == Tree::no_child;
            tree.left.push_back(is_leaf ? Tree::no_child : other.tree.left[k] + node);
            tree.right.push_back(is_leaf ? Tree::no_child : other.tree.right[k] + node);
            tree.feature.push_back(is_leaf ? Tree::no_feature : other.tree.feature[k] + test);
        }
        tests.insert(tests.end(), other.tests.begin(), other.tests.end());
        return node;
    }
};

}  // namespace murtree::thresholds
