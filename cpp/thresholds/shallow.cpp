// Trees of depth two: for each root chain, the stumps on both sides are evaluated position by
// position, and for each position chain by chain, as far as needed.
#include <algorithm>
#include <array>
#include <deque>
#include <numeric>

#include "thresholds/best.hpp"

namespace murtree::thresholds {
namespace {

// A child: a leaf, or a stump of a chain.
struct Child {
    static constexpr std::uint32_t leaf = ~0u;
    std::uint32_t chain = leaf;
};

struct Gap {
    std::size_t x, y;    // points
    std::size_t first, last;  // edges between them, of the current window
};

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

// The search of one root chain, with one budget for each side.
class ShallowChain {
  public:
    ShallowChain(RowSet& rows,
                 Stumps& stumps,
                 Intervals& intervals,
                 const Prices& prices,
                 Limits& limits,
                 Stats& stats)
        : rows_(rows),
          stumps_(stumps),
          intervals_(intervals),
          prices_(prices),
          limits_(limits),
          stats_(stats),
          is_exact_(2 * rows.n_chains()) {}

    struct Found {
        bool any = false;
        Cost cost;  // without the price of the root's test
        std::size_t position = 0;
        Child left, right;
    };

    // Finds the best tree whose sides cost less than `best`; `whole` has the best stump of each
    // chain, with its price, for all rows.
    Found run(std::size_t chain,
              bool is_left_stump,
              bool is_right_stump,
              Cost best,
              std::span<const Cost> whole) {
        chain_ = chain;
        is_stump_ = {is_left_stump, is_right_stump};
        found_ = {false, best, 0, {}, {}};
        add_ends(whole);
        std::vector<Gap> gaps{{0, 1, 0, 0}};
        while (!gaps.empty() && !limits_.stopped()) gaps = search_window(gaps);
        return found_;
    }

  private:
    void add_ends(std::span<const Cost> whole) {
        intervals_.start(rows_, chain_, prices_.error, prices_.min_samples_leaf);
        const Cost leaf = prices_.error * stumps_.leaf();
        const Cost stump = std::min(leaf, whole[least(whole)]);
        intervals_.add_end({0, 0, is_stump_[1] ? stump : leaf});
        intervals_.add_end({intervals_.last_position(), is_stump_[0] ? stump : leaf, 0});
        std::copy(whole.begin(), whole.end(), intervals_.right_bounds(0).begin());
        std::copy(whole.begin(), whole.end(), intervals_.left_bounds(1).begin());
    }

    // Chooses edges in all gaps, evaluates what is needed of them, and returns the gaps that are
    // still open and have no edge left.
    std::vector<Gap> search_window(std::vector<Gap>& gaps) {
        choose_edges(gaps);
        std::vector<Gap> open = std::move(unchosen_);
        for (std::size_t k = 0; k < gaps.size(); ++k) {
            const Gap gap = gaps[k];
            const Positions left = intervals_.open(gap.x, gap.y, found_.cost);
            if (left.empty()) continue;
            const std::size_t edge = middle_edge(gap, left);
            if (edge == edges_.size()) {
                open.push_back({gap.x, gap.y, 0, 0});
                continue;
            }
            if (!limits_.keep_going(1 + static_cast<std::int64_t>(rows_.n_rows() / 256))) break;
            const std::size_t z = evaluate(gap, edge);
            gaps.push_back({gap.x, z, gap.first, edge});
            gaps.push_back({z, gap.y, edge + 1, gap.last});
        }
        return open;
    }

