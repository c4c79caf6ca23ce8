#include "search/nested.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace murtree {
namespace {

// Costs of a set of rows with at most one node: as a leaf, and with its best test.
struct Part {
    std::int64_t leaf = 0;
    std::int64_t split = 0;  // at most the cost of the leaf
    std::optional<RankedTest> test;
};

using Parts = std::array<Part, 2>;  // at or below the root's threshold, and above it

std::int64_t two_nodes(const Part& left, const Part& right) {
    return std::min(left.split + right.leaf, left.leaf + right.split);
}

class Nested {
  public:
    Nested(const RankedRows& rows, const std::function<bool()>& keep_going)
        : rows_(rows), keep_going_(keep_going), sides_(rows.labels.size()) {}

    NestedAnswer solve() {
        const Part whole = parts_of_root({})[0];
        answer_.costs = {whole.leaf, whole.split, whole.split, whole.split};
        if (whole.test) best_[1] = {*whole.test};
        answer_.is_complete = true;
        for (std::uint32_t column = 0; column < rows_.ranks.size(); ++column)
            if (!search(column)) answer_.is_complete = false;
        for (const auto& tests : best_)
            answer_.tests.insert(answer_.tests.end(), tests.begin(), tests.end());
        return std::move(answer_);
    }

  private:
    // Thresholds that are still open, first, ..., last - 1; those next to them are done.
    struct Interval {
        std::uint32_t first;
        std::uint32_t last;
    };

    // Without a root all rows are in the first part.
    Parts parts_of_root(std::optional<RankedTest> root) {
        if (root) {
            const auto ranks = rows_.ranks[root->column];
            for (std::size_t row = 0; row < sides_.size(); ++row)
                sides_[row] = ranks[row] > root->threshold;
        } else {
            std::fill(sides_.begin(), sides_.end(), std::uint8_t{0});
        }
        count_totals();
        std::array<std::int64_t, 2> most{};  // weight that a test classifies correctly
        Parts parts;
        for (std::uint32_t column = 0; column < rows_.ranks.size(); ++column) {
            count_ranks(column);
            for (std::size_t side = 0; side < 2; ++side) {
                const auto [right, threshold] = best_threshold(column, side);
                if (right <= most[side]) continue;
                most[side] = right;
                parts[side].test = RankedTest{column, threshold};
            }
        }
        for (std::size_t side = 0; side < 2; ++side) {
            Part& part = parts[side];
            const auto& totals = totals_[side];
            std::int64_t weight = 0;
            for (const std::int64_t total : totals) weight += total;
            part.leaf = weight - *std::max_element(totals.begin(), totals.end());
            part.split = std::min(part.leaf, weight - most[side]);
            if (part.split == part.leaf) part.test.reset();
        }
        return parts;
    }

    void count_totals() {
        for (auto& totals : totals_) totals.assign(rows_.n_classes, 0);
        for (std::size_t row = 0; row < sides_.size(); ++row)
            totals_[sides_[row]][static_cast<std::size_t>(rows_.labels[row])] += rows_.weights[row];
    }

    // The weight of each class at each rank of a column, by side.
    void count_ranks(std::uint32_t column) {
        const std::size_t n_counts = (rows_.n_thresholds[column] + 1) * rows_.n_classes;
        counts_.assign(2 * n_counts, 0);
        const auto ranks = rows_.ranks[column];
        for (std::size_t row = 0; row < sides_.size(); ++row)
            counts_[sides_[row] * n_counts + ranks[row] * rows_.n_classes +
                    static_cast<std::size_t>(rows_.labels[row])] += rows_.weights[row];
    }

    struct BestThreshold {
        std::int64_t right;  // weight of the heavier class of each part, summed
        std::uint32_t threshold;
    };

    BestThreshold best_threshold(std::uint32_t column, std::size_t side) {
        const std::size_t n_classes = rows_.n_classes;
        const std::uint32_t n_thresholds = rows_.n_thresholds[column];
        const std::int64_t* count = counts_.data() + side * (n_thresholds + 1) * n_classes;
        const auto& totals = totals_[side];
        below_.assign(n_classes, 0);
        BestThreshold best{0, 0};
        for (std::uint32_t threshold = 0; threshold < n_thresholds; ++threshold) {
            std::int64_t left = 0;
            std::int64_t right = 0;
            for (std::size_t k = 0; k < n_classes; ++k) {
                below_[k] += *count++;
                left = std::max(left, below_[k]);
                right = std::max(right, totals[k] - below_[k]);
            }
            if (left + right > best.right) best = {left + right, threshold};
        }
        return best;
    }

