#include "search/recount.hpp"

#include <algorithm>

#include "search/leaf_totals.hpp"

namespace murtree {
namespace {

class Recount {
  public:
    Recount(const Tree& tree, const Dataset& data, const Task& task)
        : tree_(tree), data_(data), totals_(tree.size(), LeafTotals(data)) {
        for (std::size_t row = 0; row < data.n_rows(); ++row) {
            LeafTotals& leaf = totals_[leaf_of(row)];
            if (data.sums() != nullptr)
                leaf.add(data.inputs(row));
            else
                leaf.add(static_cast<std::size_t>(data.label(row)), data.weight(row));
        }
        prune(task);
    }

    // Appends the pruned subtree of a node to the result.
    void copy(std::size_t node, CountedTree& to) const {
        const auto index = static_cast<std::size_t>(to.tree.add_leaf());
        const std::vector<std::int64_t>& weights = totals_[node].class_weights();
        to.class_weights.insert(to.class_weights.end(), weights.begin(), weights.end());
        if (is_pruned_[node]) {
            to.misclassified += totals_[node].cost();
            return;
        }
        to.misclassified += test_cost(data_, tree_.feature[node]);
        to.tree.feature[index] = tree_.feature[node];
        to.tree.left[index] = static_cast<std::int32_t>(to.tree.size());
        copy(static_cast<std::size_t>(tree_.left[node]), to);
        to.tree.right[index] = static_cast<std::int32_t>(to.tree.size());
        copy(static_cast<std::size_t>(tree_.right[node]), to);
    }

  private:
    bool is_leaf(std::size_t node) const { return tree_.left[node] == Tree::no_child; }

    std::size_t leaf_of(std::size_t row) const {
        std::size_t node = 0;
        while (!is_leaf(node)) {
            const bool one = data_.value(row, static_cast<std::uint32_t>(tree_.feature[node]));
            node = static_cast<std::size_t>(one ? tree_.right[node] : tree_.left[node]);
        }
        return node;
    }

    // Children come after their parent, so one pass from the end accumulates them.
    void prune(const Task& task) {
        is_pruned_.assign(tree_.size(), true);
        std::vector<std::int64_t> costs(tree_.size());
        for (std::size_t node = tree_.size(); node-- > 0;) {
            if (is_leaf(node)) {
                costs[node] = totals_[node].cost() * task.price_of_error;
                continue;
            }
            std::int64_t split =
                task.price_of_node + test_cost(data_, tree_.feature[node]) * task.price_of_error;
            for (const std::int32_t link : {tree_.left[node], tree_.right[node]}) {
                const auto child = static_cast<std::size_t>(link);
                totals_[node].add(totals_[child]);
                split += costs[child];
            }
            costs[node] = totals_[node].cost() * task.price_of_error;
            is_pruned_[node] = costs[node] <= split;
            costs[node] = std::min(costs[node], split);
        }
    }

    const Tree& tree_;
    const Dataset& data_;
    std::vector<LeafTotals> totals_;  // by node, as if it were a leaf
    std::vector<bool> is_pruned_;
};

}  // namespace

CountedTree recount(const Tree& tree, const Dataset& data, const Task& task) {
    CountedTree counted;
    Recount(tree, data, task).copy(0, counted);
    return counted;
}

}  // namespace murtree