    // Divides the edges of a window among the gaps by their open positions.
    void choose_edges(std::vector<Gap>& gaps) {
        std::sort(gaps.begin(), gaps.end(), [&](const Gap& a, const Gap& b) {
            return intervals_.point(a.x).at < intervals_.point(b.x).at;
        });
        std::vector<Gap> chosen;
        std::vector<Positions> open;
        unchosen_.clear();
        std::size_t total = 0;
        for (const Gap& gap : gaps) {
            const Positions left = intervals_.open(gap.x, gap.y, found_.cost);
            if (left.empty()) continue;
            if (chosen.size() == Stumps::max_edges / 2) {
                unchosen_.push_back(gap);
                continue;
            }
            chosen.push_back(gap);
            open.push_back(left);
            total += left.last - left.first;
        }
        edges_.clear();
        const bool all = total <= Stumps::max_edges;
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const Positions left = open[k];
            const std::size_t n = left.last - left.first;
            const std::size_t most = Stumps::max_edges - chosen.size();
            chosen[k].first = edges_.size();
            const std::size_t wanted = all ? n : 1 + n * most / total;
            add_edges(left, std::min(n, wanted));
            chosen[k].last = edges_.size();
        }
        gaps = std::move(chosen);
        rows_before_.clear();
        for (const std::size_t at : edges_) rows_before_.push_back(intervals_.rows_before(at));
        stumps_.set_edges(chain_, rows_before_);
    }

    void add_edges(Positions open, std::size_t n) {
        const std::size_t size = open.last - open.first;
        for (std::size_t k = 0; k < n; ++k)
            edges_.push_back(open.first + (2 * k + 1) * size / (2 * n));
    }

    // The edge of a gap nearest to the middle of its open positions; edges_.size(): none.
    std::size_t middle_edge(const Gap& gap, Positions open) const {
        const auto begin = edges_.begin();
        const auto first = std::lower_bound(begin + static_cast<std::ptrdiff_t>(gap.first),
                                            begin + static_cast<std::ptrdiff_t>(gap.last),
                                            open.first);
        const auto last =
            std::lower_bound(first, begin + static_cast<std::ptrdiff_t>(gap.last), open.last);
        if (first == last) return edges_.size();
        const std::size_t middle = intervals_.middle(open);
        auto edge = std::lower_bound(first, last, middle);
        if (edge == last) --edge;
        const auto rows = [&](auto one) { return std::int64_t{intervals_.rows_before(*one)}; };
        const std::int64_t half = intervals_.rows_before(middle);
        if (edge != first && half - rows(edge - 1) < rows(edge) - half) --edge;
        return static_cast<std::size_t>(edge - begin);
    }

    // Evaluates a position: chains are scanned by their bounds, the least first, until the minimum
    // of both sides is known, or the sum exceeds the best one by the distance to the farther end:
    // then no position between the ends is better.
    std::size_t evaluate(const Gap& gap, std::size_t edge) {
        const std::size_t at = edges_[edge], z = intervals_.add_between(gap.x, gap.y, at);
        const Cost reach = std::max(intervals_.distance(intervals_.point(gap.x).at, at),
                                    intervals_.distance(at, intervals_.point(gap.y).at));
        const Sides leaves = stumps_.leaves(edge);
        const std::array<Cost, 2> leaf{prices_.error * leaves.left, prices_.error * leaves.right};
        const std::array<std::span<Cost>, 2> bounds{intervals_.left_bounds(z),
                                                    intervals_.right_bounds(z)};
        std::fill(is_exact_.begin(), is_exact_.end(), 0);
        std::array<Child, 2> child;
        std::array<Cost, 2> cost;
        bool is_known[2];
        const auto update = [&](std::size_t side) {
            child[side] = {};
            cost[side] = leaf[side];
            is_known[side] = true;
            if (!is_stump_[side]) return;
            const std::size_t b = least(bounds[side]);
            if (bounds[side][b] >= leaf[side]) return;
            child[side].chain = static_cast<std::uint32_t>(b);
            cost[side] = bounds[side][b];
            is_known[side] = is_exact_[b] != 0;
        };
        update(0);
        update(1);
        while (!(is_known[0] && is_known[1]) && cost[0] + cost[1] < found_.cost + reach) {
            const std::size_t b = is_known[0] ? child[1].chain : child[0].chain;
            const Sides sides = stumps_.stumps(b, edge);
            ++stats_.stump_scans;
            is_exact_[b] = 1;
            bounds[0][b] = prices_.node + prices_.error * sides.left;
            bounds[1][b] = prices_.node + prices_.error * sides.right;
            if (!is_known[0] || child[0].chain == b) update(0);
            if (!is_known[1] || child[1].chain == b) update(1);
        }
        Point& point = intervals_.point(z);
        point.left = std::max(point.left, cost[0]);
        point.right = std::max(point.right, cost[1]);
        if (is_known[0] && is_known[1] && cost[0] + cost[1] < found_.cost)
            found_ = {true, cost[0] + cost[1], at, child[0], child[1]};
        return z;
    }

