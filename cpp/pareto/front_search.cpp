#include "pareto/front_search.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace murtree::pareto {
namespace {

// The effective limits: a tree has no more nodes than its depth allows, and no more levels than
// nodes.
Budget tightened(Budget budget) {
    const std::uint32_t nodes = std::min(budget.nodes, Budget::most_nodes(budget.depth));
    return {std::min(budget.depth, nodes), nodes};
}

// Sums of points per unit of Limits, approximately.
constexpr std::size_t sums_per_work = 64;

// Trees of a single leaf.
FrontPtr leaf_front(std::int64_t n0, std::int64_t n1) {
    auto front = std::make_shared<Front>();
    if (n1 > 0) {
        if (n0 > 0) {
            front->append_leaf(0);
            front->end_tree({0, n1});
        }
        front->append_leaf(1);
        front->end_tree({n0, 0});
    } else {
        front->append_leaf(0);
        front->end_tree({0, 0});
    }
    return front;
}

}  // namespace

template <class Lane>
FrontPtr FrontSearch<Lane>::solve(Budget budget) {
    budget = tightened(budget);
    if (budget.depth <= 2) {
        Level& root = level(0);
        if (const FrontPtr front = solve_small(rows_, budget, root)) return front;
        const CountsView<Lane> counts = root.counts.view();
        return leaf_front(counts.totals[0], counts.totals[1]);
    }
    // Solves a smaller depth first, to have a result if time runs out early.
    const FrontPtr shallow = solve({budget.depth - 1, budget.nodes});
    if (limits_.stopped()) return shallow;
    share_done_ = 0;
    const FrontPtr front = solve_node(rows_, budget, 0);
    if (!limits_.stopped()) return front;
    return merged(shallow, front);
}

// Merges two fronts of the root.
template <class Lane>
FrontPtr FrontSearch<Lane>::merged(const FrontPtr& one, const FrontPtr& other) {
    Level& root = level(0);
    root.builder.start(std::max((*one)[one->size() - 1].fp, (*other)[other->size() - 1].fp),
                       std::max((*one)[0].fn, (*other)[0].fn));
    root.sources.clear();
    add_source({0, one, nullptr}, root);
    add_source({0, other, nullptr}, root);
    return collect(root);
}

template <class Lane>
typename FrontSearch<Lane>::Level& FrontSearch<Lane>::level(std::size_t number) {
    while (levels_.size() <= number) levels_.push_back(std::make_unique<Level>());
    return *levels_[number];
}

// Depth at most two; null if the limits stopped the counting.
template <class Lane>
FrontPtr FrontSearch<Lane>::solve_small(const Rows& rows, Budget budget, Level& here) {
    // A single node needs no pairs, regardless of the number of columns.
    here.counts.load(rows, least_, budget.nodes < 2 ? 0 : pair_bytes_, limits_);
    if (limits_.stopped()) return nullptr;
    ++stats_.depth_two_calls;
    return std::make_shared<Front>(std::move(depth_two_front_.solve(
        here.counts.view(), here.counts, budget.nodes, budget.nodes, limits_)[0]));
}

template <class Lane>
FrontPtr FrontSearch<Lane>::solve_node(const Rows& rows, Budget budget, std::size_t number) {
    Level& here = level(number);
    ++stats_.nodes;
    here.counts.load(rows, least_, pair_bytes_, limits_);
    const CountsView<Lane> counts = here.counts.view();
    const FrontPtr leaf = leaf_front(counts.totals[0], counts.totals[1]);
    if (limits_.stopped()) return leaf;
    here.builder.start(counts.totals[0], counts.totals[1]);
    here.sources.clear();
    add_source({0, leaf, nullptr}, here);
    for (std::size_t feature = 0; feature < rows.n_features; ++feature) {
        if (here.builder.is_perfect() || !limits_.keep_going(here.counts.work())) break;
        if (counts.may_split(feature)) try_split(feature, budget, number);
        if (number == 0)
            share_done_ = static_cast<double>(feature + 1) / static_cast<double>(rows.n_features);
    }
    FrontPtr front = collect(here);
    if (!limits_.stopped()) cache_.store(here.counts.fingerprint(), budget, front);
    return front;
}

template <class Lane>
void FrontSearch<Lane>::try_split(std::size_t feature, Budget budget, std::size_t number) {
    ++stats_.splits;
    Level& here = level(number);
    here.counts.split(feature);
    // All ways to distribute the other nodes; a part can use at most `last`.
    const std::uint32_t rest = budget.nodes - 1;
    const std::uint32_t last = std::min(rest, Budget::most_nodes(budget.depth - 1));
    const std::uint32_t first = rest - last;
    bool is_counted = false;
    std::array<std::vector<FrontPtr>, 2> sides;
    for (int side = 0; side < 2; ++side) {
        std::vector<FrontPtr>& fronts = sides[static_cast<std::size_t>(side)];
        fronts = part_fronts({feature, side, budget.depth - 1, first, last}, is_counted, number);
        if (fronts.empty()) return;  // stopped before anything was found
    }
    const std::uint32_t column = here.counts.rows().features[feature];
    for (std::uint32_t left = first; left <= last; ++left)
        add_source({column, sides[0][left - first], sides[1][rest - left - first]}, here);
}

