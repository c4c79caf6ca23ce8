// Phase two: from the pair counts of a node to its best trees.
#include "depth_two/depth_two.hpp"

#include <algorithm>
#include <limits>

namespace murtree {

template <class Lane>
void DepthTwo<Lane>::load(const Rows& rows, const DepthTwoRules& rules, Limits& limits) {
    if (holds(rows)) return;
    objective_ = rules.objective;
    choose_sizes(rules.least_sizes);
    next_root_ = 0;
    const CountLayout layout(objective_, rules.least_sizes);
    counts_.load(rows, {layout, rules.counting, rules.pair_bytes}, limits);
    if (limits.stopped()) return;
    right_.resize(stride());
    left_.resize(stride());
    for (std::vector<std::int64_t>& costs : leaf_costs_) costs.resize(n_features());
    for (std::size_t f = 0; f < n_features(); ++f) {
        const auto [right, left] = leaf_values(whole(), f);
        leaf_costs_[0][f] = objective_.cost(weight_of(0, f), left);
        leaf_costs_[1][f] = objective_.cost(weight_of(1, f), right);
    }
}

// Clamps the minimum to the largest value of a lane: two leaves of that size cannot exist.
template <class Lane>
void DepthTwo<Lane>::choose_sizes(const LeastSizes& least) {
    min_sizes_.clear();
    for (const std::int64_t size : least.of)
        if (size > 0)
            min_sizes_.push_back(
                static_cast<Lane>(std::min<std::int64_t>(size, std::numeric_limits<Lane>::max())));
}

// Values of the two leaves below a root: of the rows with the feature, and of those without it.
template <class Lane>
std::array<Lane, 2> DepthTwo<Lane>::leaf_values(const SideView& view, std::size_t root) const {
    const Lane* const singles = view.side.singles;
    const Lane* const totals = view.side.totals;
    if (objective_.is_signed()) {
        const Lane with = singles[root];
        const auto without = static_cast<Lane>(totals[0] - with);
        return {objective_.leaf_value(&with), objective_.leaf_value(&without)};
    }
    Lane right = 0;
    Lane left = 0;
    for (std::size_t k = 0; k < objective_.n_counts(); ++k) {
        const Lane with = singles[k * view.stride + root];
        right = std::max(right, with);
        left = std::max(left, static_cast<Lane>(totals[k] - with));
    }
    return {right, left};
}

template <class Lane>
void DepthTwo<Lane>::run(const kernels::PhaseTwo<Lane>& task) const {
    if (objective_.is_signed())
        kernels_->two_class(task);
    else
        kernels_->multi_class(task);
}

template <class Lane>
DepthTwoCosts DepthTwo<Lane>::costs_of(const SideView& view,
                                       std::int64_t attainable,
                                       bool all_budgets) const {
    const auto values = [&](std::size_t root) -> RootValues<Lane> {
        const auto [right, left] = leaf_values(view, root);
        return {right, left, view.side.right[root], view.side.left[root], 0};
    };
    const Lane leaf = objective_.leaf_value(view.side.totals);
    DepthTwoCosts costs{};
    if (all_budgets || is_sized()) {
        const std::array<Lane, 4> best = sums_of(view).best_values(leaf, values);
        for (std::size_t nodes = 0; nodes < costs.size(); ++nodes)
            costs[nodes] = objective_.cost(attainable, best[nodes]);
        return costs;
    }
    Lane three = leaf;
    for (std::size_t j = 0; j < view.n_features; ++j)
        three = std::max(three, static_cast<Lane>(view.side.right[j] + view.side.left[j]));
    costs[3] = objective_.cost(attainable, three);
    return costs;
}

// Phase two from existing counts: the sibling of an empty set of rows.
template <class Lane>
void DepthTwo<Lane>::solve_from_counts(const Lane* counts, const SideView& view) const {
    const std::size_t n_counts = objective_.n_counts();
    if (is_sized()) {
        (objective_.is_signed() ? kernels_->sized_two_class
                                : kernels_->sized_multi_class)({counts,
                                                                n_counts,
                                                                view.n_features,
                                                                view.stride,
                                                                view.side,
                                                                min_sizes_.size(),
                                                                min_sizes_.data()});
        return;
    }
    const kernels::PackedRows<Lane> no_rows{
        nullptr, nullptr, nullptr, 0, view.n_features, view.stride};
    run({no_rows, counts, n_counts, no_side, view.side});
}

// The leaves below every root, with which phase two starts.
template <class Lane>
void DepthTwo<Lane>::start_roots(const SideView& view) const {
    std::fill_n(view.side.right, view.stride, Lane{0});
    std::fill_n(view.side.left, view.stride, Lane{0});
    for (std::size_t root = 0; root < view.n_features; ++root) {
        const auto [right, left] = leaf_values(view, root);
        view.side.right[root] = right;
        view.side.left[root] = left;
    }
}

// Runs both phases strip by strip, starting from a given root. If the limits stop it, the values of
// all roots are those of the children considered so far.
template <class Lane>
void DepthTwo<Lane>::solve_strips(const Packed<Lane>& packed,
                                  const SideView& view,
                                  std::size_t& next_root,
                                  Limits& limits) {
    if (next_root == 0) start_roots(view);
    const std::size_t n_rows = counts_.strip_rows(packed);
    const auto solve =
        objective_.is_signed() ? kernels_->strip_two_class : kernels_->strip_multi_class;
    while (next_root < view.n_features && limits.keep_going()) {
        const std::size_t last = std::min(next_root + n_rows, view.stride);
        const std::size_t from = next_root / kernels::feature_block * kernels::feature_block;
        const Lane* const strip = counts_.count_strip(packed, next_root, last, from, limits);
        if (limits.stopped()) return;
        solve({strip,
               objective_.n_counts(),
               next_root,
               last,
               view.n_features,
               view.stride,
               view.side,
               min_sizes_.size(),
               min_sizes_.data()});
        next_root = last;
    }
}

template <class Lane>
DepthTwoCosts DepthTwo<Lane>::solve(Limits& limits) {
    if (is_in_strips()) {
        solve_strips(counts_.packed(), whole(), next_root_, limits);
    } else if (!is_solved()) {
        solve_from_counts(counts_.pairs(), whole());
        next_root_ = n_features();
    }
    root_costs_.resize(stride());
    for (std::size_t j = 0; j < n_features(); ++j)
        root_costs_[j] =
            may_split(j)
                ? static_cast<Lane>(objective_.cost(counts_.weight(), right_[j] + left_[j]))
                : counts_.weight();
    return costs_of(whole(), counts_.weight(), true);
}

template <class Lane>
DepthTwoTree DepthTwo<Lane>::tree(std::size_t nodes) {
    const auto cost = [&](std::size_t root, SplitSides split) {
        const auto [right, left] = leaf_values(whole(), root);
        return objective_.cost(
            counts_.weight(),
            std::int64_t{split.with ? right_[root] : right} + (split.without ? left_[root] : left));
    };
    return tree_of_cost(*this, costs_of(whole(), counts_.weight(), true), nodes, cost);
}

// The column that best splits the rows with (or without) the root feature.
template <class Lane>
std::uint32_t DepthTwo<Lane>::best_child(std::size_t root, bool with) {
    const std::size_t child = sums_of(whole()).best_child(
        counts_.pairs_with(root), root, with, objective_, [](std::size_t) { return Lane{0}; });
    return child < n_features() ? column(child) : DepthTwoTree::none;
}

template <class Lane>
double DepthTwo<Lane>::gini(std::size_t feature) const {
    double impurity = 0;
    for (const int side : {0, 1}) {
        const auto count = [&](std::size_t k) {
            const Lane inside = counts_.singles()[k * stride() + feature];
            return static_cast<double>(side == 1 ? inside : counts_.totals()[k] - inside);
        };
        std::vector<double> by_class;
        if (objective_.is_signed()) {  // class 1 less class 0, and their sum
            const auto all = static_cast<double>(weight_of(side, feature));
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
