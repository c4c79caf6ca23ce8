// The state of a search on one level of its recursion: a set of rows, and what is known of it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "thresholds/intervals.hpp"
#include "thresholds/outline.hpp"
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
    Outline tree;

    void find(Cost other, Outline its_tree) {
        cost = other;
        is_found = true;
        tree = std::move(its_tree);
    }
};

}  // namespace murtree::thresholds
