// A lower bound on squared error from the targets alone (Zhang et al., "Optimal Sparse Regression
// Trees", AAAI 2023): a tree with k leaves puts its rows into k groups, and no k groups are better
// than the best ones of all, those of weighted k-means on a line, which are intervals of the sorted
// means.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/rows.hpp"
#include "objectives/sums.hpp"
#include "requests/limits.hpp"

namespace murtree {

// For k = 1, ..., most: no tree of these rows with at most k leaves costs less. Of no use if the
// limits stop it.
std::vector<std::int64_t> cluster_bounds(const Rows& rows,
                                         std::span<const std::uint32_t> row_numbers,
                                         const Sums& sums,
                                         std::size_t most,
                                         Limits& limits);

}  // namespace murtree
