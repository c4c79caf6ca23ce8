#include "thresholds/greedy.hpp"

#include <algorithm>
#include <memory>

#include "thresholds/row_set.hpp"

namespace murtree::thresholds {
namespace {

// The levels of the first tree that are completed even if sorting the rows took all of the time: a
// single test would be a poor result.
constexpr std::size_t least_levels = 4;

struct Priced {
    CutTree tree;
    Cost cost;
};

class Greedy {
  public:
    Greedy(const Table& table,
           const Prices& prices,
           std::uint32_t depth,
           Limits& limits,
           std::optional<std::uint32_t> root)
        : table_(table), prices_(prices), limits_(limits), root_(root), classes_(table.n_rows()) {
        for (std::uint32_t k = 0; k <= depth; ++k)
            levels_.push_back(
                std::make_unique<RowSet>(table, k == 0 ? nullptr : levels_.back().get()));
        for (std::size_t row = 0; row < table.n_rows(); ++row) {
            const Cost* const costs = table.costs(row);
            classes_[row] =
                static_cast<std::size_t>(std::min_element(costs, costs + table.n_labels()) - costs);
        }
    }

    Priced grow(std::size_t level, std::uint32_t depth) {
        RowSet& rows = *levels_[level];
        Priced best{CutTree::leaf(), prices_.error * leaf_cost(rows)};
        if (depth == 0 || best.cost == 0) return best;
        Split split;
        if (level == 0 && root_)
            scan(rows, *root_, split);
        else
            split = best_split(rows, level);
        if (split.position == 0 || is_late(level)) return best;
        RowSet& below = *levels_[level + 1];
        below.select(split.test.chain, 0, split.position);
        const Priced left = grow(level + 1, depth - 1);
        below.select(split.test.chain, split.position, rows.n_rows());
        const Priced right = grow(level + 1, depth - 1);
        const Cost cost = prices_.node + left.cost + right.cost;
        if (cost < best.cost) best = {CutTree::join(split.test, left.tree, right.tree), cost};
        return best;
    }

  private:
    struct Split {
        double purity = -1;
        std::size_t position = 0;  // rows on the left; 0: no split
        Test test;
    };

    Cost leaf_cost(RowSet& rows) const {
        std::vector<Cost> totals(table_.n_labels(), 0);
        for (const std::uint32_t row : rows.order(0))
            for (std::size_t label = 0; label < totals.size(); ++label)
                totals[label] += table_.costs(row)[label];
        return *std::min_element(totals.begin(), totals.end());
    }

    bool is_late(std::size_t level) const {
        if (!root_ && level < least_levels) return limits_.was_interrupted();
        return level > 0 && limits_.stopped();
    }

    Split best_split(RowSet& rows, std::size_t level) {
        Split best;
        for (std::uint32_t chain = 0; chain < rows.n_chains() && !is_late(level); ++chain) {
            limits_.keep_going(static_cast<std::int64_t>(rows.n_rows() / 32));
            scan(rows, chain, best);
        }
        return best;
    }

    // The sums of squares of class weights on both sides, over their totals, are largest where the
    // impurity is lowest.
    void scan(RowSet& rows, std::uint32_t chain, Split& best) const {
        const std::span<const std::uint32_t> order = rows.order(chain);
        const std::vector<std::uint32_t>& rank = table_.chains()[chain].rank;
        std::vector<double> left(table_.n_labels(), 0), right(table_.n_labels(), 0);
        double n_left = 0, n_right = 0, left_squares = 0, right_squares = 0;
        for (const std::uint32_t row : order) {
            right[classes_[row]] += static_cast<double>(table_.reach(row));
            n_right += static_cast<double>(table_.reach(row));
        }
        for (const double one : right) right_squares += one * one;
        std::int64_t weight = 0, total = 0;  // of the leaves
        for (const std::uint32_t row : order) total += table_.leaf_weight(row);
        const LeastLeaf& least = prices_.least_leaf;
        const auto n_rows = static_cast<std::int64_t>(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::uint32_t row = order[k];
            const bool is_cut = k > 0 && rank[row] != rank[order[k - 1]];
            const auto n_before = static_cast<std::int64_t>(k);
            const bool is_allowed =
                least.allows(n_before, weight) && least.allows(n_rows - n_before, total - weight);
            weight += table_.leaf_weight(row);
            if (is_cut && is_allowed && n_left > 0 && n_right > 0) {
                const double purity = left_squares / n_left + right_squares / n_right;
                if (purity > best.purity) best = {purity, k, {chain, rank[row]}};
            }
            const auto reach = static_cast<double>(table_.reach(row));
            double &to = left[classes_[row]], &from = right[classes_[row]];
            left_squares += reach * (2 * to + reach);
            right_squares -= reach * (2 * from - reach);
            to += reach;
            from -= reach;
            n_left += reach;
            n_right -= reach;
        }
    }

    const Table& table_;
    const Prices& prices_;
    Limits& limits_;
    std::optional<std::uint32_t> root_;
    std::vector<std::size_t> classes_;
    std::vector<std::unique_ptr<RowSet>> levels_;
};

}  // namespace

CutTree greedy_tree(const Table& table,
                    const Prices& prices,
                    Budget budget,
                    Limits& limits,
                    std::optional<std::uint32_t> root) {
    std::uint32_t depth = 0;
    while (depth < budget.depth && Budget::most_nodes(depth + 1) <= budget.nodes) ++depth;
    if (table.chains().empty()) return CutTree::leaf();
    return Greedy(table, prices, depth, limits, root).grow(0, depth).tree;
}

}  // namespace murtree::thresholds
