#include "search/tree.hpp"

#include <algorithm>
#include <numeric>

namespace murtree {
namespace {

class Recount {
  public:
    Recount(const Tree& tree, const Dataset& data) : tree_(tree), n_classes_(data.n_classes()) {
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
    }

    // Appends the subtree of a node, collapsed, to the result.
    void copy(std::size_t node, CountedTree& to) const {
        const auto index = static_cast<std::size_t>(to.tree.add_leaf());
        const std::int64_t* weights = weights_.data() + node * n_classes_;
        to.class_weights.insert(to.class_weights.end(), weights, weights + n_classes_);
        if (is_uniform(node)) {
            to.misclassified += std::accumulate(weights, weights + n_classes_, std::int64_t{0}) -
                                *std::max_element(weights, weights + n_classes_);
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

    // Whether all leaves below say the same; a part without any rows says whatever its sibling
    // says.
    bool is_uniform(std::size_t node) const {
        if (is_leaf(node)) return true;
        const auto left = static_cast<std::size_t>(tree_.left[node]);
        const auto right = static_cast<std::size_t>(tree_.right[node]);
        if (!is_uniform(left) || !is_uniform(right)) return false;
        return is_empty(left) || is_empty(right) || says(left) == says(right);
    }

    bool is_empty(std::size_t node) const {
        const std::int64_t* weights = weights_.data() + node * n_classes_;
        return std::all_of(
            weights, weights + n_classes_, [](std::int64_t weight) { return weight == 0; });
    }

    std::ptrdiff_t says(std::size_t node) const {
        const std::int64_t* weights = weights_.data() + node * n_classes_;
        return std::max_element(weights, weights + n_classes_) - weights;
    }

    const Tree& tree_;
    std::size_t n_classes_;
    std::vector<std::int64_t> weights_;
};

}  // namespace

std::int32_t Tree::add_leaf() {
    left.push_back(no_child);
    right.push_back(no_child);
    feature.push_back(no_feature);
    return static_cast<std::int32_t>(size()) - 1;
}

CountedTree recount(const Tree& tree, const Dataset& data) {
    CountedTree counted;
    Recount(tree, data).copy(0, counted);
    return counted;
}

}  // namespace murtree
