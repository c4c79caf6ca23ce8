#include "search/tree.hpp"

#include <algorithm>
#include <numeric>

namespace murtree {
namespace {

class Recount {
  public:
    Recount(const Tree& tree, const Dataset& data, const Task& task)
        : tree_(tree), n_classes_(data.n_classes()) {
        weights_.assign(tree.size() * n_classes_, 0);
        for (std::size_t row = 0; row < data.n_rows(); ++row) {
            std::size_t node = 0;
            while (!is_leaf(node)) {
                const bool one = data.value(row, static_cast<std::uint32_t>(tree.feature[node]));
                node = static_cast<std::size_t>(one ? tree.right[node] : tree.left[node]);
            }
            weights_[node * n_classes_ + static_cast<std::size_t>(data.label(row))] +=
                data.weight(row);
        }
        // Children stand after their parent, so one pass from the end sums them up.
        for (std::size_t node = tree.size(); node-- > 0;)
            if (!is_leaf(node))
                for (const std::int32_t child : {tree.left[node], tree.right[node]})
                    for (std::size_t k = 0; k < n_classes_; ++k)
                        weights_[node * n_classes_ + k] +=
                            weights_[static_cast<std::size_t>(child) * n_classes_ + k];
        prune(task);
    }

    // Appends the subtree of a node, pruned, to the result.
    void copy(std::size_t node, CountedTree& to) const {
        const auto index = static_cast<std::size_t>(to.tree.add_leaf());
        const std::int64_t* weights = weights_.data() + node * n_classes_;
        to.class_weights.insert(to.class_weights.end(), weights, weights + n_classes_);
        if (is_pruned_[node]) {
            to.misclassified += leaf_errors(node);
            return;
        }
        to.tree.feature[index] = tree_.feature[node];
        to.tree.left[index] = static_cast<std::int32_t>(to.tree.size());
        copy(static_cast<std::size_t>(tree_.left[node]), to);
        to.tree.right[index] = static_cast<std::int32_t>(to.tree.size());
        copy(static_cast<std::size_t>(tree_.right[node]), to);
    }

  private:
    bool is_leaf(std::size_t node) const { return tree_.left[node] == Tree::no_child; }

    std::int64_t leaf_errors(std::size_t node) const {
        const std::int64_t* weights = weights_.data() + node * n_classes_;
        return std::accumulate(weights, weights + n_classes_, std::int64_t{0}) -
               *std::max_element(weights, weights + n_classes_);
    }

    void prune(const Task& task) {
        is_pruned_.assign(tree_.size(), true);
        std::vector<std::int64_t> costs(tree_.size());
        for (std::size_t node = tree_.size(); node-- > 0;) {
            costs[node] = leaf_errors(node) * task.price_of_error;
            if (is_leaf(node)) continue;
            const std::int64_t split = costs[static_cast<std::size_t>(tree_.left[node])] +
                                       costs[static_cast<std::size_t>(tree_.right[node])] +
                                       task.price_of_node;
            is_pruned_[node] = costs[node] <= split;
            costs[node] = std::min(costs[node], split);
        }
    }

    const Tree& tree_;
    std::size_t n_classes_;
    std::vector<std::int64_t> weights_;
    std::vector<bool> is_pruned_;
};

}  // namespace

std::int32_t Tree::add_leaf() {
    left.push_back(no_child);
    right.push_back(no_child);
    feature.push_back(no_feature);
    return static_cast<std::int32_t>(size()) - 1;
}

CountedTree recount(const Tree& tree, const Dataset& data, const Task& task) {
    CountedTree counted;
    Recount(tree, data, task).copy(0, counted);
    return counted;
}

}  // namespace murtree
