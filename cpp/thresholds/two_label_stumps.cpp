#include "thresholds/two_label_stumps.hpp"

#include <type_traits>

namespace murtree::thresholds {
namespace {

// The least cost of two leaves, beyond the costs of label 1.
Cost split_cost(Cost all, kernels::Extremes left) {
    const auto cost = [all](Cost x) { return std::min<Cost>(x, 0) + std::min<Cost>(all - x, 0); };
    return std::min(cost(left.high), cost(left.low));
}

}  // namespace

template <class Value>
TwoLabelStumps<Value>::TwoLabelStumps(RowSet& rows, const LeastLeaf& least_leaf)
    : Stumps(rows, least_leaf),
      kernels_(kernels::active()->stumps),
      values_(rows.table().n_rows() + 1),
      sorted_(rows.n_chains()) {
    for (std::size_t row = 0; row + 1 < values_.size(); ++row) {
        const Cost* const costs = rows.table().costs(row);
        values_[row] = static_cast<Value>(costs[0] - costs[1]);
        if constexpr (std::is_same_v<Value, std::int8_t>)
            packed_.push_back(static_cast<std::uint64_t>(costs[0] + (costs[1] << 32)));
    }
}

// There are fewer than 2^32 rows, so small costs do not overflow.
template <class Value>
void TwoLabelStumps<Value>::mark(std::span<const std::uint32_t> rows, std::uint8_t code, Cost* to) {
    if constexpr (!std::is_same_v<Value, std::int8_t>) {
        Stumps::mark(rows, code, to);
    } else {
        std::uint8_t* const codes = codes_.data();
        const std::uint64_t* const packed = packed_.data();
        std::uint64_t sum = 0;
#pragma GCC unroll 8
        for (const std::uint32_t row : rows) {
            codes[row] = code;
            sum += packed[row];
        }
        to[0] += static_cast<Cost>(sum & 0xffffffff);
        to[1] += static_cast<Cost>(sum >> 32);
    }
}

template <class Value>
void TwoLabelStumps<Value>::sum_totals() {
    Stumps::sum_totals();
    for (Sorted& one : sorted_) one.is_known = false;
    steps_ = (rows_.n_rows() + kernels_.lanes - 1) / kernels_.lanes;
    if (zeros_.size() < steps_ * kernels_.lanes) zeros_.assign(steps_ * kernels_.lanes, 0);
}

template <class Value>
auto TwoLabelStumps<Value>::sorted(std::size_t chain) -> const Sorted& {
    Sorted& sorted = sorted_[chain];
    if (sorted.is_known) return sorted;
    const std::size_t lanes = kernels_.lanes, size = steps_ * lanes;
    const std::span<const std::uint32_t> order = rows_.order(chain);
    const Chain& ranks = rows_.table().chains()[chain];
    const auto padding = static_cast<std::uint32_t>(rows_.table().n_rows());
    if (sorted.rows.size() < size) {
        sorted.rows.resize(size);
        sorted.values.resize(size);
        sorted.codes.resize(size);
        if (ranks.has_ties) sorted.ends.resize(size);
    }
    // Step by step, so that what is written is contiguous.
    std::uint32_t* const rows = sorted.rows.data();
    Value* const values = sorted.values.data();
    const Value* const value_of = values_.data();
    const std::size_t steps = steps_, n_rows = order.size();
    for (std::size_t step = 0, to = 0; step < steps; ++step)
        for (std::size_t k = step; k < size; k += steps, ++to) {
            const std::uint32_t row = k < n_rows ? order[k] : padding;
            rows[to] = row;
            values[to] = value_of[row];
        }
    if (ranks.has_ties) {
        const std::span<const std::int8_t> from = rows_.ends(chain);
        std::int8_t* const ends = sorted.ends.data();
        for (std::size_t step = 0, to = 0; step < steps; ++step)
            for (std::size_t k = step; k < size; k += steps, ++to)
                ends[to] = k < n_rows ? from[k] : std::int8_t{-1};
    }
    sorted.is_known = true;
    sorted.codes_version = 0;
    return sorted;
}

template <class Value>
kernels::SortedRows<Value> TwoLabelStumps<Value>::input(const Sorted& sorted,
                                                        const std::uint8_t* codes) const {
    return {
        codes, sorted.values.data(), sorted.ends.empty() ? nullptr : sorted.ends.data(), steps_};
}

template <class Value>
kernels::SideExtremes TwoLabelStumps<Value>::scan(const kernels::SortedRows<Value>& rows,
                                                  std::uint8_t first_right) const {
    if constexpr (std::is_same_v<Value, std::int8_t>)
        return kernels_.signs(rows, first_right);
    else
        return kernels_.sums(rows, first_right);
}

template <class Value>
Cost TwoLabelStumps<Value>::whole(std::size_t chain) {
    const kernels::Extremes all = scan(input(sorted(chain), zeros_.data()), 1).left;
    return totals_[1] + split_cost(totals_[0] - totals_[1], all);
}

template <class Value>
Cost TwoLabelStumps<Value>::sized_whole(std::size_t chain) {
    kernels::SortedRows<Value> rows = input(sorted(chain), zeros_.data());
    rows.ends = ends_within(sorted(chain), allowed(chain, 0, UINT8_MAX));
    return totals_[1] + split_cost(totals_[0] - totals_[1], scan(rows, 1).left);
}

// The rows with the codes of the edges.
template <class Value>
auto TwoLabelStumps<Value>::coded(std::size_t chain) -> const Sorted& {
    sorted(chain);
    Sorted& sorted = sorted_[chain];
    if (sorted.codes_version == codes_version_) return sorted;
    // Local pointers: a store of bytes may change any member.
    const std::uint32_t* const rows = sorted.rows.data();
    const std::uint8_t* const from = codes_.data();
    std::uint8_t* const to = sorted.codes.data();
    const std::size_t size = steps_ * kernels_.lanes;
#pragma GCC unroll 8
    for (std::size_t k = 0; k < size; ++k) to[k] = from[rows[k]];
    sorted.codes_version = codes_version_;
    return sorted;
}

template <class Value>
Sides TwoLabelStumps<Value>::stumps(std::size_t chain, std::size_t edge) {
    const Sorted& sorted = coded(chain);
    const kernels::SideExtremes sides =
        scan(input(sorted, sorted.codes.data()), static_cast<std::uint8_t>(edge + 1));
    const Cost* const left = lefts_.data() + 2 * edge;
    const Cost right[] = {totals_[0] - left[0], totals_[1] - left[1]};
    return {left[1] + split_cost(left[0] - left[1], sides.left),
            right[1] + split_cost(right[0] - right[1], sides.right)};
}

template <class Value>
Cost TwoLabelStumps<Value>::sized_stump(std::size_t chain, std::size_t edge, bool is_left) {
    const auto code = static_cast<std::uint8_t>(edge);
    const auto first_right = static_cast<std::uint8_t>(edge + 1);
    const Sorted& sorted = coded(chain);
    kernels::SortedRows<Value> rows = input(sorted, sorted.codes.data());
    rows.ends = ends_within(
        sorted, is_left ? allowed(chain, 0, code) : allowed(chain, first_right, UINT8_MAX));
    const kernels::SideExtremes sides = scan(rows, first_right);
    const Cost* const left = lefts_.data() + 2 * edge;
    if (is_left) return left[1] + split_cost(left[0] - left[1], sides.left);
    const Cost right[] = {totals_[0] - left[0], totals_[1] - left[1]};
    return right[1] + split_cost(right[0] - right[1], sides.right);
}

// The ends of a chain without thresholds outside a range.
template <class Value>
const std::int8_t* TwoLabelStumps<Value>::ends_within(const Sorted& sorted,
                                                      const Thresholds& range) {
    const std::size_t lanes = kernels_.lanes, size = steps_ * lanes;
    if (range.first >= range.last) {
        sized_ends_.assign(size, 0);
        return sized_ends_.data();
    }
    if (sorted.ends.empty())
        sized_ends_.assign(size, -1);
    else
        sized_ends_.assign(sorted.ends.begin(),
                           sorted.ends.begin() + static_cast<std::ptrdiff_t>(size));
    const auto clear = [&](std::size_t first, std::size_t last) {
        std::size_t lane = first / steps_, step = first % steps_;
        for (std::size_t k = first; k < last; ++k) {
            sized_ends_[step * lanes + lane] = 0;
            if (++step == steps_) step = 0, ++lane;
        }
    };
    clear(0, range.first - 1);
    clear(range.last - 1, rows_.n_rows());
    return sized_ends_.data();
}

template class TwoLabelStumps<std::int8_t>;
template class TwoLabelStumps<std::int64_t>;

}  // namespace murtree::thresholds
