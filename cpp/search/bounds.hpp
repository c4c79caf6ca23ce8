// Lower bounds for the parts of one set of rows, from each other (paper: "Similarity-Based Lower
// Bounding").
//
// The paper bounds T(new) >= T(old) - weight(old without new) from two archived sets. Here every
// part of a node bounds every other one, for the overlap of D(f) and D(g) is a pair count of the
// node. Proof: take the optimal tree for `new`; on `old` it errs at most on what it errs on in
// `new`, plus all attainable weight of the rows of `old` that are not in `new`; the optimal tree
// for `old` is no worse. The same holds with a lower bound in the place of T(old), and the depth
// and the number of nodes are the same on both sides.
//
// It holds as well for the best trees with a given feature at the root, and there it loses the
// weight only once for both subtrees: what part `old` taught about each root bounds the roots of
// part `new`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// A bound for D(not g), side 0, or D(g), side 1, from bounds for the parts D(not f) and D(f) of
// every feature. `both` holds the weight of the rows with f and g, by f.
template <class Lane>
Lane similarity_bound(const PartWeights<Lane>& weights,
                      const std::array<const Lane*, 2>& lower,
                      std::size_t g,
                      const Lane* both,
                      int side) {
    Lane best = 0;
    for (std::size_t f = 0; f < weights.n_features; ++f)
        best = std::max({best,
                         static_cast<Lane>(lower[0][f] - weights.lost(0, f, side, g, both[f])),
                         static_cast<Lane>(lower[1][f] - weights.lost(1, f, side, g, both[f]))});
    return best;
}

// What the solved parts of a node taught: for each part and each feature a bound on the trees of
// that part with that feature at the root. All parts have the same depth and number of nodes.
template <class Lane>
class RootBounds {
  public:
    void clear(std::size_t n_features) {
        for (std::vector<std::vector<Lane>>& side : bounds_) {
            side.resize(n_features);
            for (std::vector<Lane>& part : side) part.clear();
        }
    }

    void keep(int side, std::size_t feature, const std::vector<std::int64_t>& bounds) {
        std::vector<Lane>& part = bounds_[static_cast<std::size_t>(side)][feature];
        part.resize(bounds.size());
        std::transform(bounds.begin(), bounds.end(), part.begin(), [](std::int64_t bound) {
            return static_cast<Lane>(bound);
        });
    }

    // Bounds for the roots of D(not g), side 0, or D(g), side 1.
    std::vector<std::int64_t> infer(const PartWeights<Lane>& weights,
                                    std::size_t g,
                                    const Lane* both,
                                    int side) const {
        std::vector<Lane> best(weights.n_features, 0);
        for (int from = 0; from < 2; ++from)
            for (std::size_t f = 0; f < weights.n_features; ++f) {
                const std::vector<Lane>& part = bounds_[static_cast<std::size_t>(from)][f];
                const Lane lost = weights.lost(from, f, side, g, both[f]);
                for (std::size_t root = 0; root < part.size(); ++root)
                    best[root] = std::max(best[root], static_cast<Lane>(part[root] - lost));
            }
        return {best.begin(), best.end()};
    }

  private:
    std::array<std::vector<std::vector<Lane>>, 2>
        bounds_;  // by feature, then root; empty: not known
};

}  // namespace murtree
