// A tree whose leaves have labels: the best ones for some rows. It is then a fixed rule, with a
// cost for every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/search.hpp"

namespace murtree::thresholds {

class LabelledTree {
  public:
    LabelledTree(CutTree tree, const Table& table, std::span<const std::uint32_t> rows);

    const CutTree& tree() const { return tree_; }
    // The cost of the rows for which the labels are best.
    Cost errors() const { return errors_; }
    bool is_leaf(std::size_t node) const { return tree_.tree.left[node] == Tree::no_child; }
    std::size_t child(std::size_t node, bool is_left) const {
        return static_cast<std::size_t>((is_left ? tree_.tree.left : tree_.tree.right)[node]);
    }
    const Test& test(std::size_t node) const { return tree_.tests[number(node)]; }
    void set_cut(std::size_t node, std::uint32_t cut) { tree_.tests[number(node)].cut = cut; }
    bool goes_left(std::size_t node, std::uint32_t row) const {
        return table_.chains()[test(node).chain].rank[row] < test(node).cut;
    }
    std::size_t leaf_of(std::size_t node, std::uint32_t row) const {
        while (!is_leaf(node)) node = child(node, goes_left(node, row));
        return node;
    }
    // The cost of a row in the subtree of a node.
    Cost cost(std::size_t node, std::uint32_t row) const {
        return table_.costs(row)[labels_[leaf_of(node, row)]];
    }
    // The number of tests of a subtree, and a copy of it.
    std::uint32_t n_tests(std::size_t node) const;
    CutTree subtree(std::size_t node) const;

  private:
    std::size_t number(std::size_t node) const {
        return static_cast<std::size_t>(tree_.tree.feature[node]);
    }

    CutTree tree_;
    const Table& table_;
    std::vector<std::size_t> labels_;  // by node
    Cost errors_ = 0;
};

std::vector<std::uint32_t> all_rows(const Table& table);

// The cost of a tree with the best labels for these rows.
Cost cost_of(const CutTree& tree,
             const Table& table,
             std::span<const std::uint32_t> rows,
             const Prices& prices);

}  // namespace murtree::thresholds
