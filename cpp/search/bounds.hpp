// Lower bounds for the parts of one set of rows, from each other (paper: "Similarity-Based Lower
// Bounding").
//
// The paper bounds T(new) >= T(old) - weight(old without new) from two archived sets. Here every
// part of a node bounds every other one, for the overlap of D(f) and D(g) is a pair count of the
// node: with w(f, g) the attainable weight of the rows with both features,
//     T(D(g))     >= T(D(f)) - [w(f) - w(f, g)]          T(D(g))     >= T(D(not f)) - [w - w(f) -
//     w(g) + w(f, g)] T(D(not g)) >= T(D(f)) - w(f, g)                   T(D(not g)) >= T(D(not f))
//     - [w(g) - w(f, g)]
// Proof of each: take the optimal tree for `new`; on `old` it errs at most on what it errs on in
// `new`, plus all attainable weight of the rows of `old` that are not in `new`; the optimal tree
// for `old` is no worse. The same holds with a lower bound in the place of T(old), and the depth
// and the number of nodes are the same on both sides.
#pragma once

#include <algorithm>
#include <cstddef>

namespace murtree {

// What is known of the parts of a node: weights of single features and lower bounds for D(not f)
// and D(f), by feature.
template <class Lane>
struct KnownParts {
    std::size_t n_features;
    Lane weight;
    const Lane* weight_with;
    const Lane* lower_without;
    const Lane* lower_with;
};

// A bound for D(not g), side 0, or D(g), side 1. `both` holds w(f, g) for every f. No sum leaves
// the range of a lane: weights are at most `weight`, and every difference below is of two values in
// [0, weight].
template <class Lane>
Lane similarity_bound(const KnownParts<Lane>& known, std::size_t g, const Lane* both, int side) {
    Lane best = 0;
    const Lane weight_g = known.weight_with[g];
    for (std::size_t f = 0; f < known.n_features; ++f) {
        const Lane common = both[f];
        const auto only_g = static_cast<Lane>(weight_g - common);
        const auto only_f = static_cast<Lane>(known.weight_with[f] - common);
        const auto neither = static_cast<Lane>(known.weight - known.weight_with[f] - only_g);
        const Lane lost_with =
            side == 1 ? only_f : common;  // rows of D(f) that are not in the part
        const Lane lost_without = side == 1 ? neither : only_g;
        best = std::max({best,
                         static_cast<Lane>(known.lower_with[f] - lost_with),
                         static_cast<Lane>(known.lower_without[f] - lost_without)});
    }
    return best;
}

}  // namespace murtree
