#include "thresholds/intervals.hpp"

#include <algorithm>
#include <numeric>

namespace murtree::thresholds {
namespace {

// The positions, numbers of rows on the left, with which both sides may be leaves. They are
// contiguous, as the sizes of the sides only grow or shrink.
Positions allowed(const Table& table,
                  std::span<const std::uint32_t> order,
                  const std::vector<std::uint32_t>& rows_before,
                  const LeastLeaf& least) {
    std::int64_t total = 0, left = 0;
    for (const std::uint32_t row : order) total += table.leaf_weight(row);
    const std::size_t last = rows_before.size() - 1;
    Positions allowed{last, last};
    for (std::size_t at = 1, k = 0; at < last; ++at) {
        const auto n_left = static_cast<std::int64_t>(rows_before[at]);
        const auto n_right = static_cast<std::int64_t>(order.size()) - n_left;
        for (; k < rows_before[at]; ++k) left += table.leaf_weight(order[k]);
        if (!least.allows(n_left, left) || !least.allows(n_right, total - left)) continue;
        allowed.first = std::min(allowed.first, at);
        allowed.last = at + 1;
    }
    return allowed;
}

}  // namespace

void Intervals::start(RowSet& rows,
                      std::size_t chain,
                      Cost price_of_error,
                      const LeastLeaf& least) {
    const Table& table = rows.table();
    const std::span<const std::uint32_t> order = rows.order(chain);
    n_chains_ = table.chains().size();
    points_.clear();
    bounds_.clear();
    const std::size_t n_rows = order.size();
    rows_before_.resize(n_rows + 2);
    std::uint32_t* const positions = rows_before_.data();
    positions[0] = 0;
    std::size_t n = 1;
    // Without a branch: most columns have few ties or many.
    if (table.chains()[chain].has_ties) {
        const std::span<const std::int8_t> ends = rows.ends(chain);
#pragma GCC unroll 8
        for (std::size_t k = 1; k < n_rows; ++k) {
            positions[n] = static_cast<std::uint32_t>(k);
            n += ends[k - 1] != 0;
        }
    } else if (n_rows > 1) {
        std::iota(positions + 1, positions + n_rows, 1u);
        n = n_rows;
    }
    positions[n++] = static_cast<std::uint32_t>(n_rows);
    rows_before_.resize(n);
    allowed_ = least.is_limit() ? allowed(table, order, rows_before_, least) : Positions{1, n - 1};
    reach_.resize(n);
    if (table.is_uniform()) {
        for (std::size_t at = 0; at < n; ++at) reach_[at] = price_of_error * positions[at];
        return;
    }
    Cost reach = 0;
    for (std::size_t at = 0, k = 0; at < n; ++at) {
        for (; k < positions[at]; ++k) reach += table.reach(order[k]);
        reach_[at] = price_of_error * reach;
    }
}

std::size_t Intervals::add_end(std::size_t at, Cost left, Cost right) {
    points_.push_back({at, left, right, left, right});
    bounds_.resize(bounds_.size() + 2 * n_chains_, 0);
    return points_.size() - 1;
}

std::size_t Intervals::add_between(std::size_t x, std::size_t y, std::size_t at) {
    const Point low = points_[x], high = points_[y];
    const Cost before = distance(low.at, at), after = distance(at, high.at);
    const std::size_t index = add_end(at, 0, 0);
    Point& point = points_[index];
    point.raise_left(std::max(low.left, high.left - after), high.sized_left - after);
    point.raise_right(std::max(high.right, low.right - before), low.sized_right - before);
    const Cost* const low_bounds = bounds_.data() + 2 * n_chains_ * x;
    const Cost* const high_bounds = bounds_.data() + 2 * n_chains_ * y;
    Cost* const bounds = bounds_.data() + 2 * n_chains_ * index;
    for (std::size_t b = 0; b < n_chains_; ++b)
        bounds[b] = std::max(low_bounds[b], high_bounds[b] - after);
    for (std::size_t b = n_chains_; b < 2 * n_chains_; ++b)
        bounds[b] = std::max(high_bounds[b], low_bounds[b] - before);
    return index;
}

std::span<Cost> Intervals::left_bounds(std::size_t index) {
    return {bounds_.data() + 2 * n_chains_ * index, n_chains_};
}

std::span<Cost> Intervals::right_bounds(std::size_t index) {
    return {bounds_.data() + (2 * index + 1) * n_chains_, n_chains_};
}

Cost Intervals::bound(const Point& low, const Point& high) const {
    const Cost by_change = high.sized_left + low.sized_right - distance(low.at, high.at);
    return std::max(by_change, low.left + high.right);
}

Cost Intervals::bound_without_sizes(std::size_t x, std::size_t y, Cost best) const {
    const Point low = points_[x].without_sizes(), high = points_[y].without_sizes();
    return open(low, high, best).empty() ? best : std::min(best, bound(low, high));
}

Positions Intervals::open(std::size_t x, std::size_t y, Cost best) const {
    const Positions open = this->open(points_[x], points_[y], best);
    return {std::max(open.first, allowed_.first), std::min(open.last, allowed_.last)};
}

Positions Intervals::open(const Point& low, const Point& high, Cost best) const {
    Positions open{low.at + 1, high.at};
    if (open.empty() || bound(low, high) >= best) return {};
    // Positions z with w(x, z) <= V(x) - best are too near to x, and likewise for y.
    const Cost near_low = reach_[low.at] + low.left + low.sized_right - best;
    const Cost near_high = reach_[high.at] - (high.sized_left + high.right - best);
    const auto first = reach_.begin() + static_cast<std::ptrdiff_t>(open.first);
    const auto last = reach_.begin() + static_cast<std::ptrdiff_t>(open.last);
    const auto start = std::upper_bound(first, last, near_low);
    open.first += static_cast<std::size_t>(start - first);
    open.last -= static_cast<std::size_t>(last - std::lower_bound(start, last, near_high));
    return open;
}

std::size_t Intervals::middle(Positions open) const {
    const std::uint32_t low = rows_before_[open.first], high = rows_before_[open.last - 1];
    const std::uint32_t half = low + (high - low) / 2;
    const auto first = rows_before_.begin() + static_cast<std::ptrdiff_t>(open.first);
    const auto last = rows_before_.begin() + static_cast<std::ptrdiff_t>(open.last);
    const auto above = std::lower_bound(first, last, half);  // there is one: half <= high
    const auto nearest = above != first && half - *(above - 1) < *above - half ? above - 1 : above;
    return static_cast<std::size_t>(nearest - rows_before_.begin());
}

}  // namespace murtree::thresholds
