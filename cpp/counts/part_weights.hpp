// Weights of the parts of a node, and the overlap of two parts.
#pragma once

#include <cstddef>

namespace murtree {

// The attainable weights of a node: of all rows, and of the rows with a feature.
template <class Lane>
struct PartWeights {
    std::size_t n_features;
    Lane weight;
    const Lane* with;

    // Weight of the rows of D(f) (from = 1) or D(not f) (from = 0) that are not in D(g) or D(not
    // g); `both` is the weight of the rows with f and g. Every sum is within [0, weight].
    Lane lost(int from, std::size_t f, int to, std::size_t g, Lane both) const {
        if (from == 1) return static_cast<Lane>(to == 1 ? with[f] - both : both);
        return static_cast<Lane>(to == 1 ? weight - with[f] - with[g] + both : with[g] - both);
    }
};

}  // namespace murtree
