// The search for the best tree over all cuts of all chains: branch and bound over intervals of the
// root's test, recursively for both sides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "requests/limits.hpp"
#include "requests/task.hpp"
#include "thresholds/cut_tree.hpp"
#include "thresholds/intervals.hpp"
#include "thresholds/row_set.hpp"
#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

// The cost of a tree is `error` x its cost on the table + `node` x its tests.
struct Prices {
    Cost error = 1;
    Cost node = 0;
    std::int64_t min_samples_leaf = 1;
};

// What was found out about a set of rows and a budget. If the search was not stopped, `lower` is the
// cost of the tree, or at least the target if there is none.
struct Outcome {
    Cost lower = 0;               // no tree costs less
    Cost cost = infeasible;       // of the tree
    std::optional<CutTree> tree;  // costs less than the target
};

struct Stats {
    std::int64_t positions = 0;    // evaluated positions of roots of more than depth two
    std::int64_t depth_two = 0;    // sets of rows whose trees of depth two were searched
    std::int64_t stump_scans = 0;  // pairs of chains evaluated at a position
};

class Search {
  public:
    Search(const Table& table, const Prices& prices, std::uint32_t depth, Limits& limits, Stats& stats);

    // The best tree for the whole table that costs less than the target.
    Outcome solve(Budget budget, Cost target);
    // While solve() runs: a lower bound for the whole table.
    Cost lower_bound() const { return root_lower_; }

  private:
    struct Level {
        Level(const Table& table, RowSet* parent) : rows(table, parent) {}

        RowSet rows;
        std::unique_ptr<Stumps> stumps;
        std::vector<Intervals> intervals;
    };
    // The best tree found so far for a set of rows, below the target.
    struct Best;
    // Two points between which positions of an Intervals remain open.
    struct Gap;
    // A budget for each side of the root.
    struct Shares {
        Budget left, right;
    };

    static Budget useful(Budget budget);
    static std::vector<Shares> shares(Budget budget);

    Outcome solve(std::size_t level, Budget budget, Cost target, std::span<Cost> lower);
    void find_stump(Level& level, Best& best, std::span<Cost> lower);
    void find_shallow(Level& level, Budget budget, Best& best, std::span<Cost> lower);
    void find_deep(std::size_t level, Budget budget, Best& best, std::span<Cost> lower);

    const Table& table_;
    Prices prices_;
    Limits& limits_;
    Stats& stats_;
    std::vector<std::unique_ptr<Level>> levels_;
    Cost root_lower_ = 0;
};

}  // namespace murtree::thresholds
