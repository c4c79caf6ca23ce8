// Phase two of the depth-two algorithm for summed problems, implemented over a few vector
// operations (`Doubles` of the including file). In an unnamed namespace for the reason given in
// sized_phase_two.hpp.
#pragma once

#include "kernels/impurity.hpp"
#include "kernels/kernels.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {
namespace {

// Four leaves: with both features i and j, with i only, with j only, with neither; for as many j as
// fit a register.
template <class Doubles>
struct FourLeaves {
    using Reg = typename Doubles::Reg;

    Reg both, only_i, only_j, neither;

    // One column of their sums.
    FourLeaves(const SumPhaseTwo& task, std::size_t column, std::size_t i, std::size_t first) {
        const std::size_t stride = task.stride;
        const std::size_t at = column * task.matrix_size + (i - task.first) * stride + first;
        const double single_i = task.singles[column * stride + i];
        both = Doubles::load(task.sums + at);
        if (task.parent != nullptr) both = Doubles::sub(Doubles::load(task.parent + at), both);
        only_i = Doubles::sub(Doubles::broadcast(single_i), both);
        only_j = Doubles::sub(Doubles::load(task.singles + column * stride + first), both);
        neither = Doubles::sub(Doubles::broadcast(task.totals[column] - single_i), only_j);
    }

    template <class Change>
    void change(const FourLeaves& other, Change by) {
        both = by(both, other.both);
        only_i = by(only_i, other.only_i);
        only_j = by(only_j, other.only_j);
        neither = by(neither, other.neither);
    }
};

// unit x sum^2 / weight, rounded up; 0 if there is no weight.
template <class Doubles, bool are_light>
typename Doubles::Reg square_value(typename Doubles::Reg sum,
                                   typename Doubles::Reg weight,
                                   double unit) {
    const auto some = Doubles::max(weight, Doubles::broadcast(1));
    const auto part = are_light ? Doubles::reciprocal_of_light(some) : Doubles::reciprocal(some);
    const auto mean_square = Doubles::mul(Doubles::mul(sum, sum), part);
    return Doubles::rounded_up(Doubles::mul(mean_square, Doubles::broadcast(unit)));
}

// Leaf values from sums, one class per kind of problem: for the leaves with and without a single
// feature, where `sum` returns a column of their sums, and for four leaves.
template <class Doubles>
struct TwoLabels {
    using Reg = typename Doubles::Reg;
    using Four = FourLeaves<Doubles>;

    template <class Sum>
    static Reg leaf(const SumPhaseTwo& /*task*/, Sum sum) {
        return Doubles::absolute(sum(0));
    }
    static Four four(const SumPhaseTwo& task, std::size_t i, std::size_t first) {
        Four values(task, 0, i, first);
        values.change(values, [](Reg value, Reg) { return Doubles::absolute(value); });
        return values;
    }
};

template <class Doubles>
struct Labels {
    using Reg = typename Doubles::Reg;
    using Four = FourLeaves<Doubles>;

    static Reg negative(Reg value) { return Doubles::sub(Doubles::broadcast(0), value); }

    template <class Sum>
    static Reg leaf(const SumPhaseTwo& task, Sum sum) {
        Reg value = negative(sum(0));
        for (std::size_t k = 1; k < task.n_paired; ++k)
            value = Doubles::max(value, negative(sum(k)));
        return value;
    }
    static Four four(const SumPhaseTwo& task, std::size_t i, std::size_t first) {
        Four values(task, 0, i, first);
        values.change(values, [](Reg value, Reg) { return negative(value); });
        for (std::size_t k = 1; k < task.n_paired; ++k)
            values.change(Four(task, k, i, first),
                          [](Reg value, Reg sum) { return Doubles::max(value, negative(sum)); });
        return values;
    }
};

// Weights are light if their total is below this.
constexpr double light = 16777216;  // 2^24

template <class Doubles, bool are_light>
struct Squares {
    using Reg = typename Doubles::Reg;
    using Four = FourLeaves<Doubles>;

    template <class Sum>
    static Reg leaf(const SumPhaseTwo& task, Sum sum) {
        return square_value<Doubles, are_light>(sum(1), sum(0), task.unit);
    }
    static Four four(const SumPhaseTwo& task, std::size_t i, std::size_t first) {
        const double unit = task.unit;
        Four values(task, 1, i, first);
        values.change(Four(task, 0, i, first), [unit](Reg sum, Reg weight) {
            return square_value<Doubles, are_light>(sum, weight, unit);
        });
        return values;
    }
};

template <class Doubles, class Terms>
struct Impurities {
    using Reg = typename Doubles::Reg;
    using Four = FourLeaves<Doubles>;
    using Leaf = ImpureLeaf<Doubles, Terms>;

    template <class Sum>
    static Reg leaf(const SumPhaseTwo& task, Sum sum) {
        Leaf leaf(sum(0));
        for (std::size_t k = 1; k < task.n_paired; ++k) leaf.add(sum(k));
        return leaf.value(task.unit, task.per_error);
    }
    static Four four(const SumPhaseTwo& task, std::size_t i, std::size_t first) {
        Four values(task, 0, i, first);
        Leaf both(values.both), only_i(values.only_i);
        Leaf only_j(values.only_j), neither(values.neither);
        for (std::size_t k = 1; k < task.n_paired; ++k) {
            const Four sums(task, k, i, first);
            both.add(sums.both);
            only_i.add(sums.only_i);
            only_j.add(sums.only_j);
            neither.add(sums.neither);
        }
        values.both = both.value(task.unit, task.per_error);
        values.only_i = only_i.value(task.unit, task.per_error);
        values.only_j = only_j.value(task.unit, task.per_error);
        values.neither = neither.value(task.unit, task.per_error);
        return values;
    }
};

// Feature i against several features j: either may be the root, the other its child.
template <class Doubles, class Kind>
struct RootAndChild {
    using Reg = typename Doubles::Reg;

