// The best stumps on both sides of a test: for a set of rows, a test of chain a and another chain
// b, the least cost of a tree with one test of b on the rows left of the first test, and on those
// right of it.
//
// The tests of chain a are given as at most 254 edges; each row gets a code, the number of edges at
// or before it. Codes are gathered once for each pair of chains, in the order of b, and serve all
// edges. All costs are in units of the table, without prices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/aligned.hpp"
#include "thresholds/row_set.hpp"

namespace murtree::thresholds {

struct Sides {
    Cost left = 0;
    Cost right = 0;
};

class Stumps {
  public:
    static constexpr std::size_t max_edges = 254;

    // The right kind for a table: with two labels or costs of 0 and 1 by vector kernels, otherwise
    // by plain loops.
    static std::unique_ptr<Stumps> create(RowSet& rows, const LeastLeaf& least_leaf);
    virtual ~Stumps() = default;

    // Takes the current selection of the rows.
    void start();
    // The cost of a leaf for all rows, and of the best stump, which may leave a side empty. What is
    // not said to be sized has no minimum size of leaves.
    Cost leaf() const { return leaf_; }
    virtual Cost whole(std::size_t chain) = 0;
    virtual Cost sized_whole(std::size_t chain) = 0;
    // The time of a scan of a chain, and to find the next one, in units of Limits.
    std::int64_t effort() const {
        return 1 + scan_effort() + static_cast<std::int64_t>(rows_.n_chains() / 64);
    }
    // Sets the tests: an edge is the number of rows on its left.
    virtual void set_edges(std::size_t chain, std::span<const std::uint32_t> edges);
    // The costs of a leaf on either side of an edge, and of the best stumps.
    virtual Sides leaves(std::size_t edge);
    virtual Sides stumps(std::size_t chain, std::size_t edge) = 0;
    virtual Cost sized_stump(std::size_t chain, std::size_t edge, bool is_left) = 0;

  protected:
    Stumps(RowSet& rows, const LeastLeaf& least_leaf);
    virtual std::int64_t scan_effort() const {
        return static_cast<std::int64_t>(rows_.n_rows() / 256);
    }
    // Sums up the costs of all rows, and forgets what is known of the last selection.
    virtual void sum_totals();
    // Gives rows the code of an edge, and adds their costs by label.
    virtual void mark(std::span<const std::uint32_t> rows, std::uint8_t code, Cost* to);
    // The thresholds of a chain with which both leaves are large enough, for the rows that have a
    // code in a range: numbers of rows on the left in the order of the chain, first, ..., last - 1.
    struct Thresholds {
        std::size_t first, last;
    };
    Thresholds allowed(std::size_t chain, std::uint8_t first_code, std::uint8_t last_code);

    RowSet& rows_;
    LeastLeaf least_leaf_;
    std::size_t n_labels_;
    std::vector<Cost> totals_;              // by label
    std::vector<Cost> lefts_;               // costs of the rows left of it: edges x labels
    std::vector<std::uint32_t> edge_rows_;  // rows left of each edge
    AlignedVector<std::uint8_t> codes_;     // by row, with one more for padding
    std::uint64_t codes_version_ = 0;
    std::vector<Cost> sums_;  // scratch for lefts_; empty if a subclass needs none of them

  private:
    Cost leaf_ = 0;
};

// The cut of the best stump of `chain` on some rows, sorted by it, with the lowest rank among
// equals; 0: no test is better than a leaf.
struct BestCut {
    std::uint32_t cut = 0;
    Cost cost = 0;
};
BestCut best_cut(const Table& table,
                 std::size_t chain,
                 std::span<const std::uint32_t> sorted_rows,
                 const LeastLeaf& least_leaf);

}  // namespace murtree::thresholds
