// The best tree with one node, from counts of single features: for requests of depth one, and if
// there is no time to count pairs.
#pragma once

#include <cstdint>
#include <optional>

#include "data/rows.hpp"
#include "objectives/classification.hpp"
#include "objectives/sums.hpp"

namespace murtree {

struct Stump {
    std::size_t feature;  // of the rows; the lowest among the best
    std::int64_t cost;
};

// None if no feature leaves the minimum sizes, which need size rows, on both sides.
std::optional<Stump> best_stump(const Rows& rows,
                                const Classification& objective,
                                const LeastSizes& least = {});

// The same for a summed problem; the cost includes that of the test.
std::optional<Stump> best_summed_stump(const Rows& rows, const Sums& sums, const LeastSizes& least);

}  // namespace murtree
