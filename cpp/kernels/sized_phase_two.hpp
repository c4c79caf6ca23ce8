// Phase two of the depth-two algorithm from existing counts, with any minimum leaf sizes: a split
// is valid only if both leaves have at least the minimum of each size. Plain loops over blocks of
// roots in local arrays, which compilers vectorise for the instruction set of the including file.
//
// Everything is in an unnamed namespace and does not call the standard library: a function shared
// with another file could be linked into code that runs on older processors.
#pragma once

#include "kernels/kernels.hpp"

namespace murtree::kernels {
namespace {

// A block of root features starting at `first`, and the best values of their two sides so far.
template <class Lane>
struct SizedRoots {
    const SizedPhaseTwo<Lane>& task;
    std::size_t first;
    Lane right[feature_block];
    Lane left[feature_block];

    // Updates the best values with child i of all roots, where the leaves are large enough.
    void update(std::size_t i, Lane* right_values, Lane* left_values) {
        for (std::size_t s = 0; s < task.n_sizes; ++s) drop_small(i, s, right_values, left_values);
        for (std::size_t j = 0; j < feature_block; ++j) {
            right[j] = right[j] < right_values[j] ? right_values[j] : right[j];
            left[j] = left[j] < left_values[j] ? left_values[j] : left[j];
        }
    }

    void drop_small(std::size_t i, std::size_t s, Lane* right_values, Lane* left_values) const {
        const std::size_t stride = task.stride;
        const std::size_t column = task.n_counts + s;
        const Lane* const sizes = task.side.singles + column * stride;
        const Lane* const with = sizes + first;
        const Lane* const both = task.counts + (column * stride + i) * stride + first;
        const auto without_i = static_cast<Lane>(task.side.totals[column] - sizes[i]);
        const Lane size_i = sizes[i];
        const Lane least = task.min_sizes[s];
        for (std::size_t j = 0; j < feature_block; ++j) {
            const auto only_j = static_cast<Lane>(with[j] - both[j]);
            const auto only_i = static_cast<Lane>(size_i - both[j]);
            const auto neither = static_cast<Lane>(without_i - only_j);
            right_values[j] = both[j] < least || only_j < least ? Lane{0} : right_values[j];
            left_values[j] = only_i < least || neither < least ? Lane{0} : left_values[j];
        }
    }

    void write() const {
        for (std::size_t j = 0; j < feature_block; ++j) {
            task.side.right[first + j] = right[j];
            task.side.left[first + j] = left[j];
        }
    }
};

template <class Lane>
Lane absolute(Lane a) {
    return a < 0 ? static_cast<Lane>(-a) : a;
}

template <class Lane>
void sized_two_class(const SizedPhaseTwo<Lane>& task) {
    const std::size_t stride = task.stride;
    const Lane total = task.side.totals[0];
    for (std::size_t first = 0; first < stride; first += feature_block) {
        SizedRoots<Lane> roots{task, first, {}, {}};
        Lane with[feature_block];
        for (std::size_t j = 0; j < feature_block; ++j) {  // as leaves
            with[j] = task.side.singles[first + j];
            roots.right[j] = absolute(with[j]);
            roots.left[j] = absolute(static_cast<Lane>(total - with[j]));
        }
        for (std::size_t i = 0; i < task.n_features; ++i) {
            const Lane* const both = task.counts + i * stride + first;
            const Lane single = task.side.singles[i];
            Lane right[feature_block];
            Lane left[feature_block];
            for (std::size_t j = 0; j < feature_block; ++j) {
                const auto only_j = static_cast<Lane>(with[j] - both[j]);
                const auto only_i = static_cast<Lane>(single - both[j]);
                const auto neither = static_cast<Lane>(total - single - only_j);
                right[j] = static_cast<Lane>(absolute(both[j]) + absolute(only_j));
                left[j] = static_cast<Lane>(absolute(only_i) + absolute(neither));
            }
            roots.update(i, right, left);
        }
        roots.write();
    }
}

template <class Lane>
void raise(Lane& best, Lane value) {
    best = best < value ? value : best;
}

template <class Lane>
void sized_multi_class(const SizedPhaseTwo<Lane>& task) {
    const std::size_t stride = task.stride;
    for (std::size_t first = 0; first < stride; first += feature_block) {
        SizedRoots<Lane> roots{task, first, {}, {}};
        for (std::size_t k = 0; k < task.n_counts; ++k)  // as leaves
            for (std::size_t j = 0; j < feature_block; ++j) {
                const Lane with = task.side.singles[k * stride + first + j];
                raise(roots.right[j], with);
                raise(roots.left[j], static_cast<Lane>(task.side.totals[k] - with));
            }
        for (std::size_t i = 0; i < task.n_features; ++i) {
            Lane best11[feature_block] = {}, best10[feature_block] = {};
            Lane best01[feature_block] = {}, best00[feature_block] = {};
            for (std::size_t k = 0; k < task.n_counts; ++k) {
                const Lane* const singles = task.side.singles + k * stride;
                const Lane* const both = task.counts + (k * stride + i) * stride + first;
                const Lane single = singles[i];
                const auto without = static_cast<Lane>(task.side.totals[k] - single);
                for (std::size_t j = 0; j < feature_block; ++j) {
                    const auto only_j = static_cast<Lane>(singles[first + j] - both[j]);
                    raise(best11[j], both[j]);
                    raise(best10[j], only_j);
                    raise(best01[j], static_cast<Lane>(single - both[j]));
                    raise(best00[j], static_cast<Lane>(without - only_j));
                }
            }
            for (std::size_t j = 0; j < feature_block; ++j) {
                best11[j] = static_cast<Lane>(best11[j] + best10[j]);
                best01[j] = static_cast<Lane>(best01[j] + best00[j]);
            }
            roots.update(i, best11, best01);
        }
        roots.write();
    }
}

}  // namespace
}  // namespace murtree::kernels
