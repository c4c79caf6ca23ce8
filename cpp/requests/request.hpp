// Requests to a solver and its answers, as exchanged with the bindings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "requests/stats.hpp"
#include "requests/task.hpp"
#include "requests/tree.hpp"

namespace murtree {

enum class Status { optimal, time_limit, interrupted, infeasible };

// The progress of a search, for callbacks. Costs as in Answer; for a frontier, those of the last
// request.
struct Progress {
    double seconds = 0;
    const CountedTree* tree = nullptr;  // the best so far; null: none yet
    std::int64_t lower_bound = 0;
    double share_done = 0;  // fraction of the root's features processed at full depth
};

struct Request {
    Range range;  // one request for each number of nodes
    Task task;
    std::int64_t upper_bound = -1;  // inclusive, as a cost; negative: none
    // Row weights for the minimum weight of a leaf, if there is one; the same in all requests.
    std::span<const std::int64_t> leaf_weights;
    double time_limit;                           // seconds
    std::size_t memory_limit = 0;                // bytes; 0: the default
    bool anytime = false;                        // spend some of the time on the lower bound
    std::function<bool(const Progress&)> watch;  // called a few times a second; true: stop
};

// Costs are in the task's units and include the unavoidable errors.
struct Answer {
    Status status = Status::optimal;
    std::optional<CountedTree> tree;  // none: no tree within the upper bound
    std::int64_t lower_bound = 0;
};

struct Answers {
    std::vector<Answer> by_nodes;  // from range.first on
    SearchStats stats;
};

}  // namespace murtree
