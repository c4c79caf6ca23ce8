// The techniques of the search, each of which can be configured or switched off.
#pragma once

#include <cstdint>

namespace murtree {

// How pairs of features are counted; the results are the same.
enum class Counting {
    automatic,    // dense or sparse, whichever is expected to be faster
    dense,        // by words of rows, for the smaller part of a split only
    sparse,       // row by row, for the smaller part of a split only
    incremental,  // row by row, from the counts of a similar set of rows
};

enum class CacheKind { none, dataset, branch };
enum class FeatureOrder { automatic, in_order, gini, random };

// Every technique can be switched off without changing the optimum.
struct Techniques {
    CacheKind cache = CacheKind::dataset;  // of subproblems, by set of rows or by branch
    bool similarity_bound = true;          // bound parts by one another
    bool refined_bound = true;  // a failed node keeps the minimum sum of its parts' bounds
    bool dynamic_order = true;  // first solve the part with the larger leaf cost, not the left one
    bool sibling_bound = true;  // a part's upper bound allows for its sibling's lower bound
    bool first_tree = true;     // a greedy tree as the first upper bound
    bool deepening = true;      // passes of growing depth
    bool depth_two = true;      // the specialised algorithm; otherwise recursion down to depth one
    bool cluster_bound = true;  // squared error: bound leaves by the best groups of rows
    FeatureOrder feature_order = FeatureOrder::automatic;
    std::uint64_t random_state = 0;  // of the random order
    Counting counting = Counting::automatic;
};

}  // namespace murtree
