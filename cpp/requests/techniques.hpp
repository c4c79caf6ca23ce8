// The techniques of the search, each of which can be switched off or chosen.
#pragma once

#include <cstdint>

namespace murtree {

// How pairs of features are counted; the numbers are the same.
enum class Counting {
    automatic,    // dense or sparse, whichever should be quicker
    dense,        // by words of rows, the smaller part of a split only
    sparse,       // row by row, the smaller part of a split only
    incremental,  // row by row, from the counts of a similar set of rows
};

enum class CacheKind { none, dataset, branch };
enum class FeatureOrder { automatic, in_order, gini, random };

// Every technique can be switched off; the optimum is the same.
struct Techniques {
    CacheKind cache = CacheKind::dataset;  // memory of subproblems, by set of rows or by branch
    bool similarity_bound = true;          // parts bound each other
    bool refined_bound = true;             // a failed node keeps the least sum of its parts' bounds
    bool dynamic_order = true;  // the part with the larger leaf cost first, not the left one
    bool sibling_bound = true;  // a part's upper bound allows for its sibling's lower bound
    bool first_tree = true;     // a greedy tree as the first upper bound
    bool deepening = true;      // passes of growing depth
    bool depth_two = true;      // the specialised algorithm; otherwise recursion down to depth one
    bool cluster_bound = true;  // squared error: no leaves are better than the best groups of rows
    FeatureOrder feature_order = FeatureOrder::automatic;
    std::uint64_t random_state = 0;  // of the random order
    Counting counting = Counting::automatic;
};

}  // namespace murtree
