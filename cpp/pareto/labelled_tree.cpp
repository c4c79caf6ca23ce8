#include "pareto/labelled_tree.hpp"

#include <stdexcept>

namespace murtree::pareto {
namespace {

class Unfolding {
  public:
    Unfolding(std::span<const std::uint32_t> words, const Dataset& data, LabelledTree& to)
        : words_(words), data_(data), to_(to) {}

    // Appends the subtree that begins at this word, nodes depth first, left before right.
    std::int32_t append(std::size_t word) {
        const std::int32_t index = to_.tree.add_leaf();
        const auto node = static_cast<std::size_t>(index);
        if ((words_[word] & leaf_flag) != 0) {
            to_.label.push_back(static_cast<std::int32_t>(words_[word] & ~leaf_flag));
            return index;
        }
        to_.label.push_back(-1);
        const std::uint32_t column = words_[word];
        to_.tree.feature[node] = static_cast<std::int32_t>(column);
        std::size_t left = word + 1;
        std::size_t right = end_of(left);
        if (data_.is_flipped(column)) std::swap(left, right);
        to_.tree.left[node] = static_cast<std::int32_t>(to_.tree.size());
        append(left);
        to_.tree.right[node] = static_cast<std::int32_t>(to_.tree.size());
        append(right);
        return index;
    }

  private:
    // The word after the subtree that begins at this one: each branch opens one more subtree.
    std::size_t end_of(std::size_t word) const {
        for (std::size_t n_open = 1; n_open > 0; ++word)
            n_open = (words_[word] & leaf_flag) != 0 ? n_open - 1 : n_open + 1;
        return word;
    }

    std::span<const std::uint32_t> words_;
    const Dataset& data_;
    LabelledTree& to_;
};

void count_leaves(const Dataset& data, LabelledTree& counted) {
    const Tree& tree = counted.tree;
    for (std::size_t row = 0; row < data.n_rows(); ++row) {
        std::size_t node = 0;
        while (tree.left[node] != Tree::no_child) {
            const bool one = data.value(row, static_cast<std::uint32_t>(tree.feature[node]));
            node = static_cast<std::size_t>(one ? tree.right[node] : tree.left[node]);
        }
        counted.class_weights[2 * node + static_cast<std::size_t>(data.label(row))] +=
            data.weight(row);
    }
}

}  // namespace

LabelledTree recounted(std::span<const std::uint32_t> words,
                       const Point& point,
                       const Dataset& data) {
    LabelledTree counted;
    counted.point = point;
    Unfolding(words, data, counted).append(0);
    const Tree& tree = counted.tree;
    counted.class_weights.assign(2 * tree.size(), 0);
    count_leaves(data, counted);
    Point seen{0, 0};
    for (std::size_t node = tree.size(); node-- > 0;) {  // children stand after their parent
        std::int64_t* const weights = counted.class_weights.data() + 2 * node;
        if (counted.label[node] == 1) seen.fp += weights[0];
        if (counted.label[node] == 0) seen.fn += weights[1];
        if (counted.label[node] >= 0) continue;
        for (const std::int32_t child : {tree.left[node], tree.right[node]})
            for (std::size_t k = 0; k < 2; ++k)
                weights[k] += counted.class_weights[2 * static_cast<std::size_t>(child) + k];
    }
    if (seen.fp != point.fp || seen.fn != point.fn)
        throw std::logic_error("internal error: a tree of a front does not make its errors");
    return counted;
}

}  // namespace murtree::pareto
