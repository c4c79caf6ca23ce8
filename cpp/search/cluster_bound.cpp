#include "search/cluster_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace murtree {
namespace {

// Whether the mean of one row is below that of another. Exact, since the bound is valid only for
// sorted rows: a product of integers below 2^53 is the sum of a double and a remainder that is also
// a double; rounding is monotone, so that the remainders matter only between equal doubles.
bool has_lower_mean(const double* a, const double* b) {
    const double left = a[1] * b[0];
    const double right = b[1] * a[0];
    if (left != right) return left < right;
    return std::fma(a[1], b[0], -left) < std::fma(b[1], a[0], -right);
}

// The rows sorted by mean, as cumulative sums of weight and target.
class SortedMeans {
  public:
    SortedMeans(const Rows& rows, std::span<const std::uint32_t> row_numbers, const Sums& sums)
        : unit_(sums.unit()), weight_{0}, target_{0} {
        std::vector<const double*> sorted;
        for (const std::uint32_t row : row_numbers) {
            sorted.push_back(rows.values.data() + row * rows.n_values);
            base_ += sorted.back()[sums.base()];
        }
        std::sort(sorted.begin(), sorted.end(), has_lower_mean);
        for (const double* values : sorted) {
            weight_.push_back(weight_.back() + values[0]);
            target_.push_back(target_.back() + values[1]);
        }
    }

    std::size_t size() const { return weight_.size() - 1; }
    double base() const { return base_; }
    // The value of the rows first, ..., last - 1 as one group.
    double value(std::size_t first, std::size_t last) const {
        const double target = target_[last] - target_[first];
        return target * target / (weight_[last] - weight_[first]) * unit_;
    }

  private:
    double unit_;
    double base_ = 0;
    std::vector<double> weight_;
    std::vector<double> target_;
};

// Best values of the first rows with one more group, from those with the current number. The best
// cut is monotone in the number of rows (the value is concave Monge: Wu, "Optimal Quantization by
// Matrix Searching", 1991), so each half of the rows needs only one side of the cuts.
class OneMore {
  public:
    OneMore(const SortedMeans& means, const std::vector<double>& fewer, std::vector<double>& more)
        : means_(means), fewer_(fewer), more_(more) {
        fill(1, means.size(), 0, means.size() - 1);
    }

  private:
    void fill(std::size_t first, std::size_t last, std::size_t low, std::size_t high) {
        if (first > last) return;
        const std::size_t middle = (first + last) / 2;
        std::size_t best = low;
        more_[middle] = -std::numeric_limits<double>::infinity();
        for (std::size_t cut = low; cut <= std::min(high, middle - 1); ++cut) {
            const double value = fewer_[cut] + means_.value(cut, middle);
            if (value > more_[middle]) {
                more_[middle] = value;
                best = cut;
            }
        }
        fill(first, middle - 1, low, best);
        fill(middle + 1, last, best, high);
    }

    const SortedMeans& means_;
    const std::vector<double>& fewer_;
    std::vector<double>& more_;
};

}  // namespace

// A leaf costs less than its exact squares by less than one unit (see Sums); one unit more covers
// the rounding of the doubles here.
std::vector<std::int64_t> cluster_bounds(const Rows& rows,
                                         std::span<const std::uint32_t> row_numbers,
                                         const Sums& sums,
                                         std::size_t most,
                                         Limits& limits) {
    const SortedMeans means(rows, row_numbers, sums);
    std::vector<double> best(means.size() + 1, -std::numeric_limits<double>::infinity());
    std::vector<double> more = best;
    best[0] = more[0] = 0;
    std::vector<std::int64_t> bounds;
    for (std::size_t k = 1; k <= most; ++k) {
        // About ten bisection steps over all rows.
        if (!limits.keep_going(static_cast<std::int64_t>(means.size() / 4))) break;
        const OneMore one_more(means, best, more);
        std::swap(best, more);
        best[0] = 0;  // a group may be empty
        const double exact = means.base() - best.back();
        bounds.push_back(static_cast<std::int64_t>(std::floor(exact)) -
                         static_cast<std::int64_t>(k) - 1);
    }
    return bounds;
}

}  // namespace murtree
