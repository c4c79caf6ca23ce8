#include "search/recount.hpp"

#include <algorithm>
#include <numeric>

namespace murtree {
namespace {

class Recount {
  public:
    Recount(const Tree& tree, const Dataset& data, const Task& task)
        : tree_(tree), n_classes_(data.n_classes()), sums_(data.sums()) {
        if (sums_ != nullptr)
            sum_up(data);
        else
            count(data);
        prune(task);
    }

    // Appends the pruned subtree of a node to the result.
    void copy(std::size_t node, CountedTree& to) const {
        const auto index = static_cast<std::size_t>(to.tree.add_leaf());
        const std::int64_t* weights = weights_.data() + node * n_classes_;
        to.class_weights.insert(to.class_weights.end(), weights, weights + n_classes_);
        if (is_pruned_[node]) {
            to.misclassified += leaf_costs_[node];
            return;
        }
        to.misclassified += cost_of_test(node);
        to.tree.feature[index] = tree_.feature[node];
        to.tree.left[index] = static_cast<std::int32_t>(to.tree.size());
        copy(static_cast<std::size_t>(tree_.left[node]), to);
        to.tree.right[index] = static_cast<std::int32_t>(to.tree.size());
        copy(static_cast<std::size_t>(tree_.right[node]), to);
    }

  private:
    bool is_leaf(std::size_t node) const { return tree_.left[node] == Tree::no_child; }

    std::size_t leaf_of(const Dataset& data, std::size_t row) const {
        std::size_t node = 0;
        while (!is_leaf(node)) {
            const bool one = data.value(row, static_cast<std::uint32_t>(tree_.feature[node]));
            node = static_cast<std::size_t>(one ? tree_.right[node] : tree_.left[node]);
        }
        return node;
    }

    // Children come after their parent, so one pass from the end accumulates them.
    template <class Number>
    void add_children(std::vector<Number>& numbers, std::size_t n_columns) const {
        for (std::size_t node = tree_.size(); node-- > 0;)
            if (!is_leaf(node))
                for (const std::int32_t child : {tree_.left[node], tree_.right[node]})
                    for (std::size_t k = 0; k < n_columns; ++k)
                        numbers[node * n_columns + k] +=
                            numbers[static_cast<std::size_t>(child) * n_columns + k];
    }

    void count(const Dataset& data) {
        weights_.assign(tree_.size() * n_classes_, 0);
        for (std::size_t row = 0; row < data.n_rows(); ++row)
            weights_[leaf_of(data, row) * n_classes_ + static_cast<std::size_t>(data.label(row))] +=
                data.weight(row);
        add_children(weights_, n_classes_);
        for (std::size_t node = 0; node < tree_.size(); ++node) {
            const std::int64_t* weights = weights_.data() + node * n_classes_;
            leaf_costs_.push_back(std::accumulate(weights, weights + n_classes_, std::int64_t{0}) -
                                  *std::max_element(weights, weights + n_classes_));
        }
    }

    void sum_up(const Dataset& data) {
        const std::size_t n_inputs = sums_->n_inputs();
        const std::size_t n_columns = n_inputs + 1;
        std::vector<double> sums(tree_.size() * n_columns, 0);
        for (std::size_t row = 0; row < data.n_rows(); ++row) {
            const double* const inputs = data.inputs(row);
            double* const leaf = sums.data() + leaf_of(data, row) * n_columns;
            for (std::size_t k = 0; k < n_inputs; ++k) leaf[k] += inputs[k];
            leaf[n_inputs] += sums_->own_cost(inputs);
        }
        add_children(sums, n_columns);
        for (std::size_t node = 0; node < tree_.size(); ++node) {
            const double* const own = sums.data() + node * n_columns;
            leaf_costs_.push_back(sums_->original_cost(own, own[n_inputs]));
        }
    }

    std::int64_t cost_of_test(std::size_t node) const {
        if (sums_ == nullptr) return 0;
        return static_cast<std::int64_t>(
            sums_->feature_cost(static_cast<std::uint32_t>(tree_.feature[node])));
    }

    void prune(const Task& task) {
        is_pruned_.assign(tree_.size(), true);
        std::vector<std::int64_t> costs(tree_.size());
        for (std::size_t node = tree_.size(); node-- > 0;) {
            costs[node] = leaf_costs_[node] * task.price_of_error;
            if (is_leaf(node)) continue;
            const std::int64_t split = costs[static_cast<std::size_t>(tree_.left[node])] +
                                       costs[static_cast<std::size_t>(tree_.right[node])] +
                                       task.price_of_node +
                                       cost_of_test(node) * task.price_of_error;
            is_pruned_[node] = costs[node] <= split;
            costs[node] = std::min(costs[node], split);
        }
    }

    const Tree& tree_;
    std::size_t n_classes_;
    const Sums* sums_;
    std::vector<std::int64_t> weights_;
    std::vector<std::int64_t> leaf_costs_;  // by node, as if it were a leaf
    std::vector<bool> is_pruned_;
};

}  // namespace

CountedTree recount(const Tree& tree, const Dataset& data, const Task& task) {
    CountedTree counted;
    Recount(tree, data, task).copy(0, counted);
    return counted;
}

}  // namespace murtree
