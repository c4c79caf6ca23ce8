#include "pareto/labelled_tree.hpp"

#include <bit>
#include <stdexcept>
#include <utility>

namespace murtree::pareto {
namespace {

class Unfolding {
  public:
    Unfolding(std::span<const std::uint32_t> words, const Dataset& data, LabelledTree& to)
        : words_(words), data_(data), to_(to) {}

    // Appends the subtree that starts at this word, in preorder, left before right.
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
    // The word after the subtree that starts at this one: each branch adds one more subtree.
    std::size_t end_of(std::size_t word) const {
        for (std::size_t n_open = 1; n_open > 0; ++word)
            n_open = (words_[word] & leaf_flag) != 0 ? n_open - 1 : n_open + 1;
        return word;
    }

    std::span<const std::uint32_t> words_;
    const Dataset& data_;
    LabelledTree& to_;
};

}  // namespace

Recount::Recount(const Dataset& data)
    : data_(data), n_words_((data.n_rows() + 63) / 64), columns_(data.n_features()) {
    for (std::size_t label = 0; label < 2; ++label)
        for (int power = 0; power < 63; ++power) {
            Bits rows(n_words_, 0);
            bool is_empty = true;
            for (std::size_t row = 0; row < data.n_rows(); ++row) {
                if (static_cast<std::size_t>(data.label(row)) != label) continue;
                if ((data.weight(row) >> power & 1) == 0) continue;
                rows[row / 64] |= std::uint64_t{1} << row % 64;
                is_empty = false;
            }
            if (!is_empty) planes_.push_back({label, power, std::move(rows)});
        }
    reached_.emplace_back(n_words_, ~std::uint64_t{0});
}

LabelledTree Recount::operator()(std::span<const std::uint32_t> words, const Point& point) {
    LabelledTree counted;
    counted.point = point;
    Unfolding(words, data_, counted).append(0);
    const Tree& tree = counted.tree;
    counted.class_weights.assign(2 * tree.size(), 0);
    count(0, 0, counted);
    Point seen{0, 0};
    for (std::size_t node = tree.size(); node-- > 0;) {  // children come after their parent
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

const Recount::Bits& Recount::column(std::uint32_t feature) {
    Bits& bits = columns_[feature];
    if (!bits.empty()) return bits;
    bits.assign(n_words_, 0);
    for (std::size_t row = 0; row < data_.n_rows(); ++row)
        if (data_.value(row, feature)) bits[row / 64] |= std::uint64_t{1} << row % 64;
    return bits;
}

void Recount::count(std::size_t node, std::size_t depth, LabelledTree& tree) {
    if (tree.tree.left[node] == Tree::no_child) return count_leaf(node, reached_[depth], tree);
    if (reached_.size() == depth + 1) reached_.emplace_back(n_words_, 0);
    const Bits& ones = column(static_cast<std::uint32_t>(tree.tree.feature[node]));
    for (const bool with : {false, true}) {
        const Bits& here = reached_[depth];
        Bits& there = reached_[depth + 1];
        for (std::size_t w = 0; w < n_words_; ++w) there[w] = here[w] & (with ? ones[w] : ~ones[w]);
        const std::int32_t child = with ? tree.tree.right[node] : tree.tree.left[node];
        count(static_cast<std::size_t>(child), depth + 1, tree);
    }
}

void Recount::count_leaf(std::size_t node, const Bits& rows, LabelledTree& tree) const {
    for (const Plane& plane : planes_) {
        std::int64_t n_rows = 0;
        for (std::size_t w = 0; w < n_words_; ++w) n_rows += std::popcount(rows[w] & plane.rows[w]);
        tree.class_weights[2 * node + plane.label] += n_rows << plane.power;
    }
}

}  // namespace murtree::pareto
