// A point of a front as a tree in flat arrays, recounted on the original data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "pareto/front.hpp"
#include "requests/front_request.hpp"

namespace murtree::pareto {

// Expands trees (see Front) and passes the rows of the original data through them, 64 at a time.
class Recount {
  public:
    explicit Recount(const Dataset& data);

    // Throws std::logic_error unless the errors of the tree match those of the point.
    LabelledTree operator()(std::span<const std::uint32_t> words, const Point& point);

  private:
    using Bits = std::vector<std::uint64_t>;

    // The rows of a class whose weight contains this power of two.
    struct Plane {
        std::size_t label;
        int power;
        Bits rows;
    };

    const Bits& column(std::uint32_t feature);
    void count(std::size_t node, std::size_t depth, LabelledTree& tree);
    void count_leaf(std::size_t node, const Bits& rows, LabelledTree& tree) const;

    const Dataset& data_;
    std::size_t n_words_;
    std::vector<Plane> planes_;
    std::vector<Bits> columns_;  // of the original table; empty until a tree uses it
    std::vector<Bits> reached_;  // by depth: the rows that reach the current node
};

}  // namespace murtree::pareto
