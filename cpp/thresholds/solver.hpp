// One request to the search over all cuts, for the best tree of one size or of several.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "requests/request.hpp"
#include "thresholds/search.hpp"

namespace murtree::thresholds {

// Costs as in murtree::Answer: in the task's units, including the unavoidable.
struct CutAnswer {
    Status status = Status::optimal;
    std::optional<CutTree> tree;  // none: no tree within the upper bound
    Cost lower_bound = 0;
};

// Of several sizes, those of the largest.
struct CutProgress {
    double seconds = 0;
    const CutTree* tree = nullptr;
    Cost lower_bound = 0;
    double share_done = 0;  // of the positions of the root
};

struct CutRequest {
    Range range;  // one request for each number of nodes
    Task task;
    Cost upper_bound = -1;                          // inclusive; negative: none
    double time_limit;                              // seconds
    bool anytime = false;                           // spend some of the time on the lower bound
    std::function<bool(const CutProgress&)> watch;  // true: stop
};

struct CutAnswers {
    std::vector<CutAnswer> by_nodes;  // from range.first on
    Stats stats;
    double seconds = 0;
};

CutAnswers solve(const Table& table, const CutRequest& request);

}  // namespace murtree::thresholds
