#include "thresholds/polish.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "thresholds/labelled_tree.hpp"

namespace murtree::thresholds {
namespace {

// The first and the last of some cuts.
struct Cuts {
    std::uint32_t first, last;
};

// The costs of some rows in the subtrees on both sides of a node.
struct Costs {
    std::vector<Cost> left, right;
};

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
        const Costs costs{side_costs(tree_.child(node, true), rows),
                          side_costs(tree_.child(node, false), rows)};
        if (const auto only = needed_side(node, rows, costs))
            return of_node(tree_.child(node, *only), rows);
        widen(node, rows, costs);
        std::vector<std::uint32_t> parts[2];
        for (const std::uint32_t row : rows)
            parts[tree_.goes_left(node, row) ? 0 : 1].push_back(row);
        const Test chosen = tree_.test(node);
        const CutTree left = of_node(tree_.child(node, true), parts[0]);
        const CutTree right = of_node(tree_.child(node, false), parts[1]);
        return CutTree::join(chosen, left, right);
    }

    std::vector<Cost> side_costs(std::size_t child, const std::vector<std::uint32_t>& rows) const {
        std::vector<Cost> costs(rows.size());
        for (std::size_t k = 0; k < rows.size(); ++k) costs[k] = tree_.cost(child, rows[k]);
        return costs;
    }

    // The side whose subtree costs no more for all rows than both sides for theirs, if there is
    // one. Leaves only get more rows, so they stay large enough.
    std::optional<bool> needed_side(std::size_t node,
                                    const std::vector<std::uint32_t>& rows,
                                    const Costs& costs) const {
        Cost now = 0, left = 0, right = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            left += costs.left[k];
            right += costs.right[k];
            now += tree_.goes_left(node, rows[k]) ? costs.left[k] : costs.right[k];
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
    void widen(std::size_t node, const std::vector<std::uint32_t>& rows, const Costs& costs) {
        const Chain& chain = table_.chains()[tree_.test(node).chain];
        std::vector<Cost> more(chain.n_ranks + 1, 0);  // of the rows of a rank on the left
        Cuts allowed{chain.n_ranks, 0};
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::uint32_t rank = chain.rank[rows[k]];
            allowed.first = std::min(allowed.first, rank + 1);
            allowed.last = std::max(allowed.last, rank);
            more[rank] += costs.left[k] - costs.right[k];
        }
        if (prices_.least_leaf.is_limit()) allowed = cuts_of_large_leaves(node, rows);
        Cost sum = 0, least = infeasible;
        double widest = -1;
        std::uint32_t cut = tree_.test(node).cut;
        for (std::uint32_t at = 1; at <= allowed.last; ++at) {
            sum += more[at - 1];
            const double width = chain.widths.empty() ? 0.0 : chain.widths[at - 1];
            if (at < allowed.first || sum > least || (sum == least && width <= widest)) continue;
            least = sum;
            widest = width;
            cut = at;
        }
        tree_.set_cut(node, cut);
    }

    // The cuts with which all leaves are large enough. With a higher cut the leaves on the left
    // only get more rows, and those on the right lose some.
    Cuts cuts_of_large_leaves(std::size_t node, const std::vector<std::uint32_t>& rows) const {
        const Chain& chain = table_.chains()[tree_.test(node).chain];
        std::vector<std::uint32_t> order = rows;
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return chain.rank[a] < chain.rank[b];
        });
        const std::size_t n_left = n_until_large(tree_.child(node, true), order);
        const std::uint32_t first = chain.rank[order[n_left - 1]] + 1;
        std::reverse(order.begin(), order.end());
        const std::size_t n_right = n_until_large(tree_.child(node, false), order);
        return {first, chain.rank[order[n_right - 1]]};
    }

    // The number of the first rows with which all leaves of a subtree are large enough.
    std::size_t n_until_large(std::size_t child, const std::vector<std::uint32_t>& order) const {
        struct Size {
            std::int64_t rows = 0, weight = 0;
        };
        const LeastLeaf& least = prices_.least_leaf;
        std::vector<Size> sizes(tree_.tree().tree.size());
        std::size_t n_small = tree_.n_tests(child) + 1, n_rows = 0;
        for (; n_small > 0 && n_rows < order.size(); ++n_rows) {
            Size& size = sizes[tree_.leaf_of(child, order[n_rows])];
            const bool was_large = least.allows(size.rows, size.weight);
            ++size.rows;
            size.weight += table_.leaf_weight(order[n_rows]);
            n_small -= !was_large && least.allows(size.rows, size.weight);
        }
        return n_rows;
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
