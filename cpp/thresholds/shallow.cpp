#include "thresholds/shallow.hpp"

#include <algorithm>
#include <numeric>

#include "thresholds/level.hpp"

namespace murtree::thresholds {
namespace {

// The index of the first minimum, without branches.
std::size_t least(std::span<const Cost> costs) {
    std::size_t best = 0;
    Cost cost = costs[0];
    for (std::size_t b = 1; b < costs.size(); ++b) {
        const bool is_less = costs[b] < cost;
        best = is_less ? b : best;
        cost = is_less ? costs[b] : cost;
    }
    return best;
}

}  // namespace

// The trees of one side of a position: a leaf, or a stump of one of the chains.
struct ShallowChain::Side {
    std::span<Cost> bounds;  // of the stumps, by chain
    Cost leaf;
    bool is_stump;          // whether stumps are within the budget
    Child child{};          // with the least bound
    Cost cost = 0;          // its bound
    bool is_known = false;  // whether that is the minimum

    void update(const std::vector<std::uint8_t>& is_exact) {
        child = {};
        cost = leaf;
        is_known = true;
        if (!is_stump) return;
        const std::size_t b = least(bounds);
        if (bounds[b] >= leaf) return;
        child.chain = static_cast<std::uint32_t>(b);
        cost = bounds[b];
        is_known = is_exact[b] != 0;
    }
};

ShallowChain::ShallowChain(
    RowSet& rows, Stumps& stumps, const Prices& prices, Limits& limits, Stats& stats)
    : rows_(rows),
      stumps_(stumps),
      prices_(prices),
      limits_(limits),
      stats_(stats),
      is_exact_(rows.n_chains()) {}

bool ShallowChain::run(std::size_t chain,
                       std::array<bool, 2> is_stump,
                       std::span<const Cost> whole,
                       Cost& best,
                       ShallowTree& tree) {
    chain_ = chain;
    is_stump_ = is_stump;
    best_ = best;
    tree_ = &tree;
    without_sizes_ = infeasible;
    add_ends(whole);
    later_.assign(1, {0, 1, 0, 0});
    while (!later_.empty() && !limits_.stopped()) search_window();
    const bool is_better = best_ < best;
    best = best_;
    return is_better;
}

void ShallowChain::add_ends(std::span<const Cost> whole) {
    intervals_.start(rows_, chain_, prices_.error, prices_.least_leaf);
    const Cost leaf = prices_.error * stumps_.leaf();
    const Cost stump = std::min(leaf, whole[least(whole)]);
    intervals_.add_end(0, 0, is_stump_[1] ? stump : leaf);
    intervals_.add_end(intervals_.last_position(), is_stump_[0] ? stump : leaf, 0);
    std::copy(whole.begin(), whole.end(), intervals_.right_bounds(0).begin());
    std::copy(whole.begin(), whole.end(), intervals_.left_bounds(1).begin());
}

// Chooses edges in the gaps that are left, and evaluates what is needed of them.
void ShallowChain::search_window() {
    choose_edges();
    for (std::size_t k = 0; k < gaps_.size(); ++k) {
        const Gap gap = gaps_[k];
        const Positions open = intervals_.open(gap.x, gap.y, best_);
        if (open.empty()) {
            close(gap);
            continue;
        }
        const std::size_t edge = middle_edge(gap, open);
        if (edge == edges_.size()) {
            later_.push_back(gap);
            continue;
        }
        if (!limits_.keep_going(stumps_.effort())) return;
        const std::size_t z = evaluate(gap, edge);
        gaps_.push_back({gap.x, z, gap.first, edge});
        gaps_.push_back({z, gap.y, edge + 1, gap.last});
    }
}

// Divides the edges of a window among the gaps by their open positions.
void ShallowChain::choose_edges() {
    std::sort(later_.begin(), later_.end(), [&](const Gap& a, const Gap& b) {
        return intervals_.point(a.x).at < intervals_.point(b.x).at;
    });
    gaps_.clear();
    open_.clear();
    edges_.clear();
    rows_before_.clear();
    std::size_t total = 0, n_later = 0;
    for (const Gap& gap : later_) {
        const Positions open = intervals_.open(gap.x, gap.y, best_);
        if (open.empty()) {
            close(gap);
            continue;
        }
        if (gaps_.size() == Stumps::max_edges / 2) {
            later_[n_later++] = gap;
            continue;
        }
        gaps_.push_back(gap);
        open_.push_back(open);
        total += open.last - open.first;
    }
    later_.resize(n_later);
    // Few rows are not worth many edges.
    const std::size_t usual = std::clamp<std::size_t>(rows_.n_rows() / 8, 30, Stumps::max_edges);
    const std::size_t most = std::max(usual, 2 * gaps_.size()) - gaps_.size();
    for (std::size_t k = 0; k < gaps_.size(); ++k) {
        const Positions open = open_[k];
        const std::size_t size = open.last - open.first;
        const bool all = total <= usual;
        const std::size_t n = all ? size : std::min(size, 1 + size * most / total);
        gaps_[k].first = edges_.size();
        for (std::size_t one = 0; one < n; ++one)
            edges_.push_back(open.first + (n == size ? one : (2 * one + 1) * size / (2 * n)));
        gaps_[k].last = edges_.size();
    }
    if (edges_.empty()) return;
    for (const std::size_t at : edges_) rows_before_.push_back(intervals_.rows_before(at));
    stumps_.set_edges(chain_, rows_before_);
}

// With a minimum size of leaves, keeps what is known of the trees without it.
void ShallowChain::close(const Gap& gap) {
    if (!is_sized()) return;
    without_sizes_ = std::min(without_sizes_, intervals_.bound_without_sizes(gap.x, gap.y, best_));
}

// The edge of a gap nearest to the middle of its open positions; edges_.size(): none.
std::size_t ShallowChain::middle_edge(const Gap& gap, Positions open) const {
    const auto begin = edges_.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(gap.last);
    const auto first =
        std::lower_bound(begin + static_cast<std::ptrdiff_t>(gap.first), end, open.first);
    const auto last = std::lower_bound(first, end, open.last);
    if (first == last) return edges_.size();
    const std::size_t middle = intervals_.middle(open);
    auto edge = std::lower_bound(first, last, middle);
    if (edge == last) --edge;
    const auto rows = [&](auto one) { return std::int64_t{intervals_.rows_before(*one)}; };
    const std::int64_t half = intervals_.rows_before(middle);
    if (edge != first && half - rows(edge - 1) < rows(edge) - half) --edge;
    return static_cast<std::size_t>(edge - begin);
}

// Evaluates a position: chains are scanned by their bounds, the least first, until the minimum of
// both sides is known or closes the gap behind the position, or the sum exceeds the best one by the
// distance to the farther end: then no position between the ends is better.
std::size_t ShallowChain::evaluate(const Gap& gap, std::size_t edge) {
    const std::size_t at = edges_[edge], z = intervals_.add_between(gap.x, gap.y, at);
    const Cost reach = std::max(intervals_.distance(intervals_.point(gap.x).at, at),
                                intervals_.distance(at, intervals_.point(gap.y).at));
    const Sides leaves = stumps_.leaves(edge);
    std::array<Side, 2> sides{
        Side{intervals_.left_bounds(z), prices_.error * leaves.left, is_stump_[0]},
        Side{intervals_.right_bounds(z), prices_.error * leaves.right, is_stump_[1]}};
    auto& [left, right] = sides;
    std::fill(is_exact_.begin(), is_exact_.end(), 0);
    left.update(is_exact_);
    right.update(is_exact_);
    const Cost behind_left = intervals_.point(gap.y).right;
    const Cost behind_right = intervals_.point(gap.x).left;
    while (left.cost + right.cost < best_ + reach) {
        const bool left_is_enough = left.is_known || left.cost + behind_left >= best_;
        if (left_is_enough && (right.is_known || right.cost + behind_right >= best_)) break;
        if (!limits_.keep_going(stumps_.effort())) break;
        const std::size_t b = left_is_enough ? right.child.chain : left.child.chain;
        const Sides costs = stumps_.stumps(b, edge);
        ++stats_.stump_scans;
        is_exact_[b] = 1;
        left.bounds[b] = prices_.node + prices_.error * costs.left;
        right.bounds[b] = prices_.node + prices_.error * costs.right;
        // A bound that is raised changes a minimum only if it was the minimum.
        if (!left.is_known) left.update(is_exact_);
        if (!right.is_known) right.update(is_exact_);
    }
    Point& point = intervals_.point(z);
    point.raise_left(left.cost, 0);
    point.raise_right(right.cost, 0);
    if (is_sized()) without_sizes_ = std::min(without_sizes_, point.left + point.right);
    if (!left.is_known || !right.is_known || left.cost + right.cost >= best_) return z;
    if (is_sized())
        check_sizes(edge, sides, point, reach);
    else
        take(edge, sides);
    return z;
}

void ShallowChain::take(std::size_t edge, const std::array<Side, 2>& sides) {
    best_ = sides[0].cost + sides[1].cost;
    const std::uint32_t n_left = intervals_.rows_before(edges_[edge]);
    *tree_ = {static_cast<std::uint32_t>(chain_), n_left, {sides[0].child, sides[1].child}};
}

// Evaluates a position that would be better without the minimum size of leaves. Those costs are
// lower bounds; again the chains with the least ones are scanned.
void ShallowChain::check_sizes(std::size_t edge,
                               std::array<Side, 2> sides,
                               Point& point,
                               Cost reach) {
    for (std::size_t k = 0; k < 2; ++k) {
        sized_bounds_[k].assign(sides[k].bounds.begin(), sides[k].bounds.end());
        is_sized_[k].assign(rows_.n_chains(), 0);
        sides[k].bounds = sized_bounds_[k];
        sides[k].update(is_sized_[k]);
    }
    const auto& [left, right] = sides;
    while (left.cost + right.cost < best_ + reach && !(left.is_known && right.is_known)) {
        if (!limits_.keep_going(stumps_.effort())) break;
        const std::size_t k = left.is_known ? 1 : 0, b = sides[k].child.chain;
        const Cost cost = stumps_.sized_stump(b, edge, k == 0);
        ++stats_.stump_scans;
        is_sized_[k][b] = 1;
        sides[k].bounds[b] = prices_.node + prices_.error * cost;
        sides[k].update(is_sized_[k]);
    }
    point.raise_left(0, left.cost);
    point.raise_right(0, right.cost);
    if (left.is_known && right.is_known && left.cost + right.cost < best_) take(edge, sides);
}

void Search::find_shallow(Level& level, Budget budget, Best& best, std::span<Cost> lower) {
    if (*std::min_element(lower.begin(), lower.end()) >= best.cost) return;
    ++stats_.depth_two;
    std::vector<Cost> whole(lower.size());
    const auto sorting = static_cast<std::int64_t>(level.rows.n_rows() / 64);
    const std::int64_t effort = sorting + level.stumps->effort();  // for a chain
    for (std::size_t b = 0; b < lower.size(); ++b) {
        if (!limits_.keep_going(effort)) return;
        whole[b] = prices_.node + prices_.error * level.stumps->whole(b);
    }
    if (!level.shallow)
        level.shallow =
            std::make_unique<ShallowChain>(level.rows, *level.stumps, prices_, limits_, stats_);
    std::vector<std::size_t> by_bound(lower.size());
    std::iota(by_bound.begin(), by_bound.end(), 0);
    std::stable_sort(by_bound.begin(), by_bound.end(), [&](std::size_t a, std::size_t b) {
        return lower[a] < lower[b];
    });
    const Cost leaf = prices_.error * level.stumps->leaf();
    const std::vector<Shares> ways = shares(budget, most_useful(level.rows.n_rows(), leaf));
    ShallowTree tree;
    for (const std::size_t a : by_bound) {
        if (lower[a] >= best.cost) continue;
        if (!limits_.keep_going(effort)) break;
        Cost without_sizes = infeasible;
        for (const auto& [left, right] : ways) {
            Cost sides = best.cost - prices_.node;
            const bool is_better =
                level.shallow->run(a, {left.depth > 0, right.depth > 0}, whole, sides, tree);
            without_sizes = std::min(without_sizes, level.shallow->bound_without_sizes());
            if (!is_better) continue;
            best.find(sides + prices_.node,
                      Outline::join(level.rows.test(tree.chain, tree.n_left),
                                    tree.children[0].outline(),
                                    tree.children[1].outline()));
        }
        if (limits_.stopped()) break;
        lower[a] = std::max(lower[a], std::min(best.cost, without_sizes + prices_.node));
    }
}

}  // namespace murtree::thresholds
