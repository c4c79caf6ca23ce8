// Phase two of the depth-two algorithm for summed problems. Plain loops over blocks of 32 features
// in arrays of their own, which compilers turn into the vector instructions of the including file.
// In an unnamed namespace and without the standard library for the reason given in
// sized_phase_two.hpp.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {
namespace {

inline double larger(double a, double b) {
    return a < b ? b : a;
}

// The least whole number that is not below x, for 0 <= x < 2^51.
inline double rounded_up(double x) {
    constexpr double magic = 4503599627370496.0;  // 2^52: no room for a fraction beside it
    const double nearest = (x + magic) - magic;
    return nearest < x ? nearest + 1 : nearest;
}

// unit x sum^2 / weight, rounded up; no weight, no value.
inline double square_value(double weight, double sum, double unit) {
    return rounded_up(sum * sum / (weight < 1 ? 1 : weight) * unit);
}

// Four leaves: with both features i and j, with i only, with j only, with neither; by j.
struct FourLeaves {
    double both[feature_block];
    double only_i[feature_block];
    double only_j[feature_block];
    double neither[feature_block];
};

// One column of the four leaves.
inline void load_leaves(
    const SumPhaseTwo& task, std::size_t column, std::size_t i, std::size_t first, FourLeaves& to) {
    const std::size_t stride = task.stride;
    const double* const sums = task.sums + (column * stride + i) * stride + first;
    const double* const singles = task.singles + column * stride + first;
    const double single_i = task.singles[column * stride + i];
    const double without_i = task.totals[column] - single_i;
    if (task.parent != nullptr) {
        const double* const parent = task.parent + (column * stride + i) * stride + first;
        for (std::size_t j = 0; j < feature_block; ++j) to.both[j] = parent[j] - sums[j];
    } else {
        for (std::size_t j = 0; j < feature_block; ++j) to.both[j] = sums[j];
    }
    for (std::size_t j = 0; j < feature_block; ++j) {
        to.only_i[j] = single_i - to.both[j];
        to.only_j[j] = singles[j] - to.both[j];
        to.neither[j] = without_i - to.only_j[j];
    }
}

// A column of the rows with feature j, or without it.
inline double leaf_sum(const SumPhaseTwo& task, std::size_t column, std::size_t j, bool with) {
    const double sum = task.singles[column * task.stride + j];
    return with ? sum : task.totals[column] - sum;
}

// The values of leaves from their sums, one kind of problem each.
struct TwoLabels {
    static double leaf(const SumPhaseTwo& task, std::size_t j, bool with) {
        const double sum = leaf_sum(task, 0, j, with);
        return sum < 0 ? -sum : sum;
    }
    static void magnitude(double* sums) {
        for (std::size_t j = 0; j < feature_block; ++j) sums[j] = sums[j] < 0 ? -sums[j] : sums[j];
    }
    static void values(const SumPhaseTwo& task, std::size_t i, std::size_t first, FourLeaves& to) {
        load_leaves(task, 0, i, first, to);
        magnitude(to.both);
        magnitude(to.only_i);
        magnitude(to.only_j);
        magnitude(to.neither);
    }
};

struct Labels {
    static double leaf(const SumPhaseTwo& task, std::size_t j, bool with) {
        double value = -leaf_sum(task, 0, j, with);
        for (std::size_t k = 1; k < task.n_paired; ++k)
            value = larger(value, -leaf_sum(task, k, j, with));
        return value;
    }
    static void raise(double* values, const double* sums) {
        for (std::size_t j = 0; j < feature_block; ++j) values[j] = larger(values[j], -sums[j]);
    }
    static void values(const SumPhaseTwo& task, std::size_t i, std::size_t first, FourLeaves& to) {
        for (std::size_t j = 0; j < feature_block; ++j)
            to.both[j] = to.only_i[j] = to.only_j[j] = to.neither[j] = -1e300;
        FourLeaves sums;
        for (std::size_t k = 0; k < task.n_paired; ++k) {
            load_leaves(task, k, i, first, sums);
            raise(to.both, sums.both);
            raise(to.only_i, sums.only_i);
            raise(to.only_j, sums.only_j);
            raise(to.neither, sums.neither);
        }
    }
};

struct Squares {
    static double leaf(const SumPhaseTwo& task, std::size_t j, bool with) {
        return square_value(leaf_sum(task, 0, j, with), leaf_sum(task, 1, j, with), task.unit);
    }
    static void make(const double* weights, double* sums, double unit) {
        for (std::size_t j = 0; j < feature_block; ++j)
            sums[j] = square_value(weights[j], sums[j], unit);
    }
    static void values(const SumPhaseTwo& task, std::size_t i, std::size_t first, FourLeaves& to) {
        FourLeaves weights;
        load_leaves(task, 0, i, first, weights);
        load_leaves(task, 1, i, first, to);
        make(weights.both, to.both, task.unit);
        make(weights.only_i, to.only_i, task.unit);
        make(weights.only_j, to.only_j, task.unit);
        make(weights.neither, to.neither, task.unit);
    }
};

// Whether two leaves are large enough, as 0 or as a value that none is below.
inline double too_small(double a, double b, double least) {
    return a < least || b < least ? -1e300 : 0;
}

// One feature i against a block of features j: each may be the root, the other its child.
template <class Kind>
struct PairBlock {
    const SumPhaseTwo& task;
    double best_right[feature_block];  // of root i, by child
    double best_left[feature_block];

