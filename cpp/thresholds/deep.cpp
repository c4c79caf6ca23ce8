// Trees of more than depth two: the sides of each position are subproblems of their own.
#include <algorithm>
#include <queue>
#include <tuple>

#include "thresholds/level.hpp"

namespace murtree::thresholds {
namespace {

struct Gap {
    Cost bound;         // of the sides, without the price of the root's test
    Cost ends;          // of the bounds of both ends together; not started: more than all others
    std::size_t order;  // of creation
    std::size_t job;    // number of the intervals
    std::size_t x, y;   // points; equal: not started

    // The last in a priority queue comes first: the lowest bound, and among equals that of the
    // lowest ends, which is likely to have a better tree.
    bool operator<(const Gap& other) const {
        return std::tie(bound, ends, order) > std::tie(other.bound, other.ends, other.order);
    }
};

}  // namespace

// The search for the root of a deep tree. A job is a chain and a budget for each side. The gaps of
// all jobs are in one queue, by their bounds. The least one is a bound for the whole set, so its
// gap is divided first.
class Search::Deep {
  public:
    Deep(Search& search, std::size_t index, Budget budget, Best& best, std::span<Cost> lower)
        : search_(search),
          index_(index),
          level_(*search.levels_[index]),
          below_(search.levels_[index + 1]->rows),
          best_(best),
          lower_(lower),
          first_bounds_(lower.begin(), lower.end()) {
        const Cost leaf = search.prices_.error * level_.stumps->leaf();
        ways_ = shares(budget, search.most_useful(level_.rows.n_rows(), leaf));
        whole_ = std::min(leaf, *std::min_element(lower.begin(), lower.end()));
        n_jobs_ = lower.size() * ways_.size();
        if (level_.intervals.size() < n_jobs_) level_.intervals.resize(n_jobs_);
        if (is_sized()) without_sizes_.assign(lower.size(), infeasible);
    }

    void run() {
        start_jobs();
        open_share_ = static_cast<double>(n_jobs_);  // one for each job
        while (!gaps_.empty() && search_.limits_.keep_going()) {
            const Gap gap = gaps_.top();
            if (index_ == 0) report(gap.bound + price());
            if (gap.bound >= wanted()) break;
            gaps_.pop();
            open_share_ -= gap.x == gap.y ? 1.0 : level_.intervals[gap.job].share(gap.x, gap.y);
            if (gap.x == gap.y)
                start(gap);
            else
                divide(gap);
        }
        raise_bounds();
    }

  private:
    bool is_sized() const { return search_.prices_.least_leaf.is_limit(); }
    Cost price() const { return search_.prices_.node; }
    Cost wanted() const { return best_.cost - price(); }  // a better tree's sides cost less
    std::size_t chain(std::size_t job) const { return job % lower_.size(); }

    // Among chains of equal bounds the one with the best stump is first, as far as there is time to
    // know the stumps.
    void start_jobs() {
        std::vector<Cost> stumps(lower_.size(), 0);
        for (std::size_t b = 0; b < stumps.size(); ++b)
            if (search_.limits_.keep_going(level_.stumps->effort()))
                stumps[b] = level_.stumps->whole(b);
        for (std::size_t job = 0; job < n_jobs_; ++job) {
            const std::size_t b = chain(job);
            gaps_.push({lower_[b] - price(), infeasible + stumps[b], n_gaps_++, job, 0, 0});
        }
    }

    void report(Cost bound) const {
        search_.root_lower_ = std::max(search_.root_lower_, std::min(best_.cost, bound));
        search_.share_done_ =
            std::max(search_.share_done_, 1.0 - open_share_ / static_cast<double>(n_jobs_));
    }

    void start(const Gap& gap) {
        Intervals& intervals = level_.intervals[gap.job];
        const Prices& prices = search_.prices_;
        intervals.start(level_.rows, chain(gap.job), prices.error, prices.least_leaf);
        intervals.add_end(0, 0, whole_);
        intervals.add_end(intervals.last_position(), whole_, 0);
        std::copy(first_bounds_.begin(), first_bounds_.end(), intervals.right_bounds(0).begin());
        std::copy(first_bounds_.begin(), first_bounds_.end(), intervals.left_bounds(1).begin());
        add(gap, 0, 1);
    }

