// The kernels of stump_kernels.hpp over a vector type V of signed bytes, shared by all instruction
// sets. V provides the number of lanes and the operations named below; each including file defines
// its own V.
//
// Everything is in an unnamed namespace: a function shared with another file could be linked into
// code that runs on older processors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/stump_kernels.hpp"

namespace murtree::kernels {
namespace {

template <class V>
struct PrefixExtremes {
    using Reg = typename V::Reg;
    static constexpr std::size_t lanes = V::lanes;
    // A sum of so many signs fits into a signed byte, and differs from the marks of unused lanes.
    static constexpr std::size_t block = 126;
    static constexpr std::int8_t highest = 127, lowest = -128;

    // The running sums of one side, and their extremes, in each lane.
    struct Side {
        Reg sum, high, low;
    };

    template <bool has_ties>
    static void scan(const SortedRows<std::int8_t>& rows,
                     std::size_t first,
                     std::size_t last,
                     std::uint8_t first_right,
                     Side& left,
                     Side& right) {
        const Reg limit = V::broadcast(static_cast<std::int8_t>(first_right));
        left = right = {V::zero(), V::broadcast(lowest), V::broadcast(highest)};
        for (std::size_t step = first; step < last; ++step) {
            const Reg value = V::load(rows.values + step * lanes);
            const auto is_left = V::is_below(V::load(rows.codes + step * lanes), limit);
            left.sum = V::add_where(left.sum, is_left, value);
            right.sum = V::add_where(right.sum, V::negated(is_left), value);
            if constexpr (has_ties) {
                const auto is_end = V::is_set(V::load(rows.ends + step * lanes));
                left.high = V::max_where(left.high, is_end, left.sum);
                left.low = V::min_where(left.low, is_end, left.sum);
                right.high = V::max_where(right.high, is_end, right.sum);
                right.low = V::min_where(right.low, is_end, right.sum);
            } else {
                left.high = V::max(left.high, left.sum);
                left.low = V::min(left.low, left.sum);
                right.high = V::max(right.high, right.sum);
                right.low = V::min(right.low, right.sum);
            }
        }
    }

    // The extremes of one side by lane, over all blocks.
    struct Lanes {
        std::int32_t sum[lanes] = {};
        std::int32_t high[lanes];
        std::int32_t low[lanes];

        Lanes() {
            for (std::size_t i = 0; i < lanes; ++i) high[i] = -unused, low[i] = unused;
        }
        void add(const Side& side) {
            alignas(64) std::int8_t sums[lanes];
            alignas(64) std::int8_t highs[lanes];
            alignas(64) std::int8_t lows[lanes];
            V::store(sums, side.sum);
            V::store(highs, side.high);
            V::store(lows, side.low);
            for (std::size_t i = 0; i < lanes; ++i) {
                const bool is_used = lows[i] <= highs[i];  // else all rows are inside ties
                const std::int32_t top = is_used ? sum[i] + highs[i] : -unused;
                const std::int32_t bottom = is_used ? sum[i] + lows[i] : unused;
                high[i] = high[i] < top ? top : high[i];
                low[i] = low[i] > bottom ? bottom : low[i];
                sum[i] += sums[i];
            }
        }
        Extremes total() const {
            Extremes result;
            std::int32_t before = 0;
            for (std::size_t i = 0; i < lanes; ++i) {
                if (result.high < before + high[i]) result.high = before + high[i];
                if (result.low > before + low[i]) result.low = before + low[i];
                before += sum[i];
            }
            return result;
        }

        static constexpr std::int32_t unused = 1 << 30;
    };

    template <bool has_ties>
    static SideExtremes signs_with(const SortedRows<std::int8_t>& rows, std::uint8_t first_right) {
        Side left, right;
        if (rows.steps <= block) {
            scan<has_ties>(rows, 0, rows.steps, first_right, left, right);
            return {V::total(left.sum, left.high, left.low),
                    V::total(right.sum, right.high, right.low)};
        }
        Lanes lefts, rights;
        for (std::size_t first = 0; first < rows.steps; first += block) {
            const std::size_t last = first + block < rows.steps ? first + block : rows.steps;
            scan<has_ties>(rows, first, last, first_right, left, right);
            lefts.add(left);
            rights.add(right);
        }
        return {lefts.total(), rights.total()};
    }

    static SideExtremes signs(const SortedRows<std::int8_t>& rows, std::uint8_t first_right) {
        return rows.ends == nullptr ? signs_with<false>(rows, first_right)
                                    : signs_with<true>(rows, first_right);
    }

    struct Sums {
        std::int64_t sum[lanes] = {};
        std::int64_t high[lanes];
        std::int64_t low[lanes];

        Sums() {
            for (std::size_t i = 0; i < lanes; ++i) high[i] = -unused, low[i] = unused;
        }
        void add(std::size_t i, std::int64_t value, bool is_end) {
            sum[i] += value;
            const std::int64_t top = is_end ? sum[i] : high[i];
            const std::int64_t bottom = is_end ? sum[i] : low[i];
            high[i] = high[i] < top ? top : high[i];
            low[i] = low[i] > bottom ? bottom : low[i];
        }
        Extremes total() const {
            Extremes result;
            std::int64_t before = 0;
            for (std::size_t i = 0; i < lanes; ++i) {
                const bool is_used = low[i] <= high[i];
                if (is_used && result.high < before + high[i]) result.high = before + high[i];
                if (is_used && result.low > before + low[i]) result.low = before + low[i];
                before += sum[i];
            }
            return result;
        }

        static constexpr std::int64_t unused = std::int64_t{1} << 62;
    };

    static SideExtremes sums(const SortedRows<std::int64_t>& rows, std::uint8_t first_right) {
        Sums left, right;
        for (std::size_t step = 0; step < rows.steps; ++step)
            for (std::size_t i = 0; i < lanes; ++i) {
                const std::size_t at = step * lanes + i;
                const bool is_left = rows.codes[at] < first_right;
                const bool is_end = rows.ends == nullptr || rows.ends[at] != 0;
                left.add(i, is_left ? rows.values[at] : 0, is_end);
                right.add(i, is_left ? 0 : rows.values[at], is_end);
            }
        return {left.total(), right.total()};
    }

    static constexpr StumpKernels table(const ClassKernels& classes) {
        return {lanes, signs, sums, classes};
    }
};

// The extremes over all lanes of one block, without vector instructions.
template <std::size_t lanes>
Extremes total_of_lanes(const std::int8_t* sums,
                        const std::int8_t* highs,
                        const std::int8_t* lows) {
    Extremes result;
    std::int32_t before = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
        if (lows[i] <= highs[i]) {
            if (result.high < before + highs[i]) result.high = before + highs[i];
            if (result.low > before + lows[i]) result.low = before + lows[i];
        }
        before += sums[i];
    }
    return result;
}

}  // namespace
}  // namespace murtree::kernels
