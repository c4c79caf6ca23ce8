// Sums over the rows of a leaf, and the resulting cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/dataset.hpp"

namespace murtree {

class LeafTotals {
  public:
    explicit LeafTotals(const Dataset& data)
        : sums_of_(data.sums()),
          sums_(sums_of_ == nullptr ? 0 : sums_of_->n_inputs() + 1, 0),
          weights_(data.n_classes(), 0) {}

    void add(std::size_t label, std::int64_t weight) {
        weights_[label] += weight;
        weight_ += weight;
        heaviest_ = std::max(heaviest_, weights_[label]);
    }
    void add(const double* inputs) {
        for (std::size_t k = 0; k + 1 < sums_.size(); ++k) sums_[k] += inputs[k];
        sums_.back() += sums_of_->own_cost(inputs);
    }
    void add(const LeafTotals& other) {
        for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
        for (std::size_t k = 0; k < weights_.size(); ++k) add(k, other.weights_[k]);
    }

    const std::vector<std::int64_t>& class_weights() const { return weights_; }
    std::int64_t cost() const {
        if (sums_of_ == nullptr) return weight_ - heaviest_;
        return sums_of_->original_cost(sums_.data(), sums_.back());
    }
    // See Sums::unrounded.
    double unrounded() const { return sums_of_->unrounded(sums_.data()); }

  private:
    const Sums* sums_of_;
    std::vector<double> sums_;  // of the inputs, and of the own costs of the rows
    std::vector<std::int64_t> weights_;
    std::int64_t weight_ = 0;
    std::int64_t heaviest_ = 0;
};

// The cost of testing a column, in units of error.
inline std::int64_t test_cost(const Dataset& data, std::int32_t column) {
    if (data.sums() == nullptr) return 0;
    return static_cast<std::int64_t>(data.sums()->feature_cost(static_cast<std::uint32_t>(column)));
}

}  // namespace murtree
