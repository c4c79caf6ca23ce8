// What a solver is asked and what it answers, as the bindings pass it in and get it back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "requests/task.hpp"
#include "requests/tree.hpp"

namespace murtree {

enum class Status { optimal, time_limit, interrupted, infeasible };

// How far a search has come, for whoever watches it. Costs as in Answer; of a frontier the last
// request counts.
struct Progress {
    double seconds = 0;
    const CountedTree* tree = nullptr;  // the best so far; null: none yet
    std::int64_t lower_bound = 0;
    double share_done = 0;  // of the features at the root, with trees of the whole depth below
};

struct Request {
    Range range;  // one request for each number of nodes
    Task task;
    std::int64_t upper_bound = -1;  // inclusive, as a cost; negative: none
    // Of the rows, for the least weight of a leaf, if one is asked for; always the same ones.
    std::span<const std::int64_t> leaf_weights;
    double time_limit;                           // seconds
    std::size_t memory_limit = 0;                // bytes; 0: the default
    bool anytime = false;                        // spend a share of the time on the lower bound
    std::function<bool(const Progress&)> watch;  // asked a few times a second; true: stop
};

// Costs are in the task's units and include the unavoidable errors.
struct Answer {
    Status status = Status::optimal;
    std::optional<CountedTree> tree;  // none: nothing within the upper bound
    std::int64_t lower_bound = 0;
};

struct SearchStats {
    std::int64_t nodes = 0;            // nodes whose features were tried as roots
    std::int64_t depth_two_calls = 0;  // parts solved by the depth-two algorithm
    std::int64_t cache_hits = 0;
    std::int64_t roots_pruned = 0;   // features not tried: what similar nodes taught about them
    std::int64_t splits = 0;         // features tried, of which ...
    std::int64_t splits_pruned = 0;  // ... were discarded by the bounds of their parts
};

struct Answers {
    std::vector<Answer> by_nodes;  // from range.first on
    SearchStats stats;
    std::size_t cache_entries_before = 0;
    std::size_t cache_entries = 0;
    std::size_t cache_bytes = 0;
    double seconds = 0;
};

}  // namespace murtree
