// Phase two of the depth-two algorithm from a few rows of the pair matrix at a time, for tables too
// wide to store all of it. Plain loops over blocks of features, as in sized_phase_two.hpp, and in
// an unnamed namespace for the reason given there.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/sized_phase_two.hpp"

namespace murtree::kernels {
namespace {

// Values, or sizes, of the four leaves of feature i and a block of features j.
template <class Lane>
struct LeafBlock {
    Lane both[feature_block] = {};
    Lane only_i[feature_block] = {};
    Lane only_j[feature_block] = {};
    Lane neither[feature_block] = {};

    // Maximum of the current values and the counts of a column, or their absolute values.
    template <class Value>
    void update(const StripPhaseTwo<Lane>& task,
                std::size_t column,
                std::size_t i,
                std::size_t first,
                Value value) {
        const std::size_t n_rows = task.last - task.first;
        const Lane* const pairs =
            task.counts + (column * n_rows + i - task.first) * task.stride + first;
        const Lane* const singles = task.side.singles + column * task.stride;
        const Lane single_i = singles[i];
        const auto without_i = static_cast<Lane>(task.side.totals[column] - single_i);
        for (std::size_t j = 0; j < feature_block; ++j) {
            const auto with_j_only = static_cast<Lane>(singles[first + j] - pairs[j]);
            raise(both[j], value(pairs[j]));
            raise(only_i[j], value(static_cast<Lane>(single_i - pairs[j])));
            raise(only_j[j], value(with_j_only));
            raise(neither[j], value(static_cast<Lane>(without_i - with_j_only)));
        }
    }
};

// Values of a split by one feature below the other as root: for root i, on its right and its left
// side, and for the roots j.
template <class Lane>
struct SplitBlock {
    Lane right_i[feature_block];
    Lane left_i[feature_block];
    Lane right_j[feature_block];
    Lane left_j[feature_block];

    explicit SplitBlock(const LeafBlock<Lane>& values) {
        for (std::size_t j = 0; j < feature_block; ++j) {
            right_i[j] = static_cast<Lane>(values.both[j] + values.only_i[j]);
            left_i[j] = static_cast<Lane>(values.only_j[j] + values.neither[j]);
            right_j[j] = static_cast<Lane>(values.both[j] + values.only_j[j]);
            left_j[j] = static_cast<Lane>(values.only_i[j] + values.neither[j]);
        }
    }

    // Invalidates the values of splits with a leaf that is too small.
    void drop_small(const LeafBlock<Lane>& sizes, Lane least) {
        for (std::size_t j = 0; j < feature_block; ++j) {
            const bool both = sizes.both[j] >= least;
            const bool only_i = sizes.only_i[j] >= least;
            const bool only_j = sizes.only_j[j] >= least;
            const bool neither = sizes.neither[j] >= least;
            right_i[j] = both & only_i ? right_i[j] : Lane{0};
            left_i[j] = only_j & neither ? left_i[j] : Lane{0};
            right_j[j] = both & only_j ? right_j[j] : Lane{0};
            left_j[j] = only_i & neither ? left_j[j] : Lane{0};
        }
    }
};

template <class Lane>
void see_block(const StripPhaseTwo<Lane>& task,
               std::size_t i,
               std::size_t first,
               const LeafBlock<Lane>& values) {
    SplitBlock<Lane> splits(values);
    for (std::size_t s = 0; s < task.n_sizes; ++s) {
        LeafBlock<Lane> sizes;
        sizes.update(task, task.n_counts + s, i, first, [](Lane size) { return size; });
        splits.drop_small(sizes, task.min_sizes[s]);
    }
    Lane* const right = task.side.right + first;
    Lane* const left = task.side.left + first;
    Lane best_right = 0;
    Lane best_left = 0;
    for (std::size_t j = 0; j < feature_block; ++j) {
        raise(best_right, splits.right_i[j]);
        raise(best_left, splits.left_i[j]);
        raise(right[j], splits.right_j[j]);
        raise(left[j], splits.left_j[j]);
    }
    raise(task.side.right[i], best_right);
    raise(task.side.left[i], best_left);
}

template <class Lane, class Update>
void strip_phase_two(const StripPhaseTwo<Lane>& task, Update update) {
    const std::size_t last = task.last < task.n_features ? task.last : task.n_features;
    for (std::size_t i = task.first; i < last; ++i)
        for (std::size_t first = task.first / feature_block * feature_block; first < task.stride;
             first += feature_block) {
            LeafBlock<Lane> values;
            update(values, i, first);
            see_block(task, i, first, values);
        }
}

template <class Lane>
void strip_two_class(const StripPhaseTwo<Lane>& task) {
    strip_phase_two(task, [&](LeafBlock<Lane>& values, std::size_t i, std::size_t first) {
        values.update(task, 0, i, first, absolute<Lane>);
    });
}

template <class Lane>
void strip_multi_class(const StripPhaseTwo<Lane>& task) {
    strip_phase_two(task, [&](LeafBlock<Lane>& values, std::size_t i, std::size_t first) {
        for (std::size_t column = 0; column < task.n_counts; ++column)
            values.update(task, column, i, first, [](Lane count) { return count; });
    });
}

}  // namespace
}  // namespace murtree::kernels