    const SumPhaseTwo& task;
    std::size_t i;
    Reg best_right;  // for root i, by child
    Reg best_left;

    RootAndChild(const SumPhaseTwo& of, std::size_t feature)
        : task(of),
          i(feature),
          best_right(Doubles::broadcast(of.right[feature])),
          best_left(Doubles::broadcast(of.left[feature])) {}

    void update(std::size_t first) {
        const FourLeaves<Doubles> values = Kind::four(task, i, first);
        const Reg price_i = Doubles::broadcast(task.prices[i]);
        const Reg price_j = Doubles::load(task.prices + first);
        Reg right_i = Doubles::sub(Doubles::add(values.both, values.only_i), price_j);
        Reg left_i = Doubles::sub(Doubles::add(values.only_j, values.neither), price_j);
        Reg right_j = Doubles::sub(Doubles::add(values.both, values.only_j), price_i);
        Reg left_j = Doubles::sub(Doubles::add(values.only_i, values.neither), price_i);
        for (std::size_t s = 0; s < task.n_sizes; ++s) {
            const FourLeaves<Doubles> sizes(task, task.n_paired + s, i, first);
            const Reg least = Doubles::broadcast(task.min_sizes[s]);
            right_i = if_large(right_i, sizes.both, sizes.only_i, least);
            left_i = if_large(left_i, sizes.only_j, sizes.neither, least);
            right_j = if_large(right_j, sizes.both, sizes.only_j, least);
            left_j = if_large(left_j, sizes.only_i, sizes.neither, least);
        }
        best_right = Doubles::max(best_right, right_i);
        best_left = Doubles::max(best_left, left_i);
        raise(task.right + first, right_j);
        raise(task.left + first, left_j);
    }

    // The value, or a value below all others if a leaf is too small.
    static Reg if_large(Reg value, Reg size, Reg other_size, Reg least) {
        return Doubles::if_not_less(value, Doubles::min(size, other_size), least);
    }

    static void raise(double* values, Reg by) {
        Doubles::store(values, Doubles::max(Doubles::load(values), by));
    }

    static void raise_one(double& value, Reg by) {
        alignas(alignment) double each[Doubles::lanes];
        Doubles::store(each, by);
        for (std::size_t j = 0; j < Doubles::lanes; ++j) value = value < each[j] ? each[j] : value;
    }
};

// The task is passed by value, so that the compiler knows that writes do not alias it.
template <class Doubles, class Kind>
void phase_two_of(const SumPhaseTwo task) {
    constexpr std::size_t lanes = Doubles::lanes;
    for (std::size_t first = 0; task.first == 0 && first < task.stride; first += lanes) {  // leaves
        const auto with = [&](std::size_t column) {
            return Doubles::load(task.singles + column * task.stride + first);
        };
        const auto without = [&](std::size_t column) {
            return Doubles::sub(Doubles::broadcast(task.totals[column]), with(column));
        };
        const auto right = Kind::leaf(task, with);
        const auto left = Kind::leaf(task, without);
        Doubles::store(task.right_leaf + first, right);
        Doubles::store(task.left_leaf + first, left);
        Doubles::store(task.right + first, right);
        Doubles::store(task.left + first, left);
    }
    for (std::size_t i = task.first; i < task.last; ++i) {
        RootAndChild<Doubles, Kind> root(task, i);
        for (std::size_t first = i / lanes * lanes; first < task.n_features; first += lanes)
            root.update(first);
        root.raise_one(task.right[i], root.best_right);
        root.raise_one(task.left[i], root.best_left);
    }
}

// For problems with weights, which are first.
template <class Doubles, bool are_light>
void weighted_phase_two(const SumPhaseTwo& task) {
    if (task.kind == SumKind::squares)
        phase_two_of<Doubles, Squares<Doubles, are_light>>(task);
    else if (task.kind == SumKind::gini)
        phase_two_of<Doubles, Impurities<Doubles, GiniTerms<Doubles, are_light>>>(task);
    else
        phase_two_of<Doubles, Impurities<Doubles, LogTerms<Doubles, are_light>>>(task);
}

template <class Doubles>
void sum_phase_two(const SumPhaseTwo& task) {
    // Logarithms need reciprocals of up to 2.51 times the weight.
    const double most = task.kind == SumKind::log_loss ? light / 4 : light;
    if (task.kind == SumKind::two_labels)
        phase_two_of<Doubles, TwoLabels<Doubles>>(task);
    else if (task.kind == SumKind::labels)
        phase_two_of<Doubles, Labels<Doubles>>(task);
    else if (task.totals[0] < most)
        weighted_phase_two<Doubles, true>(task);
    else
        weighted_phase_two<Doubles, false>(task);
}

}  // namespace
}  // namespace murtree::kernels
