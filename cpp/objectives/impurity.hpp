// The cost of a leaf by its class weights: floor(unit x impurity) + per_error x misclassified
// weight, where the impurity is the Gini impurity or the log loss (see kernels/impurity.hpp).
//
// Impurities and misclassified weights are concave functions of the class weights, and
// proportional to them, so those of a union are at least the sum of those of its parts. This holds
// for the rounded cost as well: floor(a) + floor(b) <= floor(a + b). Hence the cost never decreases
// when rows are added to a leaf, not even relative to what the rows cost by themselves, and a split
// never costs more than the leaf. As with squared errors (see Sums), the argument of floor is a
// double with a relative error; the unit is increased by more than that error, so that an exact
// integer is not rounded to the next lower one.
//
// The inputs of a row, and the numbers of a leaf, are its weight and those of all classes but the
// first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/scalar_doubles.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree {

class Impurity {
  public:
    using Kind = kernels::SumKind;

    Impurity() = default;
    Impurity(Kind kind, std::size_t n_classes, double unit, double per_error)
        : kind_(kind),
          n_classes_(n_classes),
          unit_(unit * (1 + (static_cast<double>(n_classes) + 20) * 0x1p-53)),
          per_error_(per_error) {}

    double unit() const { return unit_; }
    double per_error() const { return per_error_; }

    // The same operations in the same order as in the kernels. Minus the cost: larger is better.
    double leaf_value(const double* weights) const {
        return with_leaf(weights, [this](auto leaf) { return leaf.value(unit_, per_error_); });
    }

    // The cost before rounding.
    double unrounded(const double* weights) const {
        return with_leaf(weights, [this](auto leaf) { return leaf.unrounded(unit_, per_error_); });
    }

    // The most that the cost of a tree increases, beyond the cost of the row by itself, when this
    // row is added to a leaf of rows of a node with these total weights (which include the row).
    // Rows may be added one after another: each time the leaf and the row are part of the node.
    //
    // Errors: with n and m the class weights of the leaf and the row, max n + max m - max(n + m) is
    // at most max m - min m, the minimum over the classes of the node. Rounding: floor(a) -
    // floor(b) - floor(c) < a - b - c + 2. A factor covers the error of floating point.
    double worst(const double* row, const double* node) const {
        const double increase =
            kind_ == Kind::gini ? gini_increase(row, node) : log_loss_increase(row, node);
        double least = row[0];
        double most = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (class_weight(node, k) > 0) least = std::min(least, class_weight(row, k));
            most = std::max(most, class_weight(row, k));
        }
        return std::ceil(increase * unit_ * (1 + 0x1p-40)) + 1 + per_error_ * (most - least);
    }

  private:
    template <class Result>
    double with_leaf(const double* weights, Result result) const {
        using Number = kernels::ScalarDoubles;
        const auto filled = [&](auto leaf) {
            for (std::size_t k = 1; k < n_classes_; ++k) leaf.add(weights[k]);
            return result(leaf);
        };
        if (kind_ == Kind::gini)
            return filled(kernels::ImpureLeaf<Number, kernels::GiniTerms<Number, false>>(*weights));
        return filled(kernels::ImpureLeaf<Number, kernels::LogTerms<Number, false>>(*weights));
    }

    double class_weight(const double* weights, std::size_t k) const {
        if (k > 0) return weights[k];
        double rest = weights[0];
        for (std::size_t other = 1; other < n_classes_; ++other) rest -= weights[other];
        return rest;
    }

    // With n and w the weights of the leaf and the row, p and q their class frequencies, and N >=
    // n + w the weight of the node: the Gini impurity increases by n w / (n + w) |p - q|^2, where
    // the first factor grows with n, and the second one, convex in p, is largest if the leaf has
    // only one class j of the node: 1 - 2 q_j + |q|^2.
    double gini_increase(const double* row, const double* node) const {
        const double weight = row[0];
        double squares = 0;
        double least = 1;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double share = class_weight(row, k) / weight;
            squares += share * share;
            if (class_weight(node, k) > 0) least = std::min(least, share);
        }
        return (node[0] - weight) * weight / node[0] * std::max(1 - 2 * least + squares, 0.0);
    }

    // Log loss: let a row have weight w of class c only. The increase of a leaf falls with the
    // weight of class c in the leaf, since the loss is concave, and grows with that of every other
    // class j: its derivative is ln((n + w) / n_j) - ln(n / n_j) > 0. So it is largest if the leaf
    // has all rows of the other classes in the node, of weight M: then it is (M + w) ln(M + w) -
    // M ln M - w ln w, the log loss of two classes of these weights. A row of several classes is
    // one row for each of them, added one after another, less what it costs by itself.
    double log_loss_increase(const double* row, const double* node) const {
        const Impurity two(Kind::log_loss, 2, 1, 0);
        double increase = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double own = class_weight(row, k);
            const double others = node[0] - class_weight(node, k);
            const double pair[] = {own + others, others};
            increase += two.unrounded(pair);
        }
        const Impurity all(Kind::log_loss, n_classes_, 1, 0);
        return std::max(increase - all.unrounded(row), 0.0);
    }

    Kind kind_ = Kind::gini;
    std::size_t n_classes_ = 0;
    double unit_ = 0;
    double per_error_ = 0;
};

}  // namespace murtree
