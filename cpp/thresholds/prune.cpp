#include "thresholds/prune.hpp"

#include <algorithm>

#include "thresholds/labelled_tree.hpp"

namespace murtree::thresholds {
namespace {

class Pruning {
  public:
    Pruning(const CutTree& tree, const Table& table, std::span<const std::uint32_t> rows)
        : tree_(tree, table, rows), errors_(tree.tree.size()), is_leaf_(tree.tree.size()) {
        const std::size_t n_labels = table.n_labels();
        std::vector<Cost> sums(errors_.size() * n_labels, 0);
        for (const std::uint32_t row : rows)
            for (std::size_t node = 0;; node = tree_.child(node, tree_.goes_left(node, row))) {
                for (std::size_t label = 0; label < n_labels; ++label)
                    sums[node * n_labels + label] += table.costs(row)[label];
                if (tree_.is_leaf(node)) break;
            }
        for (std::size_t node = 0; node < errors_.size(); ++node) {
            const Cost* const first = sums.data() + node * n_labels;
            errors_[node] = *std::min_element(first, first + n_labels);
            is_leaf_[node] = tree_.is_leaf(node);
        }
    }

    bool is_leaf() const { return is_leaf_[0]; }
    CutTree tree(std::size_t node = 0) const {
        if (is_leaf_[node]) return CutTree::leaf();
        return CutTree::join(tree_.test(node), tree(left(node)), tree(right(node)));
    }
    Cost errors(std::size_t node = 0) const {
        return is_leaf_[node] ? errors_[node] : errors(left(node)) + errors(right(node));
    }

    // Removes a test at the bottom.
    void remove_one() {
        Cost least = infeasible;
        std::size_t chosen = 0;
        for (std::size_t node = 0; node < errors_.size(); ++node) {
            if (is_leaf_[node] || !is_leaf_[left(node)] || !is_leaf_[right(node)]) continue;
            const Cost more = errors_[node] - errors_[left(node)] - errors_[right(node)];
            if (more >= least) continue;
            least = more;
            chosen = node;
        }
        is_leaf_[chosen] = true;
    }

  private:
    std::size_t left(std::size_t node) const { return tree_.child(node, true); }
    std::size_t right(std::size_t node) const { return tree_.child(node, false); }

    LabelledTree tree_;
    std::vector<Cost> errors_;   // of each node as a leaf
    std::vector<bool> is_leaf_;  // now
};

}  // namespace

std::vector<PrunedTree> pruned(const CutTree& tree,
                               const Table& table,
                               std::span<const std::uint32_t> rows,
                               const Prices& prices) {
    Pruning pruning(tree, table, rows);
    std::vector<PrunedTree> trees;
    for (;; pruning.remove_one()) {
        CutTree one = pruning.tree();
        const auto n_tests = static_cast<Cost>(one.n_tests());
        trees.push_back({std::move(one), prices.error * pruning.errors() + prices.node * n_tests});
        if (pruning.is_leaf()) return trees;
    }
}

}  // namespace murtree::thresholds
