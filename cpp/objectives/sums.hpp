// Summed problems: rows carry numbers, and the cost of a leaf is a function of their sums.
//
// Labels: predicting label p for a row costs c[p], and a leaf predicts the label with the least
// cost. Covers weights that are not small integers, costs by class and costs by row.
//
// Squares: a row has a weight w and a target, given as s = w x target. A leaf predicts the mean and
// costs the weighted sum of squares around it, in integer units: sum of ceil(unit s^2 / w) over its
// rows - ceil(unit (sum of s)^2 / (sum of w)). The first term is an integer for each row, so this
// is the exact cost (relative to the first term) rounded down. Hence bounds that hold for exact
// costs hold for these as well: rounding down is monotone, commutes with adding integers, and
// rounded parts sum to no more than the rounded whole. However, ceil is applied to a double with a
// relative error of up to 2^-51. If the exact number is an integer, which is common by
// construction, the result could be one unit too large; so the unit is reduced by more than that
// error. The remaining case, a number that is an integer up to its last bit by chance, makes an
// optimum at most one unit too high.
//
// Impurities: a row has a weight and a class, given as its weight and its weights in all classes
// but the first; see Impurity.
//
// Numbers are integers below 2^53, stored in doubles: sums are exact in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/sum_kernels.hpp"
#include "objectives/impurity.hpp"
#include "objectives/leaf_sizes.hpp"

namespace murtree {

class Sums {
  public:
    using Kind = kernels::SumKind;

    // `feature_costs` are the costs of testing each column, in the same units; empty if tests are
    // free.
    static Sums labels(std::size_t n_labels, std::vector<double> feature_costs) {
        return {
            n_labels == 2 ? Kind::two_labels : Kind::labels, n_labels, 0, std::move(feature_costs)};
    }
    static Sums squares(double unit, std::vector<double> feature_costs) {
        return {Kind::squares, 2, unit * (1 - 0x1p-50), std::move(feature_costs)};
    }
    static Sums impurities(Kind kind,
                           std::size_t n_classes,
                           double unit,
                           double per_error,
                           std::vector<double> feature_costs) {
        Sums sums(kind, n_classes, 0, std::move(feature_costs));
        sums.impurity_ = Impurity(kind, n_classes, unit, per_error);
        sums.unit_ = sums.impurity_.unit();
        return sums;
    }

    Kind kind() const { return kind_; }
    double unit() const { return unit_; }
    double per_error() const { return impurity_.per_error(); }
    // Whether the cost of each leaf is a rounded real number.
    bool rounds_leaves() const { return kind_ == Kind::squares || are_impurities(); }
    double feature_cost(std::uint32_t column) const {
        return feature_costs_.empty() ? 0 : feature_costs_[column];
    }

    // Number of inputs of an original row: one cost per label, weight and target, or weights.
    std::size_t n_inputs() const { return n_inputs_; }

    // The values of a row in the search: first the numbers that determine the value of a leaf, ...
    std::size_t n_paired() const { return kind_ == Kind::two_labels ? 1 : n_inputs_; }
    // ... then the cost of a leaf of value 0, ...
    std::size_t base() const { return n_paired(); }
    // ... the most that its cost can increase in a leaf of a tree built without it, ...
    std::size_t worst() const { return n_paired() + 1; }
    // ... and its sizes, by kind.
    std::size_t size(std::size_t kind) const { return n_paired() + 2 + kind; }
    std::size_t n_values() const { return size(n_size_kinds); }

    // The value of a leaf from its sums; larger is better.
    double leaf_value(const double* sums) const {
        if (kind_ == Kind::two_labels) return std::abs(sums[0]);
        if (kind_ == Kind::squares) return square_value(sums[0], sums[1]);
        if (are_impurities()) return impurity_.leaf_value(sums);
        return -*std::min_element(sums, sums + n_inputs_);
    }

    // The cost of leaves with this total value over rows of this base. Clipped, so that rounding
    // cannot make it negative.
    std::int64_t cost(double base, double value) const {
        const double cost = std::max(base - value, 0.0);
        return static_cast<std::int64_t>(kind_ == Kind::two_labels ? cost / 2 : cost);
    }
    std::int64_t leaf_cost(const double* sums) const {
        return cost(sums[base()], leaf_value(sums));
    }

    // The amount by which a test reduces the value.
    double price_as_value(std::uint32_t column) const {
        return feature_cost(column) * (kind_ == Kind::two_labels ? 2 : 1);
    }

