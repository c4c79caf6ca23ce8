// The search: Algorithm 1 of the paper.
//
// A node is a set of rows with a limit on depth and one or more limits on the number of nodes. Each
// of the latter is a *request*, and all requests to a node are answered together, because they
// share the counting and most of the bounds. A tree with a given number of nodes is one request,
// the whole frontier is many.
//
// Known results answer some requests (CacheLookup, cluster bound); a NodeSearch answers the others,
// and calls this class for the parts of the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "requests/limits.hpp"
#include "requests/request.hpp"
#include "search/cache.hpp"
#include "search/cache_lookup.hpp"
#include "search/node_search.hpp"
#include "search/problem.hpp"

namespace murtree {

class Search {
  public:
    Search(const Problem& problem, Cache& cache, Limits& limits, SearchStats& stats)
        : problem_(problem), lookup_(problem, cache), limits_(limits), stats_(stats) {}

    // For each request of the range, the optimum if its cost is at most `upper`, otherwise a lower
    // bound. Costs are beyond the unavoidable.
    Outcomes solve(Range range, const Costs& upper);

    // The current results of solve() for each request, also while it runs or after it was stopped.
    const RootReport& report() const { return report_; }

    // The same for a subset of the rows, on its level of the recursion.
    void solve_subset(
        std::size_t number, Subset& subset, Range range, const Costs& upper, Outcomes& outcomes);
    // The optimum for one budget.
    Outcome solve_one(std::size_t number, Subset& subset, Budget budget);

    // The level that holds the rows of a subset, and the work space of a node.
    Level& level(std::size_t number);

    const Problem& problem() const { return problem_; }
    Limits& limits() const { return limits_; }

  private:
    bool look_up_all(const Subset& subset, Range range, const Costs& upper, Outcomes& outcomes);
    bool bound_by_clusters(const Subset& subset,
                           Range range,
                           const Costs& upper,
                           Outcomes& outcomes) const;
    Outcome solve_stump(const Rows& rows, const Part& part) const;

    const Problem& problem_;
    CacheLookup lookup_;
    Limits& limits_;
    SearchStats& stats_;
    RootReport report_;
    std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace murtree
