// Lower bounds for the parts of one set of rows from one another (paper: "Similarity-Based Lower
// Bounding").
//
// The paper bounds T(new) >= T(old) - weight(old without new) from two archived sets. Here every
// part of a node bounds every other part, since the overlap of D(f) and D(g) is a pair count of the
// node. Proof: on `old`, the optimal tree for `new` misclassifies at most its errors on `new` plus
// all attainable weight of the rows of `old` that are not in `new`; the optimal tree for `old` is
// no worse. The same holds with a lower bound instead of T(old); the depth and the number of nodes
// are the same on both sides.
//
// It also holds for the best trees with a given feature at the root, where the weight is subtracted
// only once for both subtrees: the bounds by root of part `old` bound the roots of part `new`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counts/part_weights.hpp"
#include "kernels/kernels.hpp"

namespace murtree {

// Bounds from the solved parts of a node: for each part, each number of nodes and each feature, a
// bound on the trees of that part with that feature at the root. All parts have the same depth and
// the same requests.
template <class Lane>
class RootBounds {
  public:
    using Bounds = std::vector<kernels::Cost<Lane>>;  // by number of nodes, then root

    void clear(std::size_t n_features) {
        for (std::vector<Bounds>& side : bounds_) {
            side.resize(n_features);
            for (Bounds& part : side) part.clear();
        }
    }

    void keep(int side, std::size_t feature, const std::vector<std::int64_t>& bounds) {
        Bounds& part = bounds_[static_cast<std::size_t>(side)][feature];
        part.resize(bounds.size());
        std::transform(bounds.begin(), bounds.end(), part.begin(), [](std::int64_t bound) {
            return static_cast<kernels::Cost<Lane>>(bound);
        });
    }

    // Bounds for the n roots of D(not g), side 0, or D(g), side 1.
    std::vector<std::int64_t> infer(const PartWeights<Lane>& weights,
                                    std::size_t g,
                                    const Lane* both,
                                    int side,
                                    std::int64_t price,
                                    std::size_t n) const {
        Bounds best(n, 0);
        const auto& kernels = kernels::lane_kernels<Lane>(*kernels::active());
        for (int from = 0; from < 2; ++from)
            for (std::size_t f = 0; f < weights.n_features; ++f) {
                const Bounds& part = bounds_[static_cast<std::size_t>(from)][f];
                const std::int64_t lost = price * weights.lost(from, f, side, g, both[f]);
                kernels.raise_bounds(
                    best.data(), part.data(), static_cast<kernels::Cost<Lane>>(lost), part.size());
            }
        return {best.begin(), best.end()};
    }

  private:
    std::array<std::vector<Bounds>, 2> bounds_;  // by feature; empty: unknown
};

}  // namespace murtree