    // Processes all roots of a column; returns false if stopped.
    bool search(std::uint32_t column) {
        const std::uint32_t n = rows_.n_thresholds[column];
        if (n == 0) return true;
        weigh(column);
        done_.assign(n, std::nullopt);
        std::vector<Interval> open{{0, n}};
        while (!open.empty()) {
            Interval interval = open.back();
            open.pop_back();
            if (!shrink(interval)) continue;
            if (!keep_going_()) return false;
            const std::uint32_t middle = interval.first + (interval.last - interval.first) / 2;
            done_[middle] = parts_of_root(RankedTest{column, middle});
            ++answer_.n_roots;
            keep_if_better({column, middle}, *done_[middle]);
            // Truncated intervals: the pruned roots next to the middle count as done.
            open.push_back({middle + 1, interval.last});
            open.push_back({interval.first, middle});
        }
        return true;
    }

    // The cumulative weight of the rows at or below each threshold.
    void weigh(std::uint32_t column) {
        below_threshold_.assign(rows_.n_thresholds[column] + 1, 0);
        const auto ranks = rows_.ranks[column];
        for (std::size_t row = 0; row < ranks.size(); ++row)
            below_threshold_[ranks[row]] += rows_.weights[row];
        for (std::size_t k = 1; k < below_threshold_.size(); ++k)
            below_threshold_[k] += below_threshold_[k - 1];
    }

    // Drops roots that cannot improve on the incumbents; returns false if none is left.
    bool shrink(Interval& interval) {
        const Parts* before = evaluated_before(interval.first);
        const Parts* after = evaluated_after(interval.last);
        if (before != nullptr)
            while (interval.first < interval.last && !may_improve(*before, interval.first, before_))
                ++interval.first;
        if (after != nullptr)
            while (interval.first < interval.last &&
                   !may_improve(*after, interval.last - 1, after_))
                --interval.last;
        if (interval.first == interval.last) return false;
        if (before == nullptr || after == nullptr) return true;
        const Part& left = (*before)[0];
        const Part& right = (*after)[1];
        return left.split + right.split < answer_.costs[3] ||
               two_nodes(left, right) < answer_.costs[2];
    }

    const Parts* evaluated_before(std::uint32_t threshold) {
        while (threshold > 0)
            if (done_[--threshold]) {
                before_ = threshold;
                return &*done_[threshold];
            }
        return nullptr;
    }

    const Parts* evaluated_after(std::uint32_t threshold) {
        for (; threshold < done_.size(); ++threshold)
            if (done_[threshold]) {
                after_ = threshold;
                return &*done_[threshold];
            }
        return nullptr;
    }

    bool may_improve(const Parts& known, std::uint32_t threshold, std::uint32_t other) const {
        const std::int64_t between =
            std::abs(below_threshold_[threshold] - below_threshold_[other]);
        return known[0].split + known[1].split - between < answer_.costs[3] ||
               two_nodes(known[0], known[1]) - between < answer_.costs[2];
    }

    void keep_if_better(RankedTest root, const Parts& parts) {
        const auto& [left, right] = parts;
        const std::int64_t two = two_nodes(left, right);
        if (two < answer_.costs[2]) {
            answer_.costs[2] = two;
            answer_.costs[3] = std::min(answer_.costs[3], two);
            const bool splits_left = left.split + right.leaf == two;
            best_[2] = {root, *(splits_left ? left : right).test};
        }
        if (left.split + right.split < answer_.costs[3]) {
            answer_.costs[3] = left.split + right.split;
            best_[3] = {root, *left.test, *right.test};
        }
    }

    const RankedRows& rows_;
    const std::function<bool()>& keep_going_;
    NestedAnswer answer_;
    std::array<std::vector<RankedTest>, 4> best_;

    std::vector<std::uint8_t> sides_;  // of each row
    std::array<std::vector<std::int64_t>, 2> totals_;
    std::vector<std::int64_t> counts_;
    std::vector<std::int64_t> below_;

    std::vector<std::int64_t> below_threshold_;
    std::vector<std::optional<Parts>> done_;  // of the current column
    std::uint32_t before_ = 0;                // indices of the roots found by shrink()
    std::uint32_t after_ = 0;
};

}  // namespace

NestedAnswer best_nested(const RankedRows& rows, const std::function<bool()>& keep_going) {
    return Nested(rows, keep_going).solve();
}

}  // namespace murtree
