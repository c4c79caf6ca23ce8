// Problems whose rows carry numbers that add up: the cost of a leaf is a function of their sums.
//
// Labels: calling a row label p costs c[p], and a leaf takes the label that costs least. Weights
// that are no small whole numbers, costs by class, costs by row: all of them are this.
//
// Squares: a row has a weight w and a target, given as s = w x target; a leaf predicts the mean and
// costs the weighted squares around it, in whole units:
//     sum of ceil(unit s^2 / w) over its rows - ceil(unit (sum of s)^2 / (sum of w)).
// The first part is a whole number for each row, so this is the exact cost (by that first part)
// rounded down. Hence the bounds that hold for exact costs hold for these as well: rounding down
// keeps the order, it commutes with adding whole numbers, and rounded parts sum up to no more than
// the rounded whole. ceil is taken of a double, though, which is off by up to 2^-51 of itself.
// Where the exact number is whole, which it often is by construction, that would be one unit too
// many; so the unit is made smaller by more than that. What is left, a number that is whole but for
// a last bit by chance, makes an optimum one unit too high at worst.
//
// Numbers are whole and below 2^53, kept in doubles: sums are exact in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/sum_kernels.hpp"
#include "objectives/leaf_sizes.hpp"

namespace murtree {

class Sums {
  public:
    using Kind = kernels::SumKind;

    // `feature_costs`: of a test of each column, in the same units; empty: tests are free.
    static Sums labels(std::size_t n_labels, std::vector<double> feature_costs) {
        return {
            n_labels == 2 ? Kind::two_labels : Kind::labels, n_labels, 0, std::move(feature_costs)};
    }
    static Sums squares(double unit, std::vector<double> feature_costs) {
        return {Kind::squares, 2, unit * (1 - 0x1p-50), std::move(feature_costs)};
    }

    Kind kind() const { return kind_; }
    double unit() const { return unit_; }
    double feature_cost(std::uint32_t column) const {
        return feature_costs_.empty() ? 0 : feature_costs_[column];
    }

    // What an original row has: a cost for each label, or weight and target.
    std::size_t n_inputs() const { return n_inputs_; }

    // What a row of the search has: first the numbers that make the value of a leaf, ...
    std::size_t n_paired() const { return kind_ == Kind::two_labels ? 1 : n_inputs_; }
    // ... then the cost of a leaf of value 0, ...
    std::size_t base() const { return n_paired(); }
    // ... how much more it may cost in the leaf of a tree made without it, at most, ...
    std::size_t worst() const { return n_paired() + 1; }
    // ... and its sizes, by kind.
    std::size_t size(std::size_t kind) const { return n_paired() + 2 + kind; }
    std::size_t n_values() const { return size(n_size_kinds); }

    // The value of a leaf from its sums; the larger, the better.
    double leaf_value(const double* sums) const {
        if (kind_ == Kind::two_labels) return std::abs(sums[0]);
        if (kind_ == Kind::squares) return square_value(sums[0], sums[1]);
        return -*std::min_element(sums, sums + n_inputs_);
    }

    // The cost of leaves with this total value over rows of this base. A double's last bit must not
    // make it negative.
    std::int64_t cost(double base, double value) const {
        const double cost = std::max(base - value, 0.0);
        return static_cast<std::int64_t>(kind_ == Kind::two_labels ? cost / 2 : cost);
    }
    std::int64_t leaf_cost(const double* sums) const {
        return cost(sums[base()], leaf_value(sums));
    }

    // What a test takes off a value.
    double price_as_value(std::uint32_t column) const {
        return feature_cost(column) * (kind_ == Kind::two_labels ? 2 : 1);
    }

    // The cost of a leaf of original rows, from the sums of their inputs and of their own costs.
    std::int64_t original_cost(const double* inputs, double own_costs) const {
        if (kind_ == Kind::squares)
            return static_cast<std::int64_t>(
                std::max(own_costs - square_value(inputs[0], inputs[1]), 0.0));
        return static_cast<std::int64_t>(*std::min_element(inputs, inputs + n_inputs_));
    }
    // What an original row adds to these: the squares of its target.
    double own_cost(const double* inputs) const {
        return kind_ == Kind::squares ? square_value(inputs[0], inputs[1]) : 0;
    }

    // Merges the sums of rows with equal features, as above, into the values of one row, and
    // returns the cost that no tree avoids. `worst` is left to set_worst().
    std::int64_t reduce(const double* inputs, double own_costs, double* values) const {
        const std::int64_t unavoidable = original_cost(inputs, own_costs);
        values[base()] = 0;
        if (kind_ == Kind::squares) {
            values[0] = inputs[0];
            values[1] = inputs[1];
            values[base()] = square_value(inputs[0], inputs[1]);
        } else if (kind_ == Kind::two_labels) {
            values[0] = inputs[1] - inputs[0];
            values[base()] = std::abs(values[0]);
        } else {
            for (std::size_t k = 0; k < n_inputs_; ++k)
                values[k] = inputs[k] - static_cast<double>(unavoidable);
        }
        return unavoidable;
    }

    // Fills in `worst` of these rows, for trees made for some of them. Labels: the dearest label.
    // Squares: the mean of a leaf lies between the least and the greatest mean of a row, and the
    // row is farther from it by no more than from the farther of these; one unit more for its
    // rounded square.
    void set_worst(std::span<double> values) const {
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
                    std::min(std::ceil(own[0] * distance * distance * unit_) + 1, too_much);
            } else if (kind_ == Kind::two_labels) {
                values[at + worst()] = own[base()];
            } else {
                values[at + worst()] = *std::max_element(own, own + n_inputs_);
            }
        }
    }

    // More than any tree costs.
    static constexpr double too_much = 68719476736.0;  // 2^36

  private:
    Sums(Kind kind, std::size_t n_inputs, double unit, std::vector<double> feature_costs)
        : kind_(kind), n_inputs_(n_inputs), unit_(unit), feature_costs_(std::move(feature_costs)) {}

    // The same operations in the same order as in the kernels.
    double square_value(double weight, double sum) const {
        return std::ceil(sum * sum * (1 / (weight < 1 ? 1 : weight)) * unit_);
    }

    Kind kind_;
    std::size_t n_inputs_;
    double unit_;
    std::vector<double> feature_costs_;
};

}  // namespace murtree
