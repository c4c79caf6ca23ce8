// Trees of depth two: for each root chain, the stumps on both sides are evaluated position by
// position, and for each position chain by chain, as far as needed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/intervals.hpp"
#include "thresholds/outline.hpp"
#include "thresholds/search.hpp"
#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

// A child: a leaf, or a stump of a chain.
struct Child {
    static constexpr std::uint32_t leaf = ~0u;
    std::uint32_t chain = leaf;

    Outline outline() const { return chain == leaf ? Outline() : Outline::stump(chain); }
};

// A tree of depth two: the number of rows left of the root's test, and the children.
struct ShallowTree {
    std::uint32_t chain = 0;
    std::uint32_t n_left = 0;
    std::array<Child, 2> children;
};

// The search of one root chain, with one budget for each side.
class ShallowChain {
  public:
    ShallowChain(RowSet& rows, Stumps& stumps, const Prices& prices, Limits& limits, Stats& stats);

    // Finds the best tree whose sides cost less than `best`, and lowers `best` to their cost;
    // returns whether there is one. `whole` has the cost of the best stump of each chain for all
    // rows.
    bool run(std::size_t chain,
             std::array<bool, 2> is_stump,
             std::span<const Cost> whole,
             Cost& best,
             ShallowTree& tree);
    // A lower bound of the last run's trees without the minimum size of leaves, if that is less
    // than the best cost.
    Cost bound_without_sizes() const { return without_sizes_; }

  private:
    struct Side;
    // Two points, and the edges of the window between them.
    struct Gap {
        std::size_t x, y;
        std::size_t first, last;
    };

    void add_ends(std::span<const Cost> whole);
    void search_window();
    void choose_edges();
    std::size_t middle_edge(const Gap& gap, Positions open) const;
    bool is_sized() const { return prices_.least_leaf.is_limit(); }
    void close(const Gap& gap);
    std::size_t evaluate(const Gap& gap, std::size_t edge);
    void check_sizes(std::size_t edge, std::array<Side, 2> sides, Point& point, Cost reach);
    void take(std::size_t edge, const std::array<Side, 2>& sides);

    RowSet& rows_;
    Stumps& stumps_;
    const Prices& prices_;
    Limits& limits_;
    Stats& stats_;
    Intervals intervals_;
    std::size_t chain_ = 0;
    std::array<bool, 2> is_stump_{};  // whether the left and the right child may be stumps
    Cost best_ = 0;
    Cost without_sizes_ = infeasible;
    ShallowTree* tree_ = nullptr;
    std::vector<Gap> gaps_;           // of the window
    std::vector<Gap> later_;          // still open, without an edge in the window
    std::vector<Positions> open_;     // of the gaps
    std::vector<std::size_t> edges_;  // positions
    std::vector<std::uint32_t> rows_before_;
    // Of a position, by chain: whether both bounds are its costs.
    std::vector<std::uint8_t> is_exact_;
    // Likewise with the minimum size of leaves, for each side.
    std::array<std::vector<Cost>, 2> sized_bounds_;
    std::array<std::vector<std::uint8_t>, 2> is_sized_;
};

}  // namespace murtree::thresholds