    RowSet& rows_;
    Stumps& stumps_;
    Intervals& intervals_;
    const Prices& prices_;
    Limits& limits_;
    Stats& stats_;
    std::size_t chain_ = 0;
    std::array<bool, 2> is_stump_{};  // whether the left and the right child may be stumps
    Found found_;
    std::vector<std::size_t> edges_;  // positions
    std::vector<std::uint32_t> rows_before_;
    std::vector<Gap> unchosen_;
    std::vector<std::uint8_t> is_exact_;  // by chain: both bounds of the position are its costs
};

// The subtree of one side of a test.
CutTree side_tree(RowSet& rows, Test test, bool is_left, Child child, std::int64_t min_samples) {
    if (child.chain == Child::leaf) return CutTree::leaf();
    const std::vector<std::uint32_t>& rank = rows.table().chains()[test.chain].rank;
    std::vector<std::uint32_t> part;
    for (const std::uint32_t row : rows.order(child.chain))
        if ((rank[row] < test.cut) == is_left) part.push_back(row);
    const BestCut found = best_cut(rows.table(), child.chain, part, min_samples);
    if (found.cut == 0) return CutTree::leaf();
    return CutTree::join({child.chain, found.cut}, CutTree::leaf(), CutTree::leaf());
}

}  // namespace

void Search::find_shallow(Level& level, Budget budget, Best& best, std::span<Cost> lower) {
    if (*std::min_element(lower.begin(), lower.end()) >= best.cost) return;
    ++stats_.depth_two;
    std::vector<Cost> whole(lower.size());
    for (std::size_t b = 0; b < lower.size(); ++b) {
        if (!limits_.keep_going(static_cast<std::int64_t>(level.rows.n_rows() / 64))) return;
        whole[b] = prices_.node + prices_.error * level.stumps->whole(b);
    }
    level.intervals.resize(1);
    ShallowChain chain(
        level.rows, *level.stumps, level.intervals[0], prices_, limits_, stats_);
    std::vector<std::size_t> by_bound(lower.size());
    std::iota(by_bound.begin(), by_bound.end(), 0);
    std::stable_sort(by_bound.begin(), by_bound.end(), [&](std::size_t a, std::size_t b) {
        return lower[a] < lower[b];
    });
    ShallowChain::Found found;
    Test root;
    for (const std::size_t a : by_bound) {
        if (lower[a] >= best.cost) continue;
        for (const auto& [left, right] : shares(budget)) {
            const ShallowChain::Found one = chain.run(
                a, left.depth > 0, right.depth > 0, best.cost - prices_.node, whole);
            if (!one.any) continue;
            found = one;
            best.cost = one.cost + prices_.node;
            root = level.rows.test(a, level.intervals[0].rows_before(one.position));
        }
        if (limits_.stopped()) break;
        lower[a] = best.cost;
    }
    if (!found.any) return;
    const std::int64_t min_samples = prices_.min_samples_leaf;
    best.tree = CutTree::join(root,
                              side_tree(level.rows, root, true, found.left, min_samples),
                              side_tree(level.rows, root, false, found.right, min_samples));
}

}  // namespace murtree::thresholds
