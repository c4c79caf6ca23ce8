// The state of a search on one level of its recursion: a set of rows, and what is known of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "thresholds/intervals.hpp"
#include "thresholds/row_set.hpp"
#include "thresholds/search.hpp"
#include "thresholds/shallow.hpp"
#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

struct Search::Level {
    Level(const Table& table, RowSet* parent) : rows(table, parent) {}

    RowSet rows;
    std::unique_ptr<Stumps> stumps;
    std::unique_ptr<ShallowChain> shallow;
    std::vector<Intervals> intervals;  // of deep trees, by chain and shares of the nodes
};

struct Search::Best {
    Cost cost;  // of the best tree, or the target if there is none
    bool is_found = false;
    std::optional<CutTree> tree;  // only if it is wanted

    void find(Cost other) {
        cost = other;
        is_found = true;
        tree.reset();
    }
};

}  // namespace murtree::thresholds
