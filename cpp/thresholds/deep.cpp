// Trees of more than depth two: the sides of each position are subproblems of their own.
#include <algorithm>
#include <queue>

#include "thresholds/level.hpp"

namespace murtree::thresholds {

struct Search::Gap {
    Cost bound;                               // of the sides, without the price of the root's test
    std::size_t order;                        // of creation
    std::size_t job;                          // number of the intervals
    std::size_t x, y;                         // points; equal: not started
    bool operator<(const Gap& other) const {  // the last in a priority queue comes first
        return bound != other.bound ? bound > other.bound : order > other.order;
    }
};

struct Search::DeepSplit {
    std::size_t chain = 0;
    std::size_t n_left = 0;
    Budget left{}, right{};
    Cost left_cost = 0, right_cost = 0;
};

// The tree whose root is a known split: both sides are solved again, which is quick with a known
// cost. None if the search is stopped meanwhile.
std::optional<CutTree> Search::tree_of(std::size_t index, const DeepSplit& split) {
    Level& level = *levels_[index];
    RowSet& below = levels_[index + 1]->rows;
    const auto side = [&](std::size_t first, std::size_t last, Budget budget, Cost cost) {
        below.select(split.chain, first, last);
        std::vector<Cost> lower(level.rows.n_chains(), 0);
        return solve(index + 1, budget, cost + 1, true, lower).tree;
    };
    const auto left = side(0, split.n_left, split.left, split.left_cost);
    const auto right = side(split.n_left, level.rows.n_rows(), split.right, split.right_cost);
    if (!left || !right) return std::nullopt;
    return CutTree::join(level.rows.test(split.chain, split.n_left), *left, *right);
}

// All gaps of all chains are in one queue, by their bounds. The least one is a bound for the whole
// set, so its gap is divided first.
void Search::find_deep(
    std::size_t index, Budget budget, bool wants_tree, Best& best, std::span<Cost> lower) {
    Level& level = *levels_[index];
    const std::size_t n_chains = lower.size();
    const Cost leaf = prices_.error * level.stumps->leaf();
    const std::vector<Shares> ways = shares(budget, most_useful(level.rows.n_rows(), leaf));
    const Cost whole = std::min(leaf, *std::min_element(lower.begin(), lower.end()));
    const std::vector<Cost> first_bounds(lower.begin(), lower.end());
    if (level.intervals.size() < n_chains * ways.size())
        level.intervals.resize(n_chains * ways.size());
    std::priority_queue<Gap> gaps;
    std::size_t n_gaps = 0, n_jobs = n_chains * ways.size();
    double open_share = static_cast<double>(n_jobs);  // one for each job
    DeepSplit split;
    for (std::size_t job = 0; job < n_chains * ways.size(); ++job)
        gaps.push({lower[job % n_chains] - prices_.node, n_gaps++, job, 0, 0});
    Level& below = *levels_[index + 1];
    const auto report = [&](Cost bound) {
        if (index > 0) return;
        root_lower_ = std::max(root_lower_, std::min(best.cost, bound));
        share_done_ = std::max(share_done_, 1.0 - open_share / static_cast<double>(n_jobs));
    };
    while (!gaps.empty() && limits_.keep_going()) {
        const Gap gap = gaps.top();
        const Cost wanted = best.cost - prices_.node;
        report(gap.bound + prices_.node);
        if (gap.bound >= wanted) break;
        gaps.pop();
        open_share -= gap.x == gap.y ? 1.0 : level.intervals[gap.job].share(gap.x, gap.y);
        const std::size_t chain = gap.job % n_chains;
        const auto& [left_budget, right_budget] = ways[gap.job / n_chains];
        Intervals& intervals = level.intervals[gap.job];
        const auto add_gap = [&](std::size_t x, std::size_t y) {
            const Cost bound = std::max(gap.bound, intervals.bound(x, y));
            if (intervals.open(x, y, best.cost - prices_.node).empty()) return;
            gaps.push({bound, n_gaps++, gap.job, x, y});
            open_share += intervals.share(x, y);
        };
        if (gap.x == gap.y) {
            intervals.start(level.rows, chain, prices_.error, prices_.least_leaf);
            intervals.add_end({0, 0, whole});
            intervals.add_end({intervals.last_position(), whole, 0});
            std::copy(first_bounds.begin(), first_bounds.end(), intervals.right_bounds(0).begin());
            std::copy(first_bounds.begin(), first_bounds.end(), intervals.left_bounds(1).begin());
            add_gap(0, 1);
            continue;
        }
        const Positions open = intervals.open(gap.x, gap.y, wanted);
        if (open.empty()) continue;
        ++stats_.positions;
        const std::size_t at = intervals.middle(open);
        const std::size_t z = intervals.add_between(gap.x, gap.y, at);
        const Cost reach = std::max(intervals.distance(intervals.point(gap.x).at, at),
                                    intervals.distance(at, intervals.point(gap.y).at));
        const std::size_t n_left = intervals.rows_before(at), n_rows = level.rows.n_rows();
        Point point = intervals.point(z);
        const auto solve_side = [&](bool is_left, Cost target) {
            below.rows.select(chain, is_left ? 0 : n_left, is_left ? n_left : n_rows);
            const Outcome outcome =
                solve(index + 1,
                      is_left ? left_budget : right_budget,
                      target,
                      false,
                      is_left ? intervals.left_bounds(z) : intervals.right_bounds(z));
            Cost& bound = is_left ? point.left : point.right;
            bound = std::max(bound, outcome.lower);
            return outcome.cost;
        };
        // The larger side first. The targets are larger than a better tree needs: what is proven
        // beyond closes neighbouring positions. It is enough that a side closes the gap behind the
        // position, or that both sides together close both gaps up to the farther end. Without
        // monotone bounds the sides of the ends say nothing about the position itself.
        const bool left_first = 2 * n_left >= n_rows;
        const Cost other = left_first ? point.right : point.left;
        const Cost left_of_gap = intervals.point(gap.x).left;
        const Cost right_of_gap = intervals.point(gap.y).right;
        const auto enough = [&](bool is_left, Cost other_side) {
            const Cost closes_both = wanted - other_side + reach;
            if (!intervals.is_monotone()) return closes_both;
            return std::min(closes_both, wanted - (is_left ? right_of_gap : left_of_gap));
        };
        const Cost first = solve_side(left_first, enough(left_first, other));
        if (!limits_.stopped()) {
            const Cost at_least = left_first ? point.left : point.right;
            const Cost second = solve_side(!left_first, enough(!left_first, at_least));
            if (first + second < wanted) {
                split = {chain,
                         n_left,
                         left_budget,
                         right_budget,
                         left_first ? first : second,
                         left_first ? second : first};
                best.find(first + second + prices_.node);
                if (index == 0) {
                    best.tree = tree_of(index, split);
                    if (best.tree) root_tree_ = best.tree;
                }
            }
        }
        intervals.point(z) = point;
        if (limits_.stopped()) {  // the position may still be open
            gaps.push(gap);
            break;
        }
        add_gap(gap.x, z);
        add_gap(z, gap.y);
    }
    // What is closed costs at least as much as the best tree; the queue has the rest.
    std::vector<Cost> proven(n_chains, best.cost);
    for (; !gaps.empty(); gaps.pop()) {
        Cost& one = proven[gaps.top().job % n_chains];
        one = std::min(one, gaps.top().bound + prices_.node);
    }
    for (std::size_t a = 0; a < n_chains; ++a) lower[a] = std::max(lower[a], proven[a]);
    if (wants_tree && best.is_found && !best.tree) best.tree = tree_of(index, split);
}

}  // namespace murtree::thresholds
