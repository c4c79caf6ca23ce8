// Phase two: from pair counts to trees. The other steps are in files of their own, included here so
// that everything is instantiated once for each lane.
#include "depth_two/depth_two.hpp"

#include <algorithm>

#include "depth_two/depth_two_counts.ipp"
#include "depth_two/depth_two_parts.ipp"
#include "depth_two/depth_two_strips.ipp"

namespace murtree {

// Values of the two leaves below a root: of the rows with the feature, and without it.
template <class Lane>
std::array<Lane, 2> DepthTwo<Lane>::leaf_values(const SideArrays& arrays, std::size_t root) const {
    if (objective_.is_signed()) {
        const Lane with = arrays.singles[root];
        const auto without = static_cast<Lane>(arrays.totals[0] - with);
        return {objective_.leaf_value(&with), objective_.leaf_value(&without)};
    }
    Lane right = 0;
    Lane left = 0;
    for (std::size_t k = 0; k < objective_.n_counts(); ++k) {
        const Lane with = arrays.singles[k * arrays.stride + root];
        right = std::max(right, with);
        left = std::max(left, static_cast<Lane>(arrays.totals[k] - with));
    }
    return {right, left};
}

template <class Lane>
kernels::Side<Lane> DepthTwo<Lane>::side_of(SideArrays& arrays, bool wanted) const {
    if (!wanted) return {nullptr, nullptr, nullptr, nullptr};
    arrays.right.resize(arrays.stride);
    arrays.left.resize(arrays.stride);
    return {arrays.singles.data(), arrays.totals.data(), arrays.right.data(), arrays.left.data()};
}

template <class Lane>
void DepthTwo<Lane>::run(const kernels::PhaseTwo<Lane>& task) const {
    if (objective_.is_signed())
        kernels_->two_class(task);
    else
        kernels_->multi_class(task);
}

template <class Lane>
DepthTwoCosts DepthTwo<Lane>::costs_of(const SideArrays& arrays,
                                       std::int64_t attainable,
                                       bool all_budgets) const {
    if (is_sized()) return sized_costs_of(arrays, attainable);
    const std::size_t n = arrays.n_features;
    const Lane zero = objective_.leaf_value(arrays.totals.data());
    Lane three = zero;
    for (std::size_t j = 0; j < n; ++j)
        three = std::max(three, static_cast<Lane>(arrays.right[j] + arrays.left[j]));
    DepthTwoCosts costs{};
    costs[3] = objective_.cost(attainable, three);
    if (!all_budgets) return costs;
    Lane one = zero;
    Lane two = zero;
    for (std::size_t j = 0; j < n; ++j) {
        const auto [right, left] = leaf_values(arrays, j);
        one = std::max(one, static_cast<Lane>(right + left));
        two = std::max({two,
                        static_cast<Lane>(arrays.right[j] + left),
                        static_cast<Lane>(right + arrays.left[j])});
    }
    costs[0] = objective_.cost(attainable, zero);
    costs[1] = objective_.cost(attainable, one);
    costs[2] = objective_.cost(attainable, std::max(one, two));
    costs[3] = std::min(costs[2], costs[3]);
    return costs;
}

// Only roots with large enough parts. There may be none, and a part that must not be split again is
// a leaf: more nodes allow what fewer allow.
template <class Lane>
DepthTwoCosts DepthTwo<Lane>::sized_costs_of(const SideArrays& arrays,
                                             std::int64_t attainable) const {
    const Lane* const sizes = arrays.singles.data() + objective_.n_counts() * arrays.stride;
    const Lane* const all = arrays.totals.data() + objective_.n_counts();
    std::array<Lane, 4> best{};
    best.fill(objective_.leaf_value(arrays.totals.data()));
    for (std::size_t j = 0; j < arrays.n_features; ++j) {
        if (!large_enough([&](std::size_t s) { return sizes[s * arrays.stride + j]; },
                          [&](std::size_t s) { return all[s]; }))
            continue;
        const auto [right, left] = leaf_values(arrays, j);
        best[1] = std::max(best[1], static_cast<Lane>(right + left));
        best[2] = std::max({best[2],
                            static_cast<Lane>(arrays.right[j] + left),
                            static_cast<Lane>(right + arrays.left[j])});
        best[3] = std::max(best[3], static_cast<Lane>(arrays.right[j] + arrays.left[j]));
    }
    DepthTwoCosts costs{};
    for (std::size_t nodes = 0; nodes < costs.size(); ++nodes)
        costs[nodes] = objective_.cost(attainable, best[nodes]);
    return costs;
}

// Phase two from counts made before: the sibling of no rows at all.
template <class Lane>
void DepthTwo<Lane>::solve_from_counts(const Lane* counts, SideArrays& arrays) const {
    if (is_sized()) {
        const kernels::SizedPhaseTwo<Lane> task{counts,
                                                objective_.n_counts(),
                                                arrays.n_features,
                                                arrays.stride,
                                                side_of(arrays, true),
                                                n_sizes_,
                                                min_sizes_.data()};
        (objective_.is_signed() ? kernels_->sized_two_class : kernels_->sized_multi_class)(task);
        return;
    }
    const kernels::Side<Lane> nothing{nullptr, nullptr, nullptr, nullptr};
    const kernels::PackedRows<Lane> no_rows{
        nullptr, nullptr, nullptr, 0, arrays.n_features, arrays.stride};
    run({no_rows, counts, objective_.n_counts(), nothing, side_of(arrays, true)});
}

template <class Lane>
DepthTwoCosts DepthTwo<Lane>::solve(Limits& limits) {
    if (is_in_strips_) {
        solve_strips(packed_, whole_, next_root_, limits);
    } else if (!is_solved()) {
        solve_from_counts(pairs_.data(), whole_);
        next_root_ = n_features();
    }
    root_costs_.resize(stride_);
    for (std::size_t j = 0; j < rows_->n_features; ++j)
        root_costs_[j] =
            may_split(j)
                ? static_cast<Lane>(objective_.cost(weight_, whole_.right[j] + whole_.left[j]))
                : weight_;
    return costs_of(whole_, weight_, true);
}

template <class Lane>
DepthTwoTree DepthTwo<Lane>::tree(std::size_t nodes) {
    const auto cost = [&](std::size_t root, SplitSides split) {
        const auto [right, left] = leaf_values(whole_, root);
        return objective_.cost(weight_,
                               std::int64_t{split.with ? whole_.right[root] : right} +
                                   (split.without ? whole_.left[root] : left));
    };
    return tree_of_cost(*this, costs_of(whole_, weight_, true), nodes, cost);
}

// Whether the leaves below a child of a root are large enough; `pairs` are those with the root.
template <class Lane>
bool DepthTwo<Lane>::child_may_split(std::size_t root,
                                     bool with,
                                     std::size_t child,
                                     const PairRow& pairs) const {
    const auto both = [&](std::size_t s) { return pairs.count(objective_.n_counts() + s, child); };
    if (with) return large_enough(both, [&](std::size_t s) { return single_size(s, root); });
    return large_enough([&](std::size_t s) { return single_size(s, child) - both(s); },
                        [&](std::size_t s) { return total_size(s) - single_size(s, root); });
}

// The feature that best splits the rows with (or without) the root feature.
template <class Lane>
std::uint32_t DepthTwo<Lane>::best_child(std::size_t root, bool with) {
    const std::size_t n_counts = objective_.n_counts();
    const PairRow pairs = pairs_with(root);
    std::vector<Lane> inside(n_counts);
    std::vector<Lane> outside(n_counts);
    std::int64_t best = -1;
    std::size_t child = 0;
    for (std::size_t j = 0; j < rows_->n_features; ++j) {
        if (!child_may_split(root, with, j, pairs)) continue;
        for (std::size_t k = 0; k < n_counts; ++k) {
            const Lane both = pairs.count(k, j);
            const Lane root_single = whole_.singles[k * stride_ + root];
            const auto all = static_cast<Lane>(with ? root_single : whole_.totals[k] - root_single);
            inside[k] = static_cast<Lane>(with ? both : whole_.singles[k * stride_ + j] - both);
            outside[k] = static_cast<Lane>(all - inside[k]);
        }
        const std::int64_t value = std::int64_t{objective_.leaf_value(inside.data())} +
                                   objective_.leaf_value(outside.data());
        if (value > best) {
            best = value;
            child = j;
        }
    }
    return rows_->features[child];
}

template <class Lane>
double DepthTwo<Lane>::gini(std::size_t feature) const {
    double impurity = 0;
    for (const bool with : {false, true}) {
        const auto count = [&](std::size_t k) {
            const Lane inside = whole_.singles[k * stride_ + feature];
            return static_cast<double>(with ? inside : whole_.totals[k] - inside);
        };
        std::vector<double> by_class;
        if (objective_.is_signed()) {  // class 1 less class 0, and both together
            const auto all =
                static_cast<double>(with ? weight_with_[feature] : weight_ - weight_with_[feature]);
            by_class = {(all - count(0)) / 2, (all + count(0)) / 2};
        } else {
            for (std::size_t k = 0; k < objective_.n_counts(); ++k) by_class.push_back(count(k));
        }
        double total = 0;
        double squares = 0;
        for (const double weight : by_class) {
            total += weight;
            squares += weight * weight;
        }
        if (total > 0) impurity += total - squares / total;
    }
    return impurity;
}

template class DepthTwo<std::int16_t>;
template class DepthTwo<std::int32_t>;
template class DepthTwo<std::int64_t>;

}  // namespace murtree