    // Adds a part of a gap, if a position in it may be better.
    void add(const Gap& gap, std::size_t x, std::size_t y) {
        const Intervals& intervals = level_.intervals[gap.job];
        if (intervals.open(x, y, wanted()).empty()) {
            close(gap.job, x, y);
            return;
        }
        const Point &low = intervals.point(x), &high = intervals.point(y);
        const Cost bound = std::max(gap.bound, intervals.bound(x, y));
        const Cost ends = low.left + low.right + high.left + high.right;
        gaps_.push({bound, ends, n_gaps_++, gap.job, x, y});
        open_share_ += intervals.share(x, y);
    }

    // With a minimum size of leaves, keeps what is known of the trees without it.
    void close(std::size_t job, std::size_t x, std::size_t y) {
        if (is_sized()) note(job, level_.intervals[job].bound_without_sizes(x, y, wanted()));
    }

    void note(std::size_t job, Cost without_sizes) {
        Cost& one = without_sizes_[chain(job)];
        one = std::min(one, without_sizes);
    }

    void divide(const Gap& gap) {
        Intervals& intervals = level_.intervals[gap.job];
        const Positions open = intervals.open(gap.x, gap.y, wanted());
        if (open.empty()) {
            close(gap.job, gap.x, gap.y);
            return;
        }
        ++search_.stats_.positions;
        const std::size_t z = intervals.add_between(gap.x, gap.y, intervals.middle(open));
        evaluate(gap, z);
        if (search_.limits_.stopped()) {  // the position may still be open
            gaps_.push(gap);
            return;
        }
        if (is_sized()) note(gap.job, intervals.point(z).left + intervals.point(z).right);
        add(gap, gap.x, z);
        add(gap, z, gap.y);
    }

    // The targets of the sides are larger than a better tree needs: what is proven beyond closes
    // neighbouring positions. It is enough that a side closes the gap behind the position.
    void evaluate(const Gap& gap, std::size_t z) {
        Intervals& intervals = level_.intervals[gap.job];
        const Point low = intervals.point(gap.x), high = intervals.point(gap.y);
        const std::size_t at = intervals.point(z).at;
        const auto& [left_budget, right_budget] = ways_[gap.job / lower_.size()];
        const std::size_t n_left = intervals.rows_before(at), n_rows = level_.rows.n_rows();
        const auto side = [&](std::size_t first,
                              std::size_t last,
                              Budget budget,
                              Cost behind,
                              std::span<Cost> lower) {
            below_.select(chain(gap.job), first, last);
            return search_.solve(index_ + 1, budget, wanted() - behind, lower);
        };
        Point& point = intervals.point(z);
        const auto left = side(0, n_left, left_budget, high.right, intervals.left_bounds(z));
        point.raise_left(left.without_sizes, left.lower);
        if (search_.limits_.stopped()) return;
        const auto right = side(n_left, n_rows, right_budget, low.left, intervals.right_bounds(z));
        point.raise_right(right.without_sizes, right.lower);
        if (left.cost + right.cost >= wanted()) return;
        const Test test = level_.rows.test(chain(gap.job), n_left);
        best_.find(left.cost + right.cost + price(), Outline::join(test, left.tree, right.tree));
        if (index_ == 0) search_.root_outline_ = best_.tree;
    }

    // What is closed costs at least as much as the best tree; the queue has the rest.
    void raise_bounds() {
        std::vector<Cost> proven(lower_.size(), wanted());
        if (is_sized()) {
            for (std::size_t a = 0; a < proven.size(); ++a)
                proven[a] = std::min(proven[a], without_sizes_[a]);
        }
        for (; !gaps_.empty(); gaps_.pop()) {
            const Gap& gap = gaps_.top();
            Cost bound = gap.bound;
            if (is_sized() && gap.x != gap.y)
                bound = level_.intervals[gap.job].bound_without_sizes(gap.x, gap.y, wanted());
            Cost& one = proven[chain(gap.job)];
            one = std::min(one, bound);
        }
        for (std::size_t a = 0; a < proven.size(); ++a)
            lower_[a] = std::max(lower_[a], proven[a] + price());
    }

    Search& search_;
    std::size_t index_;
    Level& level_;
    RowSet& below_;
    Best& best_;
    std::span<Cost> lower_;
    std::vector<Cost> first_bounds_;
    std::vector<Shares> ways_;
    Cost whole_ = 0;  // a bound for all rows
    std::size_t n_jobs_ = 0;
    std::priority_queue<Gap> gaps_;
    std::size_t n_gaps_ = 0;
    double open_share_ = 0;
    std::vector<Cost> without_sizes_;  // by chain: bounds of the sides without the minimum size
};

void Search::find_deep(std::size_t index, Budget budget, Best& best, std::span<Cost> lower) {
    Deep(*this, index, budget, best, lower).run();
}

}  // namespace murtree::thresholds