    explicit PairBlock(const SumPhaseTwo& of) : task(of), best_right{}, best_left{} {}

    void see(std::size_t i, std::size_t first) {
        FourLeaves values;
        Kind::values(task, i, first, values);
        const double* const prices = task.prices + first;
        const double price_i = task.prices[i];
        double right_i[feature_block];
        double left_i[feature_block];
        double right_j[feature_block];
        double left_j[feature_block];
        for (std::size_t j = 0; j < feature_block; ++j) {
            right_i[j] = values.both[j] + values.only_i[j] - prices[j];
            left_i[j] = values.only_j[j] + values.neither[j] - prices[j];
            right_j[j] = values.both[j] + values.only_j[j] - price_i;
            left_j[j] = values.only_i[j] + values.neither[j] - price_i;
        }
        if (task.min_size > 1) {
            FourLeaves sizes;
            load_leaves(task, task.n_paired, i, first, sizes);
            const double least = task.min_size;
            for (std::size_t j = 0; j < feature_block; ++j) {
                right_i[j] += too_small(sizes.both[j], sizes.only_i[j], least);
                left_i[j] += too_small(sizes.only_j[j], sizes.neither[j], least);
                right_j[j] += too_small(sizes.both[j], sizes.only_j[j], least);
                left_j[j] += too_small(sizes.only_i[j], sizes.neither[j], least);
            }
        }
        double* const right = task.right + first;
        double* const left = task.left + first;
        for (std::size_t j = 0; j < feature_block; ++j) {
            best_right[j] = larger(best_right[j], right_i[j]);
            best_left[j] = larger(best_left[j], left_i[j]);
            right[j] = larger(right[j], right_j[j]);
            left[j] = larger(left[j], left_j[j]);
        }
    }
};

template <class Kind>
void summed_phase_two(const SumPhaseTwo& task) {
    const std::size_t stride = task.stride;
    for (std::size_t j = 0; j < stride; ++j) {  // as leaves
        task.right[j] = Kind::leaf(task, j, true);
        task.left[j] = Kind::leaf(task, j, false);
    }
    for (std::size_t i = 0; i < task.n_features; ++i) {
        PairBlock<Kind> block(task);
        for (std::size_t j = 0; j < feature_block; ++j) {
            block.best_right[j] = task.right[i];
            block.best_left[j] = task.left[i];
        }
        for (std::size_t first = i / feature_block * feature_block; first < stride;
             first += feature_block)
            block.see(i, first);
        for (std::size_t j = 0; j < feature_block; ++j) {
            task.right[i] = larger(task.right[i], block.best_right[j]);
            task.left[i] = larger(task.left[i], block.best_left[j]);
        }
    }
}

void sum_phase_two(const SumPhaseTwo& task) {
    if (task.kind == SumKind::two_labels)
        summed_phase_two<TwoLabels>(task);
    else if (task.kind == SumKind::labels)
        summed_phase_two<Labels>(task);
    else
        summed_phase_two<Squares>(task);
}

}  // namespace
}  // namespace murtree::kernels
