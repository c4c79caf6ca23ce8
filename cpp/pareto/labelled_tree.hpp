// A point of a front as a tree in flat arrays, recounted on the original data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "pareto/front.hpp"
#include "search/tree.hpp"

namespace murtree::pareto {

// A tree whose leaves say what they say, whatever their majority.
struct LabelledTree {
    Point point;
    Tree tree;
    std::vector<std::int32_t> label;          // by node; -1 where it branches
    std::vector<std::int64_t> class_weights;  // n_nodes x 2
};

// Unfolds a tree (see Front), sends every row of the original data through it, and throws
// std::logic_error unless it makes the errors that the point says.
LabelledTree recounted(std::span<const std::uint32_t> words,
                       const Point& point,
                       const Dataset& data);

}  // namespace murtree::pareto
