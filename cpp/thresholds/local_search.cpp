// A tree is improved part by part, for an upper bound close to the optimum: subtrees at the bottom,
// of depth two for example, are replaced by the best ones for their rows, and each test above by
// the best one for its children as they are. Both are repeated while the tree gets better.
#include <algorithm>
#include <utility>

#include "thresholds/labelled_tree.hpp"
#include "thresholds/level.hpp"

namespace murtree::thresholds {
namespace {

constexpr int most_rounds = 10;

// The best cut for two subtrees as they are, if it is better than the one there is.
std::optional<Test> best_test(RowSet& rows, const LabelledTree& tree) {
    const Table& table = rows.table();
    std::vector<Cost> more(table.n_rows());  // by row: its cost on the left less that on the right
    Cost now = 0;                            // of the rows on the left
    for (const std::uint32_t row : rows.order(0)) {
        more[row] = tree.cost(tree.child(0, true), row) - tree.cost(tree.child(0, false), row);
        if (tree.goes_left(0, row)) now += more[row];
    }
    std::optional<Test> best;
    for (std::uint32_t chain = 0; chain < rows.n_chains(); ++chain) {
        const std::vector<std::uint32_t>& rank = table.chains()[chain].rank;
        const std::span<const std::uint32_t> order = rows.order(chain);
        Cost sum = 0;
        for (std::size_t k = 1; k < order.size(); ++k) {
            sum += more[order[k - 1]];
            if (sum >= now || rank[order[k]] == rank[order[k - 1]]) continue;
            now = sum;
            best = Test{chain, rank[order[k]]};
        }
    }
    return best;
}

}  // namespace

// The rows of the level must be selected.
CutTree Search::improved(std::size_t index, CutTree tree, Budget budget, std::uint32_t depth) {
    RowSet& rows = levels_[index]->rows;
    Cost cost = cost_of(tree, table_, rows.order(0), prices_);
    if (budget.depth <= depth || tree.n_tests() == 0) {
        // A deeper search at the root would report its bound as that of the whole problem.
        budget.depth = std::min(budget.depth, index == 0 ? 2u : depth);
        std::vector<Cost> lower(rows.n_chains(), 0);
        const FoundTree<Outline> better = solve(index, useful(budget), cost, lower);
        return better.is_found() ? completed(index, better.tree) : tree;
    }
    // A tree without a test left has nothing to improve part by part.
    for (int round = 0; round < most_rounds && tree.n_tests() > 0 && limits_.keep_going();
         ++round) {
        CutTree next = with_better_sides(index, tree, budget, depth);
        const Cost its_cost = cost_of(next, table_, rows.order(0), prices_);
        const bool is_smaller = next.n_tests() < tree.n_tests();
        if (its_cost > cost || (its_cost == cost && !is_smaller)) break;
        cost = its_cost;
        tree = std::move(next);
    }
    return tree;
}

CutTree Search::with_better_sides(std::size_t index,
                                  const CutTree& tree,
                                  Budget budget,
                                  std::uint32_t depth) {
    RowSet& rows = levels_[index]->rows;
    const LabelledTree labelled(tree, table_, rows.order(0));
    Test test = labelled.test(0);
    // Another test may make a leaf too small.
    if (!prices_.least_leaf.is_limit()) test = best_test(rows, labelled).value_or(test);
    const std::span<const std::uint32_t> order = rows.order(test.chain);
    const std::vector<std::uint32_t>& rank = table_.chains()[test.chain].rank;
    const auto middle = std::partition_point(
        order.begin(), order.end(), [&](std::uint32_t row) { return rank[row] < test.cut; });
    const auto n_left = static_cast<std::size_t>(middle - order.begin());
    // No row is left on a side if a test above has changed.
    if (n_left == 0 || n_left == rows.n_rows())
        return labelled.subtree(labelled.child(0, n_left > 0));
    std::uint32_t spare = budget.nodes - labelled.n_tests(0);
    const auto side = [&](bool is_left) {
        const std::size_t child = labelled.child(0, is_left);
        const std::size_t first = is_left ? 0 : n_left, last = is_left ? n_left : rows.n_rows();
        CutTree better = labelled.subtree(child);
        const std::uint32_t most = labelled.n_tests(child) + spare;
        levels_[index + 1]->rows.select(test.chain, first, last);
        better = improved(index + 1, std::move(better), {budget.depth - 1, most}, depth);
        spare = most - static_cast<std::uint32_t>(better.n_tests());
        return better;
    };
    const CutTree left = side(true);
    return CutTree::join(test, left, side(false));
}

}  // namespace murtree::thresholds
