// Requests to the solver of Pareto fronts, and its answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "requests/limits.hpp"
#include "requests/stats.hpp"
#include "requests/task.hpp"
#include "requests/tree.hpp"

namespace murtree::pareto {

struct FrontRequest {
    Budget budget;
    LeastSizes least_sizes;
    double seconds = Limits::forever;
    std::size_t memory = 0;  // bytes; 0: a default
    // Called with the elapsed seconds and the fraction of the root's features done; returning true
    // ends the search.
    std::function<bool(double, double)> wants_to_stop;
};

// Errors of a tree.
struct Point {
    std::int64_t fp;
    std::int64_t fn;
};

// A tree whose leaves have explicit labels, which need not be the majority.
struct LabelledTree {
    Point point;
    Tree tree;
    std::vector<std::int32_t> label;          // by node; -1 for branching nodes
    std::vector<std::int64_t> class_weights;  // n_nodes x 2
};

struct FrontAnswer {
    std::vector<LabelledTree> points;
    bool is_complete = false;
    bool was_interrupted = false;
    SearchStats stats;
};

}  // namespace murtree::pareto
