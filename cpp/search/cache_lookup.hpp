// Cache lookups for the requests to a set of rows (paper: "Retrieving Subtrees and Lower Bounds
// from the Cache").
#pragma once

#include <cstdint>
#include <vector>

#include "requests/task.hpp"
#include "search/cache.hpp"
#include "search/problem.hpp"

namespace murtree {

using Outcomes = std::vector<Outcome>;

class CacheLookup {
  public:
    CacheLookup(const Problem& problem, Cache& cache) : problem_(problem), cache_(cache) {}

    Cache& cache() const { return cache_; }

    // The optimum for a budget, or the best lower bound.
    Outcome look_up(const Fingerprint& key,
                    Budget budget,
                    std::size_t n_rows,
                    std::int64_t leaf_cost) const;
    void remember(const Fingerprint& key, Budget budget, const Outcome& outcome);

    // Stores the outcomes of a range. `any_depth`: they hold for every depth.
    void store_all(const Subset& subset, Range range, const Outcomes& outcomes, bool any_depth);

  private:
    Outcome look_up_others(const Fingerprint& key, Budget budget, Outcome known) const;
    Outcome look_up_any_depth(const Fingerprint& key,
                              Budget budget,
                              Budget any_depth,
                              Outcome known) const;

    const Problem& problem_;
    Cache& cache_;
};

}  // namespace murtree
