// The data of a search over all thresholds.
//
// A chain is an ordered list of nested tests: the thresholds of a numeric column, or the single
// test of a 0/1 column. A row is described by its rank in each chain; a test sends the rows with a
// rank below its cut to the left. A column with missing values is two chains, with the missing
// values below or above all others, and a third one with the single test for missing values.
//
// Each row has a cost for each label that a leaf can have. The least of them is unavoidable and is
// subtracted first, so that the cheapest label of a row costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/cut_tree.hpp"

namespace murtree::thresholds {

using Cost = std::int64_t;

// No tree is allowed: more than any cost, and small enough to be added up.
inline constexpr Cost infeasible = Cost{1} << 60;

struct Chain {
    std::vector<std::uint32_t> rank;   // by row: 0, ..., n_ranks - 1
    std::vector<std::uint32_t> order;  // the rows by increasing rank
    std::uint32_t n_ranks = 0;
    bool has_ties = false;
    std::vector<double> widths;  // of the gap at each cut, less one; empty: all equal
};

// The least size of a leaf other than a single root. `weight` refers to the leaf weights of rows.
struct LeastLeaf {
    std::int64_t rows = 1;
    std::int64_t weight = 0;

    bool is_limit() const { return rows > 1 || weight > 0; }
    bool allows(std::int64_t n_rows, std::int64_t total) const {
        return n_rows >= rows && total >= weight;
    }
};

// The data as given, one array per chain, and one number per row.
struct TableData {
    std::vector<std::span<const std::uint32_t>> ranks;
    std::span<const std::int64_t> costs;  // n_rows x n_labels
    std::size_t n_labels = 0;
    std::span<const std::int64_t> leaf_weights;   // empty: all 1
    std::vector<std::span<const double>> widths;  // see Chain
};

class Table {
  public:
    explicit Table(const TableData& data);

    std::size_t n_rows() const { return n_rows_; }
    const std::vector<Chain>& chains() const { return chains_; }
    std::size_t n_labels() const { return n_labels_; }
    Cost unavoidable() const { return unavoidable_; }
    // The costs of a row by label, in multiples of unit().
    const Cost* costs(std::size_t row) const { return costs_.data() + row * n_labels_; }
    Cost unit() const { return unit_; }
    // The largest cost of a row: what it can add to the cost of a tree.
    Cost reach(std::size_t row) const { return reach_[row]; }
    std::int64_t leaf_weight(std::size_t row) const {
        return leaf_weights_.empty() ? 1 : leaf_weights_[row];
    }
    // Whether every row has the same reach, 1.
    bool is_uniform() const { return is_uniform_; }
    // Whether all costs are 0 or 1.
    bool is_small() const { return is_small_; }
    // Whether each row costs 1 with every label but one.
    bool counts_errors() const { return counts_errors_; }
    // The first label that costs a row nothing.
    std::uint32_t free_label(std::size_t row) const { return free_labels_[row]; }

    // Some of the rows, in increasing order. Their leaf weights are left out.
    Table part(std::span<const std::uint32_t> rows) const;

  private:
    Table() = default;
    void subtract_unavoidable();

    std::size_t n_rows_ = 0;
    std::size_t n_labels_ = 0;
    std::vector<Chain> chains_;
    std::vector<Cost> costs_;  // n_rows x n_labels
    std::vector<Cost> reach_;
    std::vector<std::int64_t> leaf_weights_;
    std::vector<std::uint32_t> free_labels_;
    Cost unavoidable_ = 0;
    Cost unit_ = 1;
    bool is_uniform_ = true;
    bool is_small_ = true;
    bool counts_errors_ = true;
};

}  // namespace murtree::thresholds
