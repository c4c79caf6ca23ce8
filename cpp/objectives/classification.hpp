// Misclassified weight for any number of classes: conversion of counts to costs.
//
// The cost of a leaf is the attainable weight of its rows (see Dataset) less the weight of its
// heaviest class. Two classes are stored as one signed count, class 1 less class 0: then all weight
// is attainable and the cost is half of weight - |signed count|, so that one number per pair of
// features is enough for both classes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murtree {

class Classification {
  public:
    explicit Classification(std::size_t n_classes) : n_classes_(n_classes) {}

    bool is_signed() const { return n_classes_ == 2; }
    std::size_t n_counts() const { return is_signed() ? 1 : n_classes_; }

    // The value of a leaf (margin, or correctly classified weight) from its counts.
    template <class Lane>
    Lane leaf_value(const Lane* counts) const {
        if (is_signed()) return static_cast<Lane>(*counts < 0 ? -*counts : *counts);
        Lane best = counts[0];
        for (std::size_t k = 1; k < n_classes_; ++k)
            if (best < counts[k]) best = counts[k];
        return best;
    }

    // The cost of leaves with this total value over rows of this attainable weight.
    std::int64_t cost(std::int64_t attainable, std::int64_t value) const {
        return is_signed() ? (attainable - value) / 2 : attainable - value;
    }

  private:
    std::size_t n_classes_;
};

}  // namespace murtree
