// The search of one node: Algorithms 2 and 3 of the paper.
//
// A node is processed in passes of increasing depth (iterative deepening): the optimum at depth k
// is an incumbent for depth k + 1, bounds every part, and orders the features. From depth three on,
// a pass tries every feature as the root; at depth three the parts are solved by DepthTwo, at
// greater depths by recursion.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "depth_two/depth_two.hpp"
#include "depth_two/summed.hpp"
#include "requests/limits.hpp"
#include "requests/request.hpp"
#include "search/cache_lookup.hpp"
#include "search/node.hpp"
#include "search/problem.hpp"

namespace murtree {

class Search;
struct Level;

// The current results for the whole data, for progress reports.
struct RootReport {
    bool is_running = false;  // Search::solve() is running, not the reconstruction of a tree
    Range range{};
    Costs proven_lower;     // by request: a lower bound, ...
    Outcomes incumbents;    // ... and the root of the best tree found (unsolved: none)
    double share_done = 0;  // fraction of the root's features done by the pass of full depth
};

// The state shared by all nodes of a search.
struct SearchContext {
    const Problem& problem;
    CacheLookup& lookup;
    Limits& limits;
    SearchStats& stats;
    RootReport& report;
};

template <class Lane>
class NodeSearch {
  public:
    NodeSearch(const SearchContext& context, Search& search, Level& level, std::size_t number)
        : problem_(context.problem),
          lookup_(context.lookup),
          limits_(context.limits),
          stats_(context.stats),
          report_(context.report),
          search_(search),
          level_(level),
          number_(number) {}

    // Answers the open requests for the rows of the level. Returns whether the outcomes hold for
    // every depth.
    bool solve(Subset& subset, Range range, const Costs& upper, Outcomes& outcomes);

    DepthTwo<Lane>& two() { return two_; }

  private:
    // node_search.cpp: the passes (Algorithm 2).
    void prepare(const Subset& subset, Range range, const Costs& upper, const Outcomes& outcomes);
    std::uint32_t next_depth(std::uint32_t depth) const;
    void try_depth_two(const Part& part);
    void take_root_bounds(const Subset& subset, Range range);
    bool is_dominated(std::size_t feature) const;
    void give_root_bounds(Subset& subset, Range range) const;
    bool start_pass(const Part& part, std::uint32_t depth);
    void arrange(const Part& part);
    void sort_features(const Part& part);
    void run_pass();
    bool close_slots();
    void finish_pass(const Part& part);
    void report_root();
    void bound_root();

    // split.cpp: one feature at the root (Algorithm 3).
    void try_feature(std::size_t feature);
    bool add_up(std::size_t feature);
    bool want(std::size_t feature, std::size_t side);
    void want_less(std::size_t feature, std::size_t side);
    void improve(std::size_t feature);
    void bound_parts(std::size_t feature);
    void look_up_parts();
    void look_up_part(std::size_t side);
    void find_twins();
    void transfer(std::size_t feature);
    bool set_part(std::size_t side, const DepthTwoCosts& costs);
    void solve_part(std::size_t side);
    void solve_parts_at_depth_two();

    // The nodes of a tree of the current pass, and ...
    std::uint32_t nodes_of(std::size_t slot) const {
        return std::min(requests_.range.first + static_cast<std::uint32_t>(slot),
                        Budget::most_nodes(pass_.depth));
    }
    // ... those of its two parts together: a full budget consists of two full ones.
    std::uint32_t nodes_below(std::size_t slot) const {
        const std::uint32_t nodes = nodes_of(slot);
        return nodes == Budget::most_nodes(pass_.depth) ? 2 * Budget::most_nodes(pass_.depth - 1)
                                                        : nodes - 1;
    }
    // Whether the current pass is the last one for a request: later passes are not deeper, or the
    // request has no nodes for them.
    bool is_final(std::size_t slot) const {
        return pass_.depth == requests_.range.depth || requests_.range.first + slot <= pass_.depth;
    }
    std::int64_t shallower_bound(std::uint32_t nodes) const {
        return bounds_.shallower[std::min(requests_.slot_of(nodes), bounds_.shallower_last)];
    }
    std::size_t at(std::size_t slot, std::size_t feature) const {
        return slot * two_.stride() + feature;
    }

    const Problem& problem_;
    CacheLookup& lookup_;
    Limits& limits_;
    SearchStats& stats_;
    RootReport& report_;
    Search& search_;
    Level& level_;
    std::size_t number_;  // of the level

    NodeRequests requests_;
    DepthTwo<Lane> two_;
    NodeBounds bounds_;
    PartsKnown<Lane> parts_;
    Pass pass_;
};

// One level of the recursion: the rows of its node, and the part of it that is being solved.
struct Level {
    Rows rows;
    Subset child;
    Outcomes child_outcomes;
    std::tuple<NodeSearch<std::int16_t>,
               NodeSearch<std::int32_t>,
               NodeSearch<std::int64_t>,
               NodeSearch<Summed>>
        nodes;

    Level(const SearchContext& context, Search& search, std::size_t number)
        : nodes({context, search, *this, number},
                {context, search, *this, number},
                {context, search, *this, number},
                {context, search, *this, number}) {}

    template <class Lane>
    NodeSearch<Lane>& node() {
        return std::get<NodeSearch<Lane>>(nodes);
    }
};

}  // namespace murtree
