// A lower bound on squared error from the targets alone (Zhang et al., "Optimal Sparse Regression
// Trees", AAAI 2023): a tree with k leaves partitions its rows into k groups, whose cost is at
// least that of the best k groups. These are the result of weighted k-means in one dimension, and
// are intervals of the sorted means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/rows.hpp"
#include "objectives/sums.hpp"
#include "requests/limits.hpp"

namespace murtree {

// For k = 1, ..., most: a lower bound on the cost of trees of these rows with at most k leaves.
// Must not be used if the limits stop it.
std::vector<std::int64_t> cluster_bounds(const Rows& rows,
                                         std::span<const std::uint32_t> row_numbers,
                                         const Sums& sums,
                                         std::size_t most,
                                         Limits& limits);

}  // namespace murtree
