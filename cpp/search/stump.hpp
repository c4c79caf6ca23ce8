// The best tree with one node, from counts of single features: for questions of depth one, and for
// when there is no time to count pairs.
#pragma once

#include <cstdint>
#include <optional>

#include "data/rows.hpp"
#include "objectives/classification.hpp"

namespace murtree {

struct Stump {
    std::size_t feature;  // of the rows; the lowest among the best
    std::int64_t cost;
};

// None if there is no feature.
std::optional<Stump> best_stump(const Rows& rows, const Classification& objective);

}  // namespace murtree
