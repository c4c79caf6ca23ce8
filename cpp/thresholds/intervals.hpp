// The positions of the root's test that may still give a better tree, for one root chain and one
// budget for each side.
//
// A position z divides the rows in two. Let L_b(z) be the least cost, within the budget, of a tree
// for the rows left of z whose root tests chain b; a side of that test may be empty, and the test
// is paid for even then. R_b(z) is the same for the rows on the right. Let w(x, z) be the sum of
// the reaches, the largest costs, of the rows between x and z. For positions x < z < y:
//
// 1. L_b(z) >= L_b(x) and R_b(z) >= R_b(y): the tree for the larger set serves the smaller one,
// too,
//    and each row costs at least 0.
// 2. L_b(z) >= L_b(y) - w(z, y) and R_b(z) >= R_b(x) - w(x, z): the tree for the smaller set serves
//    the larger one, too, and each additional row costs at most its reach.
//
// The same bounds hold for the least cost over all b and of a leaf, L(z) and R(z). Bounds are kept
// for each b, because the bound of the sum of minima is weaker than the minimum of the bounds.
//
// With a minimum size of leaves, 1 does not hold: fewer rows may make a leaf too small. 2 holds for
// the least cost of all trees, because more rows only make leaves larger. And trees without that
// limit cost no more. So L and R have a bound without the limit, for 1, and one with it, for 2:
// with the limit, L(z) >= max(L(x), L'(y) - w(z, y)), where L' is the cost with the limit.
//
// For the cost of all trees between x and y, 1 and 2 give L(x) + R(y) and L'(y) + R'(x) - w(x, y).
// Next to an evaluated position x, trees cost at least L(x) + R'(x) - w(x, z).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/row_set.hpp"

namespace murtree::thresholds {

// Positions first, ..., last - 1.
struct Positions {
    std::size_t first = 0;
    std::size_t last = 0;

    bool empty() const { return first >= last; }
};

// An evaluated position, with lower bounds of L and R there.
struct Point {
    std::size_t at = 0;  // number of the position
    Cost left = 0;
    Cost right = 0;
    // With the minimum size of leaves: at least as much.
    Cost sized_left = 0;
    Cost sized_right = 0;

    Point without_sizes() const { return {at, left, right, left, right}; }
    // Takes higher bounds.
    void raise_left(Cost without_sizes, Cost with_sizes) {
        left = std::max(left, without_sizes);
        sized_left = std::max({sized_left, left, with_sizes});
    }
    void raise_right(Cost without_sizes, Cost with_sizes) {
        right = std::max(right, without_sizes);
        sized_right = std::max({sized_right, right, with_sizes});
    }
};

class Intervals {
  public:
    // The positions of a chain: 0 has no row on its left, the last one has all rows there.
    void start(RowSet& rows, std::size_t chain, Cost price_of_error, const LeastLeaf& least);

    std::size_t last_position() const { return rows_before_.size() - 1; }
    std::uint32_t rows_before(std::size_t at) const { return rows_before_[at]; }
    Cost distance(std::size_t x, std::size_t y) const { return reach_[y] - reach_[x]; }

    // The share of the rows that are between two points.
    double share(std::size_t x, std::size_t y) const {
        const std::uint32_t n_rows = rows_before_.back();
        const std::uint32_t n = rows_before_[points_[y].at] - rows_before_[points_[x].at];
        return n_rows == 0 ? 0.0 : static_cast<double>(n) / n_rows;
    }

    // Adds a point with given bounds of L and R, which are 0 for all chains.
    std::size_t add_end(std::size_t at, Cost left, Cost right);
    // Adds a point between two others, with the bounds that follow from them.
    std::size_t add_between(std::size_t x, std::size_t y, std::size_t at);
    Point& point(std::size_t index) { return points_[index]; }
    const Point& point(std::size_t index) const { return points_[index]; }
    std::span<Cost> left_bounds(std::size_t index);
    std::span<Cost> right_bounds(std::size_t index);

    // A lower bound of L + R for the positions between two points.
    Cost bound(std::size_t x, std::size_t y) const { return bound(points_[x], points_[y]); }
    // Likewise without the minimum size of leaves, if it is less than `best`.
    Cost bound_without_sizes(std::size_t x, std::size_t y, Cost best) const;
    // The positions between two points that may cost less than `best`.
    Positions open(std::size_t x, std::size_t y, Cost best) const;
    // The position that divides the rows between two positions most evenly.
    std::size_t middle(Positions open) const;

  private:
    Cost bound(const Point& low, const Point& high) const;
    Positions open(const Point& low, const Point& high, Cost best) const;

    std::size_t n_chains_ = 0;
    Positions allowed_;                       // with sides that are large enough for a leaf
    std::vector<std::uint32_t> rows_before_;  // by position
    std::vector<Cost> reach_;                 // of the rows before the position
    std::vector<Point> points_;
    std::vector<Cost> bounds_;  // two for each point and chain
};

}  // namespace murtree::thresholds
