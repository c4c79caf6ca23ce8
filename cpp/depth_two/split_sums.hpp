// The choice of a split from the counts, or sums, of the rows with each feature.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "counts/pair_counts.hpp"

namespace murtree {

// The values of the rows with a root feature (right) and without it (left), as leaves and with one
// more split, and the price of the root.
template <class Number>
struct RootValues {
    Number right_leaf, left_leaf, right, left, price;
};

// The sums of a set of rows, by column: first those that determine the value of a leaf, then the
// sizes that have a minimum.
template <class Number>
struct SplitSums {
    const Number* singles;  // columns x stride: of the rows with each feature
    const Number* totals;   // by column: of all rows
    std::size_t n_features;
    std::size_t stride;
    std::size_t n_paired;               // columns of the value
    std::span<const Number> min_sizes;  // by column after those

    Number single(std::size_t column, std::size_t feature) const {
        return singles[column * stride + feature];
    }

    // Whether both parts of a split by this feature are large enough to be leaves.
    bool may_split(std::size_t feature) const {
        for (std::size_t s = 0; s < min_sizes.size(); ++s) {
            const Number with = single(n_paired + s, feature);
            if (with < min_sizes[s] || totals[n_paired + s] - with < min_sizes[s]) return false;
        }
        return true;
    }

    // The largest values of trees with at most 0, 1, 2 and 3 nodes. Considers only roots with large
    // enough parts, of which there may be none. A part that must not be split again is a leaf, so
    // that a larger node budget allows every tree of a smaller one.
    template <class ValuesOf>
    std::array<Number, 4> best_values(Number leaf, ValuesOf values_of) const {
        std::array<Number, 4> best;
        best.fill(leaf);
        for (std::size_t root = 0; root < n_features; ++root) {
            if (!may_split(root)) continue;
            const RootValues<Number> of = values_of(root);
            const auto raise = [&](std::size_t nodes, Number right, Number left) {
                best[nodes] = std::max(best[nodes], static_cast<Number>(right + left - of.price));
            };
            raise(1, of.right_leaf, of.left_leaf);
            raise(2, of.right, of.left_leaf);
            raise(2, of.right_leaf, of.left);
            raise(3, of.right, of.left);
        }
        return best;
    }

    // The feature that best splits the rows with the root feature, or without it; n_features if a
    // leaf is better.
    template <class Objective, class Price>
    std::size_t best_child(const PairRow<Number>& pairs_with_root,
                           std::size_t root,
                           bool with,
                           const Objective& objective,
                           Price price) const {
        const std::size_t n_columns = n_paired + min_sizes.size();
        std::vector<Number> all(n_columns), inside(n_columns), outside(n_columns);
        for (std::size_t c = 0; c < n_columns; ++c)
            all[c] = static_cast<Number>(with ? single(c, root) : totals[c] - single(c, root));
        Number best = objective.leaf_value(all.data());
        std::size_t child = n_features;
        for (std::size_t j = 0; j < n_features; ++j) {
            for (std::size_t c = 0; c < n_columns; ++c) {
                const Number both = pairs_with_root.count(c, j);
                inside[c] = static_cast<Number>(with ? both : single(c, j) - both);
                outside[c] = static_cast<Number>(all[c] - inside[c]);
            }
            bool is_allowed = true;
            for (std::size_t s = 0; s < min_sizes.size(); ++s)
                is_allowed &= std::min(inside[n_paired + s], outside[n_paired + s]) >= min_sizes[s];
            const auto value = static_cast<Number>(objective.leaf_value(inside.data()) +
                                                   objective.leaf_value(outside.data()) - price(j));
            if (!is_allowed || value <= best) continue;
            best = value;
            child = j;
        }
        return child;
    }
};

}  // namespace murtree
