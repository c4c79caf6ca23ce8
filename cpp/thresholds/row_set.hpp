// A subset of the rows, sorted by every chain. Each order is filtered from that of the parent set
// when it is first needed.
//
// There is one set for each level of the search, used again and again: a set is valid until the
// next one is selected on its level or above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/table.hpp"

namespace murtree::thresholds {

class RowSet {
  public:
    // All rows of a table; or none, to be selected from a parent that outlives the set.
    explicit RowSet(const Table& table, RowSet* parent = nullptr);

    // Selects the rows whose position in the parent's order of `chain` is in [first, last).
    void select(std::size_t chain, std::size_t first, std::size_t last);

    const Table& table() const { return table_; }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_chains() const { return table_.chains().size(); }
    // The rows by increasing rank.
    std::span<const std::uint32_t> order(std::size_t chain);
    // For each row in that order, -1 if the next one has another rank or there is none, else 0.
    // Empty for chains without ties.
    std::span<const std::int8_t> ends(std::size_t chain);
    // The cut between the first `n` rows in the order of a chain and the others.
    Test test(std::size_t chain, std::size_t n);
    // Increases with each selection.
    std::uint64_t version() const { return version_; }

  private:
    const Table& table_;
    RowSet* parent_ = nullptr;
    std::size_t n_rows_;
    std::uint64_t version_ = 1;
    std::vector<std::uint8_t> is_member_;             // by row; rows outside the parent: any value
    std::vector<std::vector<std::uint32_t>> orders_;  // by chain
    std::vector<std::uint64_t> versions_;             // of the orders
    std::vector<std::vector<std::int8_t>> ends_;      // by chain
    std::vector<std::uint64_t> ends_versions_;
};

}  // namespace murtree::thresholds
