// The search for the best tree over all cuts of all chains: branch and bound over intervals of the
// root's test, recursively for both sides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "requests/limits.hpp"
#include "requests/task.hpp"
#include "thresholds/cut_tree.hpp"
#include "thresholds/outline.hpp"
#include "thresholds/table.hpp"

namespace murtree::thresholds {

// The cost of a tree is `error` x its cost on the table + `node` x its tests.
struct Prices {
    Cost error = 1;
    Cost node = 0;
    LeastLeaf least_leaf;
};

// What was found out about a set of rows and a budget. If the search was not stopped, `lower` is
// the cost of the tree, or at least the target if there is none.
template <class AnyTree>
struct FoundTree {
    Cost lower = 0;          // no tree costs less
    Cost cost = infeasible;  // of the best tree that costs less than the target
    AnyTree tree;            // if there is one
    Cost without_sizes = 0;  // `lower` without the minimum size of leaves

    bool is_found() const { return cost < infeasible; }
};
using Outcome = FoundTree<CutTree>;

struct Stats {
    std::int64_t positions = 0;    // evaluated positions of roots of more than depth two
    std::int64_t depth_two = 0;    // sets of rows whose trees of depth two were searched
    std::int64_t stump_scans = 0;  // pairs of chains evaluated at a position
};

class Search {
  public:
    Search(const Table& table,
           const Prices& prices,
           std::uint32_t depth,
           Limits& limits,
           Stats& stats);

    ~Search();

    // The best tree for the whole table that costs less than the target. Further calls, with the
    // same budget, start from the bounds of earlier ones.
    Outcome solve(Budget budget, Cost target);
    // A tree within the budget that costs no more than a given one, by local search with the best
    // subtrees of this depth: see local_search.cpp.
    CutTree improved(CutTree tree, Budget budget, std::uint32_t depth) {
        return improved(0, std::move(tree), useful(budget), depth);
    }
    // A lower bound for the whole table, also while solve() runs.
    Cost lower_bound() const { return root_lower_; }
    double share_done() const { return share_done_; }
    // Likewise: the best tree so far of more than depth two, if there is one. It is forgotten when
    // the caller has it.
    const CutTree* tree();
    void forget_tree() {
        root_outline_.reset();
        root_tree_.reset();
    }

  private:
    struct Level;  // the state of one level of the recursion
    struct Best;   // the best tree so far
    class Deep;    // the search for the root of a deep tree
    // A budget for each side of the root.
    struct Shares {
        Budget left, right;
    };

    static Budget useful(Budget budget);
    std::uint32_t most_useful(std::size_t n_rows, Cost leaf) const;
    static std::vector<Shares> shares(Budget budget, std::uint32_t most_useful);

    FoundTree<Outline> solve(std::size_t level, Budget budget, Cost target, std::span<Cost> lower);
    void find_stump(Level& level, Best& best, std::span<Cost> lower);
    void find_shallow(Level& level, Budget budget, Best& best, std::span<Cost> lower);
    void find_deep(std::size_t level, Budget budget, Best& best, std::span<Cost> lower);
    CutTree completed(std::size_t level, const Outline& tree);
    CutTree improved(std::size_t level, CutTree tree, Budget budget, std::uint32_t depth);
    CutTree with_better_sides(std::size_t level,
                              const CutTree& tree,
                              Budget budget,
                              std::uint32_t depth);

    const Table& table_;
    Prices prices_;
    Limits& limits_;
    Stats& stats_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<Cost> root_bounds_;  // by chain
    Cost root_lower_ = 0;
    std::optional<Outline> root_outline_;
    std::optional<CutTree> root_tree_;  // the outline, completed when it is asked for
    double share_done_ = 0;
};

}  // namespace murtree::thresholds
