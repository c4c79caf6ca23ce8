#include "thresholds/intervals.hpp"

#include <algorithm>
#include <numeric>

namespace murtree::thresholds {
namespace {

struct Bounds {
    std::size_t first, last;
};

// The least and the largest number of rows on the left with which both sides may be leaves.
Bounds allowed(const Table& table, std::span<const std::uint32_t> order, const LeastLeaf& least) {
    const std::size_t n_rows = order.size();
    if (!least.is_limit()) return {1, n_rows == 0 ? 0 : n_rows - 1};
    std::int64_t total = 0, left = 0;
    for (const std::uint32_t row : order) total += table.leaf_weight(row);
    Bounds bounds{n_rows, 0};
    for (std::size_t k = 1; k < n_rows; ++k) {
        left += table.leaf_weight(order[k - 1]);
        const auto n_left = static_cast<std::int64_t>(k);
        const auto n_right = static_cast<std::int64_t>(n_rows - k);
        if (!least.allows(n_left, left) || !least.allows(n_right, total - left)) continue;
        bounds.first = std::min(bounds.first, k);
        bounds.last = k;
    }
    return bounds;
}

}  // namespace

void Intervals::start(RowSet& rows,
                      std::size_t chain,
                      Cost price_of_error,
                      const LeastLeaf& least) {
    const Table& table = rows.table();
    const std::span<const std::uint32_t> order = rows.order(chain);
    n_chains_ = table.chains().size();
    is_monotone_ = !least.is_limit();
    points_.clear();
    bounds_.clear();
    const std::size_t n_rows = order.size();
    rows_before_.resize(n_rows + 2);
    std::uint32_t* const positions = rows_before_.data();
    positions[0] = 0;
    std::size_t n = 1;
    const auto [first, last] = allowed(table, order, least);
    // Without a branch: most columns have few ties or many.
    if (table.chains()[chain].has_ties) {
        const std::span<const std::int8_t> ends = rows.ends(chain);
        for (std::size_t k = first; k <= last; ++k) {
            positions[n] = static_cast<std::uint32_t>(k);
            n += ends[k - 1] != 0;
        }
    } else if (first <= last) {
        std::iota(positions + 1, positions + 2 + last - first, static_cast<std::uint32_t>(first));
        n += last + 1 - first;
    }
    positions[n++] = static_cast<std::uint32_t>(n_rows);
    rows_before_.resize(n);
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

std::size_t Intervals::add_end(const Point& point) {
    points_.push_back(point);
    bounds_.resize(bounds_.size() + 2 * n_chains_, 0);
    return points_.size() - 1;
}

std::size_t Intervals::add_between(std::size_t x, std::size_t y, std::size_t at) {
    const Point low = points_[x], high = points_[y];
    const Cost before = distance(low.at, at), after = distance(at, high.at);
    const std::size_t index = add_end({at, high.left - after, low.right - before});
    const Cost* const low_bounds = bounds_.data() + 2 * n_chains_ * x;
    const Cost* const high_bounds = bounds_.data() + 2 * n_chains_ * y;
    Cost* const bounds = bounds_.data() + 2 * n_chains_ * index;
    for (std::size_t b = 0; b < n_chains_; ++b) bounds[b] = high_bounds[b] - after;
    for (std::size_t b = n_chains_; b < 2 * n_chains_; ++b) bounds[b] = low_bounds[b] - before;
    Point& point = points_[index];
    if (is_monotone_) {
        point.left = std::max(point.left, low.left);
        point.right = std::max(point.right, high.right);
        for (std::size_t b = 0; b < n_chains_; ++b) bounds[b] = std::max(bounds[b], low_bounds[b]);
        for (std::size_t b = n_chains_; b < 2 * n_chains_; ++b)
            bounds[b] = std::max(bounds[b], high_bounds[b]);
    } else {
        point.left = std::max(point.left, Cost{0});
        point.right = std::max(point.right, Cost{0});
        for (std::size_t b = 0; b < 2 * n_chains_; ++b) bounds[b] = std::max(bounds[b], Cost{0});
    }
    return index;
}

std::span<Cost> Intervals::left_bounds(std::size_t index) {
    return {bounds_.data() + 2 * n_chains_ * index, n_chains_};
}

std::span<Cost> Intervals::right_bounds(std::size_t index) {
    return {bounds_.data() + (2 * index + 1) * n_chains_, n_chains_};
}

Cost Intervals::bound(std::size_t x, std::size_t y) const {
    const Point &low = points_[x], &high = points_[y];
    const Cost by_change = std::max<Cost>(high.left + low.right - distance(low.at, high.at), 0);
    return is_monotone_ ? std::max(by_change, low.left + high.right) : by_change;
}

Positions Intervals::open(std::size_t x, std::size_t y, Cost best) const {
    const Point &low = points_[x], &high = points_[y];
    Positions open{low.at + 1, high.at};
    if (open.empty() || bound(x, y) >= best) return {};
    if (!is_monotone_) return open;
    // Positions z with w(x, z) <= L(x) + R(x) - best are too near to x, and likewise for y.
    const Cost near_low = reach_[low.at] + low.left + low.right - best;
    const Cost near_high = reach_[high.at] - (high.left + high.right - best);
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
