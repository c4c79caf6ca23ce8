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
    // The ranks of the rows in that order, for a chain with ties.
    std::span<const std::uint32_t> ranks(std::size_t chain) {
        return {sorted(chain).ranks.data(), n_rows_};
    }
    // For each row in that order, -1 if the next one has another rank or there is none, else 0.
    // Empty for chains without ties.
    std::span<const std::int8_t> ends(std::size_t chain);
    // The cut between the first `n` rows in the order of a chain and the others.
    Test test(std::size_t chain, std::size_t n);

  private:
    // The rows in the order of a chain. With ties also their ranks, which are compared for the ends
    // and read in order here.
    struct Sorted {
        std::vector<std::uint32_t> rows;  // of all rows of the table: none
        std::vector<std::uint32_t> ranks;
        std::vector<std::int8_t> ends;
        std::uint64_t version = 0, ends_version = 0;  // of the selection that they are for
    };

    const Sorted& sorted(std::size_t chain);
    void filter(std::size_t chain, Sorted& to);

    const Table& table_;
    RowSet* parent_ = nullptr;
    std::size_t n_rows_;
    std::uint64_t version_ = 1;            // increases with each selection
    std::vector<std::uint8_t> is_member_;  // by row; rows outside the parent: any value
    std::vector<Sorted> sorted_;           // by chain
};

}  // namespace murtree::thresholds