    // The cost of a leaf of original rows, from the sums of their inputs and of their own costs.
    std::int64_t original_cost(const double* inputs, double own_costs) const {
        if (kind_ == Kind::squares)
            return static_cast<std::int64_t>(
                std::max(own_costs - square_value(inputs[0], inputs[1]), 0.0));
        if (are_impurities()) return static_cast<std::int64_t>(-impurity_.leaf_value(inputs));
        return static_cast<std::int64_t>(*std::min_element(inputs, inputs + n_inputs_));
    }
    // The contribution of an original row to these own costs: its squared target.
    double own_cost(const double* inputs) const {
        return kind_ == Kind::squares ? square_value(inputs[0], inputs[1]) : 0;
    }
    // The cost of such a leaf before rounding, without the terms of single rows.
    double unrounded(const double* inputs) const {
        if (are_impurities()) return impurity_.unrounded(inputs);
        return -inputs[1] * inputs[1] / std::max(inputs[0], 1.0) * unit_;
    }

    // Merges the sums of rows with equal features into the values of one row, as described above,
    // and returns the cost that no tree avoids. `worst` is left to set_worst().
    std::int64_t reduce(const double* inputs, double own_costs, double* values) const {
        const std::int64_t unavoidable = original_cost(inputs, own_costs);
        values[base()] = 0;
        if (kind_ == Kind::squares) {
            values[0] = inputs[0];
            values[1] = inputs[1];
            values[base()] = square_value(inputs[0], inputs[1]);
        } else if (are_impurities()) {
            std::copy_n(inputs, n_inputs_, values);
            values[base()] = impurity_.leaf_value(inputs);
        } else if (kind_ == Kind::two_labels) {
            values[0] = inputs[1] - inputs[0];
            values[base()] = std::abs(values[0]);
        } else {
            for (std::size_t k = 0; k < n_inputs_; ++k)
                values[k] = inputs[k] - static_cast<double>(unavoidable);
        }
        return unavoidable;
    }

    // Fills in `worst` of these rows, for trees built for a subset of them. Labels: the most
    // expensive label. Squares: the mean of a leaf lies between the smallest and the largest mean
    // of a row, so the distance of the row to it is at most that to the farther of these two; one
    // more unit for its rounded square.
    void set_worst(std::span<double> values) const {
        if (are_impurities()) return set_worst_impurities(values);
        double least = 0;
        double greatest = 0;
        for (std::size_t at = 0; at < values.size(); at += n_values()) {
            if (kind_ != Kind::squares) break;
            const double mean = values[at + 1] / values[at];
            least = at == 0 ? mean : std::min(least, mean);
            greatest = at == 0 ? mean : std::max(greatest, mean);
        }
        for (std::size_t at = 0; at < values.size(); at += n_values()) {
            const double* const own = values.data() + at;
            if (kind_ == Kind::squares) {
                const double mean = own[1] / own[0];
                const double distance = std::max(mean - least, greatest - mean);
                values[at + worst()] =
                    std::min(std::ceil(own[0] * distance * distance * unit_) + 1, most_square);
            } else if (kind_ == Kind::two_labels) {
                values[at + worst()] = own[base()];
            } else {
                values[at + worst()] = *std::max_element(own, own + n_inputs_);
            }
        }
    }

    // More than the cost of any tree.
    static constexpr double too_much = 0x1p46;

  private:
    static constexpr double most_square = 0x1p36;

    Sums(Kind kind, std::size_t n_inputs, double unit, std::vector<double> feature_costs)
        : kind_(kind), n_inputs_(n_inputs), unit_(unit), feature_costs_(std::move(feature_costs)) {}

    // The same operations in the same order as in the kernels.
    double square_value(double weight, double sum) const {
        return std::ceil(sum * sum * (1 / (weight < 1 ? 1 : weight)) * unit_);
    }

    bool are_impurities() const { return kind_ == Kind::gini || kind_ == Kind::log_loss; }

    void set_worst_impurities(std::span<double> values) const {
        std::vector<double> node(n_inputs_, 0);
        for (std::size_t at = 0; at < values.size(); at += n_values())
            for (std::size_t k = 0; k < n_inputs_; ++k) node[k] += values[at + k];
        for (std::size_t at = 0; at < values.size(); at += n_values())
            values[at + worst()] = impurity_.worst(values.data() + at, node.data());
    }

    Kind kind_;
    std::size_t n_inputs_;
    double unit_;
    Impurity impurity_;
    std::vector<double> feature_costs_;
};

}  // namespace murtree
