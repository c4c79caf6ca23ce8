// The search for the best tree of one size: first trees, the lower bound, and the proof.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "requests/limits.hpp"
#include "thresholds/search.hpp"
#include "thresholds/solver.hpp"

namespace murtree::thresholds {

class Run {
  public:
    // `rows` are all rows of the table.
    Run(const Table& table,
        const CutRequest& request,
        Budget budget,
        std::span<const std::uint32_t> rows,
        Stats& stats);

    // Takes a tree that keeps to the budget if it costs less, or no more and is smaller; and a
    // lower bound of all trees.
    void offer(const CutTree& tree, Cost cost);
    void raise_bound(Cost lower) { lower_ = std::max(lower_, lower); }

    // Leaves out tests that are not needed, and moves cuts to the widest gaps.
    void polish();

    // Searches until there is a proof, or the limits end it.
    void search(Limits& limits);

    // Costs here are in the task's units, beyond the unavoidable.
    const CutTree& tree() const { return tree_; }
    Cost cost() const { return cost_; }
    Cost lower_bound() const;
    bool is_proven() const { return lower_ >= best_target(); }
    const Prices& prices() const { return prices_; }
    std::uint32_t max_nodes() const { return budget_.nodes; }

    // What is known now, also while search() runs; the costs include the unavoidable.
    CutProgress progress(double seconds) const;
    // The result, after a search or without one.
    CutAnswer answer(bool was_interrupted) const;

  private:
    bool is_better(const CutTree& tree, Cost cost) const;
    void take_turn(Search& search, double quick, double seconds);
    void search_by_turns(Search& search);
    template <class Action>
    void during(double seconds, const Action& action);
    void try_greedy(Search& search, std::optional<std::uint32_t> root = {});
    void improve(Search& search, const CutTree& tree, std::uint32_t depth);
    void try_trees(Search& search);
    void refute(Search& search, double seconds);
    template <class Take>
    void raise(Search& search, double end, const Take& take_outcome);
    void attempt(Search& search);
    void take(const Outcome& outcome);

    // Smaller trees are found quickly without a first one.
    bool is_deep() const { return depth_ > 2 && budget_.nodes > 3; }
    Cost best_target() const { return std::min(cost_, wanted_); }
    Cost cost_of(const CutTree& tree) const;

    const Table& table_;
    Budget budget_;
    std::span<const std::uint32_t> rows_;
    Stats& stats_;
    std::uint32_t depth_;  // of the deepest useful tree
    Prices prices_;
    Cost unavoidable_;
    Cost wanted_ = infeasible;  // trees must cost less
    bool is_anytime_;           // whether the search may end before the proof
    CutTree tree_;
    Cost cost_;
    Cost lower_ = 0;
    Limits* limits_ = nullptr;  // of the search that runs
    Search* running_ = nullptr;
};

}  // namespace murtree::thresholds
