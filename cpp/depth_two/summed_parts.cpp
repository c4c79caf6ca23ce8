// The two parts of a split node: their rows, and their best trees of depth two.
#include "depth_two/summed.hpp"

namespace murtree {

Part DepthTwo<Summed>::part(int side) const {
    const Fingerprint& fingerprint = fingerprints_[feature_];
    return {side == 1 ? fingerprint : whole_fingerprint_ ^ fingerprint, leaf_cost(side, feature_)};
}

// The rows of a part, as a bitmap.
void DepthTwo<Summed>::map_part(int side, std::vector<std::uint64_t>& map) const {
    map.resize(n_words_);
    const std::uint64_t* const with = maps_.data() + feature_ * n_words_;
    for (std::size_t k = 0; k < n_words_; ++k) map[k] = side == 1 ? with[k] : all_[k] & ~with[k];
}

void DepthTwo<Summed>::row_numbers(int side, std::vector<std::uint32_t>& numbers) const {
    std::vector<std::uint64_t> map;
    map_part(side, map);
    numbers.resize(n_rows(side));
    list_rows(map.data(), all_.data(), numbers.data());
}

// Reads the sums of single features in a part from the pair sums of the whole set.
void DepthTwo<Summed>::prepare_side(int side, SideArrays& arrays) {
    const PairRow<double> pairs = pairs_with(feature_);
    arrays.base = base_of(side, feature_);
    arrays.singles.resize(columns_.size() * stride_);
    arrays.totals.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double* const with = pairs.row + c * pairs.matrix_size;
        const double* const whole = whole_.singles.data() + c * stride_;
        double* const singles = arrays.singles.data() + c * stride_;
        for (std::size_t j = 0; j < stride_; ++j)
            singles[j] = side == 1 ? with[j] : whole[j] - with[j];
        arrays.totals[c] = side == 1 ? whole[feature_] : whole_.totals[c] - whole[feature_];
    }
}

void DepthTwo<Summed>::solve_parts(std::array<bool, 2> wanted,
                                   bool /*all_budgets*/,
                                   Limits& limits,
                                   std::array<DepthTwoCosts, 2>& costs) {
    if (is_in_strips_) return solve_parts_in_strips(wanted, limits, costs);
    const int smaller = 2 * n_rows(1) <= rows_->n_rows() ? 1 : 0;
    map_part(smaller, smaller_map_);
    list_by_feature(smaller_map_, smaller_lists_);
    sum_pairs(smaller_lists_, values_, limits, part_pairs_);
    if (limits.stopped()) return;
    for (const int side : {0, 1}) {
        const auto index = static_cast<std::size_t>(side);
        if (!wanted[index]) continue;
        prepare_side(side, sides_[index]);
        solve_side(part_pairs_.data(), side == smaller ? nullptr : pairs_.data(), sides_[index]);
        costs[index] = costs_of(sides_[index]);
    }
}

}  // namespace murtree