// The fronts of a part for each number of nodes; empty if the limits stopped it too early.
template <class Lane>
std::vector<FrontPtr> FrontSearch<Lane>::part_fronts(const Part& part,
                                                     bool& is_counted,
                                                     std::size_t number) {
    Level& here = level(number);
    const CountsView<Lane> counts = here.counts.view();
    const auto [n0, n1, n_rows] = counts.part(part.side, part.feature);
    std::vector<FrontPtr> fronts(part.last - part.first + 1);
    const Fingerprint key = here.counts.fingerprint(part.side);
    bool is_complete = true;
    for (std::uint32_t nodes = part.first; nodes <= part.last; ++nodes) {
        FrontPtr& front = fronts[nodes - part.first];
        if (nodes == 0 || n0 == 0 || n1 == 0)
            front = leaf_front(n0, n1);
        else if ((front = cache_.find(key, tightened({part.depth, nodes}))))
            ++stats_.cache_hits;
        is_complete &= front != nullptr;
    }
    if (is_complete) return fronts;
    if (part.depth == 2)
        solve_parts_of_depth_two(part, is_counted, here, fronts);
    else
        solve_deep_parts(part, number, fronts);
    return fronts;
}

template <class Lane>
void FrontSearch<Lane>::solve_parts_of_depth_two(const Part& part,
                                                 bool& is_counted,
                                                 Level& here,
                                                 std::vector<FrontPtr>& fronts) {
    if (!is_counted) here.counts.count_parts(limits_);
    is_counted = true;
    if (limits_.stopped()) return fronts.clear();
    ++stats_.depth_two_calls;
    std::vector<Front> found = depth_two_front_.solve(
        here.counts.part(part.side), here.counts, part.first, part.last, limits_);
    const Fingerprint key = here.counts.fingerprint(part.side);
    for (std::uint32_t nodes = part.first; nodes <= part.last; ++nodes) {
        FrontPtr& front = fronts[nodes - part.first];
        front = std::make_shared<Front>(std::move(found[nodes - part.first]));
        if (!limits_.stopped() && nodes > 0)
            cache_.store(key, tightened({part.depth, nodes}), front);
    }
}

template <class Lane>
void FrontSearch<Lane>::solve_deep_parts(const Part& part,
                                         std::size_t number,
                                         std::vector<FrontPtr>& fronts) {
    Level& here = level(number);
    Level& below = level(number + 1);
    select_rows(
        here.counts.rows(), here.counts.row_numbers(part.side), below.rows, least_.rows_only());
    for (std::uint32_t nodes = part.first; nodes <= part.last; ++nodes) {
        FrontPtr& front = fronts[nodes - part.first];
        if (front != nullptr) continue;
        const Budget budget = tightened({part.depth, nodes});
        if (budget.depth > 2) {
            front = solve_node(below.rows, budget, number + 1);
            continue;
        }
        front = solve_small(below.rows, budget, below);
        if (front == nullptr) return fronts.clear();
        if (!limits_.stopped()) cache_.store(below.counts.fingerprint(), budget, front);
    }
}

template <class Lane>
void FrontSearch<Lane>::add_source(Source source, Level& here) {
    const auto number = static_cast<std::uint32_t>(here.sources.size());
    const Front& left = *source.left;
    for (std::uint32_t p = 0; p < left.size(); ++p) {
        if (source.right == nullptr) {
            here.builder.add(left[p].fp, left[p].fn, {number, p, 0});
            continue;
        }
        const Front& right = *source.right;
        limits_.keep_going(static_cast<std::int64_t>(right.size() / sums_per_work + 1));
        if (limits_.stopped() && p > 0) break;  // the front is incomplete, but its points are valid
        for (std::uint32_t q = 0; q < right.size(); ++q)
            here.builder.add(left[p].fp + right[q].fp, left[p].fn + right[q].fn, {number, p, q});
    }
    here.sources.push_back(std::move(source));
}

template <class Lane>
FrontPtr FrontSearch<Lane>::collect(Level& here) {
    auto front = std::make_shared<Front>();
    for (const Candidate& candidate : here.builder.finish()) {
        const Source& source = here.sources[candidate.origin.root];
        if (source.right != nullptr) front->append(source.column);
        front->append(source.left->tree(candidate.origin.left));
        if (source.right != nullptr) front->append(source.right->tree(candidate.origin.right));
        front->end_tree({candidate.fp, candidate.fn});
    }
    here.sources.clear();
    return front;
}

template class FrontSearch<std::int16_t>;
template class FrontSearch<std::int32_t>;
template class FrontSearch<std::int64_t>;

}  // namespace murtree::pareto
