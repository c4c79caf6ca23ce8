#include "thresholds/polish.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "thresholds/labelled_tree.hpp"

namespace murtree::thresholds {
namespace {

class Polish {
  public:
    Polish(CutTree tree, const Table& table, const Prices& prices)
        : table_(table),
          prices_(prices),
          rows_(all_rows(table)),
          tree_(std::move(tree), table, rows_) {}

    CutTree run() { return of_node(0, rows_); }

  private:
    CutTree of_node(std::size_t node, const std::vector<std::uint32_t>& rows) {
        if (tree_.is_leaf(node)) return CutTree::leaf();
        if (const auto only = needed_side(node, rows))
            return of_node(tree_.child(node, *only), rows);
        if (!prices_.least_leaf.is_limit()) widen(node, rows);
        std::vector<std::uint32_t> parts[2];
        for (const std::uint32_t row : rows)
            parts[tree_.goes_left(node, row) ? 0 : 1].push_back(row);
        const Test chosen = tree_.test(node);
        const CutTree left = of_node(tree_.child(node, true), parts[0]);
        const CutTree right = of_node(tree_.child(node, false), parts[1]);
        return CutTree::join(chosen, left, right);
    }

    // The side whose subtree costs no more for all rows than both sides for theirs, if there is
    // one. Leaves only get more rows, so they stay large enough.
    std::optional<bool> needed_side(std::size_t node,
                                    const std::vector<std::uint32_t>& rows) const {
        Cost now = 0, left = 0, right = 0;
        for (const std::uint32_t row : rows) {
            const Cost of_left = tree_.cost(tree_.child(node, true), row);
            const Cost of_right = tree_.cost(tree_.child(node, false), row);
            left += of_left;
            right += of_right;
            now += tree_.goes_left(node, row) ? of_left : of_right;
        }
        const auto total = [&](Cost errors, Cost tests) {
            return prices_.error * errors + prices_.node * tests;
        };
        const Cost whole = total(now, tree_.n_tests(node));
        if (total(left, tree_.n_tests(tree_.child(node, true))) <= whole) return true;
        if (total(right, tree_.n_tests(tree_.child(node, false))) <= whole) return false;
        return std::nullopt;
    }

    // Moves the cut to the widest gap among those of least cost, with the children as they are.
    void widen(std::size_t node, const std::vector<std::uint32_t>& rows) {
        const Chain& chain = table_.chains()[tree_.test(node).chain];
        std::vector<Cost> more(chain.n_ranks + 1, 0);  // of the rows of a rank on the left
        std::uint32_t lowest = chain.n_ranks, highest = 0;
        for (const std::uint32_t row : rows) {
            const std::uint32_t at = chain.rank[row];
            more[at] += tree_.cost(tree_.child(node, true), row) -
                        tree_.cost(tree_.child(node, false), row);
            lowest = std::min(lowest, at);
            highest = std::max(highest, at);
        }
        Cost sum = 0, least = infeasible;
        double widest = -1;
        std::uint32_t cut = tree_.test(node).cut;
        for (std::uint32_t at = lowest + 1; at <= highest; ++at) {
            sum += more[at - 1];
            const double width = chain.widths.empty() ? 0.0 : chain.widths[at - 1];
            if (sum > least || (sum == least && width <= widest)) continue;
            least = sum;
            widest = width;
            cut = at;
        }
        tree_.set_cut(node, cut);
    }

    const Table& table_;
    const Prices& prices_;
    std::vector<std::uint32_t> rows_;
    LabelledTree tree_;
};

}  // namespace

CutTree polished(CutTree tree, const Table& table, const Prices& prices) {
    for (;;) {
        const std::size_t n_tests = tree.n_tests();
        tree = Polish(std::move(tree), table, prices).run();
        if (tree.n_tests() == n_tests) return tree;
    }
}

}  // namespace murtree::thresholds
