// A decision tree as flat arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "requests/task.hpp"

namespace murtree {

struct Tree {
    static constexpr std::int32_t no_child = -1;
    static constexpr std::int32_t no_feature = -2;

    // Arrays by node; the root is node 0 and a node precedes its children. The left child has the
    // rows whose feature is 0.
    std::vector<std::int32_t> left;
    std::vector<std::int32_t> right;
    std::vector<std::int32_t> feature;

    std::size_t size() const { return feature.size(); }
    std::int32_t add_leaf() {
        left.push_back(no_child);
        right.push_back(no_child);
        feature.push_back(no_feature);
        return static_cast<std::int32_t>(size()) - 1;
    }
};

struct CountedTree {
    Tree tree;
    std::vector<std::int64_t> class_weights;  // n_nodes x n_classes; empty in a summed problem
    std::int64_t misclassified = 0;           // or the cost of a summed problem

    std::int64_t n_splits() const { return static_cast<std::int64_t>(tree.size() / 2); }
    std::int64_t cost(const Task& task) const {
        return misclassified * task.price_of_error + n_splits() * task.price_of_node;
    }
};

}  // namespace murtree
