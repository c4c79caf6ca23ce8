#include "thresholds/intervals.hpp"

#include <algorithm>

namespace murtree::thresholds {

void Intervals::start(RowSet& rows,
                      std::size_t chain,
                      Cost price_of_error,
                      std::int64_t min_samples_leaf) {
    const Table& table = rows.table();
    const std::span<const std::uint32_t> order = rows.order(chain);
    const std::vector<std::uint32_t>& rank = table.chains()[chain].rank;
    n_chains_ = table.chains().size();
    is_monotone_ = min_samples_leaf <= 1;
    points_.clear();
    bounds_.clear();
    // Every row is written as if a position were before it; it is kept by counting it.
    const std::size_t n_rows = order.size();
    rows_before_.resize(n_rows + 2);
    cuts_.resize(n_rows + 2);
    rows_before_[0] = cuts_[0] = 0;
    const std::size_t margin = is_monotone_ ? 1 : static_cast<std::size_t>(min_samples_leaf);
    std::size_t n = 1;
    std::uint32_t last = order.empty() ? 0 : rank[order[0]];
    for (std::size_t k = 0; k < n_rows; ++k) {
        const std::uint32_t here = rank[order[k]];
        rows_before_[n] = static_cast<std::uint32_t>(k);
        cuts_[n] = here;
        n += static_cast<std::size_t>(here != last) & static_cast<std::size_t>(k >= margin) &
             static_cast<std::size_t>(k + margin <= n_rows);
        last = here;
    }
    rows_before_[n] = static_cast<std::uint32_t>(n_rows);
    cuts_[n] = last + 1;
    rows_before_.resize(n + 1);
    cuts_.resize(n + 1);
    reach_.resize(n + 1);
    Cost reach = 0;
    for (std::size_t at = 0, k = 0; at <= n; ++at) {
        if (table.is_uniform())
            reach = rows_before_[at];
        else
            for (; k < rows_before_[at]; ++k) reach += table.reach(order[k]);
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
