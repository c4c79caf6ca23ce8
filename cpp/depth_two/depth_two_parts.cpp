// The best trees of depth two for both parts of a split node.
#include <algorithm>
#include <utility>

#include "depth_two/depth_two.hpp"

namespace murtree {

template <class Lane>
void DepthTwo<Lane>::solve_parts(std::array<bool, 2> wanted,
                                 bool all_budgets,
                                 Limits& limits,
                                 std::array<DepthTwoCosts, 2>& costs) {
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side]) continue;
        SideArrays& arrays = sides_[side];
        arrays.n_features = n_features();
        arrays.stride = stride();
        counts_.find_singles(static_cast<int>(side), arrays.singles, arrays.totals);
    }
    if (is_in_strips()) {
        solve_parts_in_strips(wanted, limits);
    } else if (counts_.is_incremental()) {
        for (std::size_t side = 0; side < 2; ++side)
            if (wanted[side])
                solve_from_counts(counts_.count_incrementally(static_cast<int>(side)),
                                  sides_[side].view());
    } else {
        counts_.choose_smaller();
        if (counts_.counts_sparsely(wanted))
            solve_sparse_parts(wanted, limits);
        else
            solve_dense_parts(wanted, limits);
    }
    if (limits.stopped()) return;
    for (std::size_t side = 0; side < 2; ++side)
        if (wanted[side])
            costs[side] = costs_of(
                sides_[side].view(), weight_of(static_cast<int>(side), feature()), all_budgets);
}

template <class Lane>
void DepthTwo<Lane>::solve_parts_in_strips(std::array<bool, 2> wanted, Limits& limits) {
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side] || limits.stopped()) continue;
        std::size_t next_root = 0;
        solve_strips(
            counts_.pack_part(static_cast<int>(side)), sides_[side].view(), next_root, limits);
    }
}

// Phase two also counts the smaller part, unless its rows do not fit the cache or leaves have a
// minimum size.
template <class Lane>
void DepthTwo<Lane>::solve_dense_parts(std::array<bool, 2> wanted, Limits& limits) {
    const Packed<Lane>& packed = counts_.pack_smaller();
    const auto own = static_cast<std::size_t>(counts_.smaller());
    const std::size_t other = 1 - own;
    if (!counts_.is_smaller_large() && !is_sized())
        return run({packed.view(),
                    counts_.pairs(),
                    objective_.n_counts(),
                    wanted[own] ? sides_[own].view().side : no_side,
                    wanted[other] ? sides_[other].view().side : no_side});
    const Lane* const counts = counts_.count_smaller(limits);
    if (limits.stopped()) return;
    if (wanted[own]) solve_from_counts(counts, sides_[own].view());
    if (wanted[other]) solve_from_counts(counts_.count_sibling(), sides_[other].view());
}

template <class Lane>
void DepthTwo<Lane>::solve_sparse_parts(std::array<bool, 2> wanted, Limits& limits) {
    const auto own = static_cast<std::size_t>(counts_.smaller());
    if (wanted[own]) solve_sparse_smaller();
    if (wanted[1 - own])
        counts_.with_larger(
            limits, [&](const Lane* counts) { solve_from_counts(counts, sides_[1 - own].view()); });
}

// Only a few of the features occur in a small part; the others are skipped.
template <class Lane>
void DepthTwo<Lane>::solve_sparse_smaller() {
    SideArrays& side = sides_[static_cast<std::size_t>(counts_.smaller())];
    choose_features(side);
    chosen_.n_features = choice_.features.size();
    chosen_.stride = choice_.stride();
    chosen_.totals = side.totals;
    chosen_.singles.assign(counts_.n_counts() * chosen_.stride, 0);
    for (std::size_t k = 0; k < counts_.n_counts(); ++k)
        for (std::size_t j = 0; j < chosen_.n_features; ++j)
            chosen_.singles[k * chosen_.stride + j] =
                side.singles[k * side.stride + choice_.features[j]];
    solve_from_counts(counts_.count_smaller(choice_), chosen_.view());
    std::swap(side, chosen_);
}

// Selects the features that are not constant in the smaller part or, if leaves have a minimum size,
// may split it. Every remaining row of a group comes with attainable weight, so weights show
// whether a feature is constant.
template <class Lane>
void DepthTwo<Lane>::choose_features(const SideArrays& side) {
    const bool with_it = counts_.smaller() == 1;
    const Lane* const both = counts_.weights_with_both(feature());
    const SplitSums<Lane> sums =
        sums_of(side.n_features, side.stride, side.singles.data(), side.totals.data());
    const auto weight = static_cast<Lane>(weight_of(counts_.smaller(), feature()));
    choice_.features.clear();
    choice_.numbers.assign(side.stride, FeatureChoice::none);
    for (std::uint32_t j = 0; j < side.n_features; ++j) {
        const auto with = static_cast<Lane>(with_it ? both[j] : counts_.weight_with(j) - both[j]);
        const bool splits = is_sized() ? sums.may_split(j) : with > 0 && with < weight;
        if (!splits) continue;
        choice_.numbers[j] = static_cast<std::uint32_t>(choice_.features.size());
        choice_.features.push_back(j);
    }
}

// Only these members; the rest of the class is instantiated in depth_two.cpp.
template void DepthTwo<std::int16_t>::solve_parts(std::array<bool, 2>,
                                                  bool,
                                                  Limits&,
                                                  std::array<DepthTwoCosts, 2>&);
template void DepthTwo<std::int32_t>::solve_parts(std::array<bool, 2>,
                                                  bool,
                                                  Limits&,
                                                  std::array<DepthTwoCosts, 2>&);
template void DepthTwo<std::int64_t>::solve_parts(std::array<bool, 2>,
                                                  bool,
                                                  Limits&,
                                                  std::array<DepthTwoCosts, 2>&);

}  // namespace murtree
