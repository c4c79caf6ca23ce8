// Phase two of the depth-two algorithm from a few rows of the matrix of pairs at a time, for tables
// too wide to keep all of it. Plain loops over blocks of features, as in sized_phase_two.hpp, and
// in an unnamed namespace for the reason given there.
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

    // The larger of what is there and the counts of a column, as they are or without their sign.
    template <class Value>
    void see(const StripPhaseTwo<Lane>& task,
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

// The best value of one split of rows that part into these leaves; none where one is too small.
template <class Lane>
Lane split_value(Lane one, Lane other, Lane size, Lane other_size, Lane least) {
    return size < least || other_size < least ? Lane{0} : static_cast<Lane>(one + other);
}

template <class Lane>
void see_block(const StripPhaseTwo<Lane>& task,
               std::size_t i,
               std::size_t first,
               const LeafBlock<Lane>& values) {
    Lane* const right = task.side.right + first;
    Lane* const left = task.side.left + first;
    Lane best_right = 0;
    Lane best_left = 0;
    LeafBlock<Lane> sizes;
    if (task.min_size > 1) sizes.see(task, task.n_counts, i, first, [](Lane size) { return size; });
    const Lane least = task.min_size > 1 ? task.min_size : Lane{0};
    for (std::size_t j = 0; j < feature_block; ++j) {
        const auto value = [&](const Lane(&one)[feature_block],
                               const Lane(&other)[feature_block],
                               const Lane(&size)[feature_block],
                               const Lane(&other_size)[feature_block]) {
            return split_value(one[j], other[j], size[j], other_size[j], least);
        };
        raise(best_right, value(values.both, values.only_i, sizes.both, sizes.only_i));
        raise(best_left, value(values.only_j, values.neither, sizes.only_j, sizes.neither));
        raise(right[j], value(values.both, values.only_j, sizes.both, sizes.only_j));
        raise(left[j], value(values.only_i, values.neither, sizes.only_i, sizes.neither));
    }
    raise(task.side.right[i], best_right);
    raise(task.side.left[i], best_left);
}

template <class Lane, class See>
void strip_phase_two(const StripPhaseTwo<Lane>& task, See see) {
    const std::size_t last = task.last < task.n_features ? task.last : task.n_features;
    for (std::size_t i = task.first; i < last; ++i)
        for (std::size_t first = task.first / feature_block * feature_block; first < task.stride;
             first += feature_block) {
            LeafBlock<Lane> values;
            see(values, i, first);
            see_block(task, i, first, values);
        }
}

template <class Lane>
void strip_two_class(const StripPhaseTwo<Lane>& task) {
    strip_phase_two(task, [&](LeafBlock<Lane>& values, std::size_t i, std::size_t first) {
        values.see(task, 0, i, first, absolute<Lane>);
    });
}

template <class Lane>
void strip_multi_class(const StripPhaseTwo<Lane>& task) {
    strip_phase_two(task, [&](LeafBlock<Lane>& values, std::size_t i, std::size_t first) {
        for (std::size_t column = 0; column < task.n_counts; ++column)
            values.see(task, column, i, first, [](Lane count) { return count; });
    });
}

}  // namespace
}  // namespace murtree::kernels
