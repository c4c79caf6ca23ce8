// The best tree found so far for a set of rows, and what remains open of its search.
#pragma once

#include <optional>
#include <utility>

#include "thresholds/search.hpp"

namespace murtree::thresholds {

struct Search::Best {
    Cost cost;  // of the tree, or the target if there is none
    std::optional<CutTree> tree;

    bool offer(Cost other, CutTree&& found) {
        if (other >= cost) return false;
        cost = other;
        tree = std::move(found);
        return true;
    }
};

}  // namespace murtree::thresholds
