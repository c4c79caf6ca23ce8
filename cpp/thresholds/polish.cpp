#include "thresholds/polish.hpp"

#include <algorithm>
#include <optional>

namespace murtree::thresholds {
namespace {

class Polish {
  public:
    Polish(const CutTree& tree, const Table& table, const Prices& prices)
        : tree_(tree), table_(table), prices_(prices), labels_(tree.tree.size()) {
        std::vector<Cost> sums(labels_.size() * table.n_labels(), 0);
        for (std::uint32_t row = 0; row < table.n_rows(); ++row) {
            const std::size_t leaf = leaf_of(0, row);
            for (std::size_t label = 0; label < table.n_labels(); ++label)
                sums[leaf * table.n_labels() + label] += table.costs(row)[label];
        }
        for (std::size_t node = 0; node < labels_.size(); ++node) {
            const auto first = sums.begin() + static_cast<std::ptrdiff_t>(node * table.n_labels());
            const auto last = first + static_cast<std::ptrdiff_t>(table.n_labels());
            labels_[node] = static_cast<std::size_t>(std::min_element(first, last) - first);
        }
    }

    CutTree run() {
        std::vector<std::uint32_t> rows(table_.n_rows());
        for (std::uint32_t row = 0; row < rows.size(); ++row) rows[row] = row;
        return of_node(0, rows);
    }

  private:
    bool is_leaf(std::size_t node) const { return tree_.tree.left[node] == Tree::no_child; }
    std::size_t child(std::size_t node, bool is_left) const {
        return static_cast<std::size_t>((is_left ? tree_.tree.left : tree_.tree.right)[node]);
    }
    const Test& test(std::size_t node) const {
        return tree_.tests[static_cast<std::size_t>(tree_.tree.feature[node])];
    }
    std::uint32_t rank(std::size_t node, std::uint32_t row) const {
        return table_.chains()[test(node).chain].rank[row];
    }

    std::size_t leaf_of(std::size_t node, std::uint32_t row) const {
        while (!is_leaf(node)) node = child(node, rank(node, row) < test(node).cut);
        return node;
    }
    Cost cost(std::size_t node, std::uint32_t row) const {
        return table_.costs(row)[labels_[leaf_of(node, row)]];
    }
    Cost n_tests(std::size_t node) const {
        if (is_leaf(node)) return 0;
        return 1 + n_tests(child(node, true)) + n_tests(child(node, false));
    }

    CutTree of_node(std::size_t node, const std::vector<std::uint32_t>& rows) {
        if (is_leaf(node)) return CutTree::leaf();
        if (const auto only = needed_side(node, rows)) return of_node(child(node, *only), rows);
        if (!prices_.least_leaf.is_limit()) widen(node, rows);
        std::vector<std::uint32_t> parts[2];
        for (const std::uint32_t row : rows)
            parts[rank(node, row) < test(node).cut ? 0 : 1].push_back(row);
        const Test chosen = test(node);
        const CutTree left = of_node(child(node, true), parts[0]);
        const CutTree right = of_node(child(node, false), parts[1]);
        return CutTree::join(chosen, left, right);
    }

    // The side whose subtree costs no more for all rows than both sides for theirs, if there is
    // one. Leaves only get more rows, so they stay large enough.
    std::optional<bool> needed_side(std::size_t node,
                                    const std::vector<std::uint32_t>& rows) const {
        Cost now = 0, left = 0, right = 0;
        for (const std::uint32_t row : rows) {
            const Cost of_left = cost(child(node, true), row);
            const Cost of_right = cost(child(node, false), row);
            left += of_left;
            right += of_right;
            now += rank(node, row) < test(node).cut ? of_left : of_right;
        }
        const auto total = [&](Cost errors, Cost tests) {
            return prices_.error * errors + prices_.node * tests;
        };
        const Cost whole = total(now, n_tests(node));
        if (total(left, n_tests(child(node, true))) <= whole) return true;
        if (total(right, n_tests(child(node, false))) <= whole) return false;
        return std::nullopt;
    }

    // Moves the cut to the widest gap among those of least cost, with the children as they are.
    void widen(std::size_t node, const std::vector<std::uint32_t>& rows) {
        const Chain& chain = table_.chains()[test(node).chain];
        std::vector<Cost> more(chain.n_ranks + 1, 0);  // of the rows of a rank on the left
        std::uint32_t lowest = chain.n_ranks, highest = 0;
        for (const std::uint32_t row : rows) {
            const std::uint32_t at = chain.rank[row];
            more[at] += cost(child(node, true), row) - cost(child(node, false), row);
            lowest = std::min(lowest, at);
            highest = std::max(highest, at);
        }
        Cost sum = 0, least = infeasible;
        double widest = -1;
        std::uint32_t& cut = tree_.tests[static_cast<std::size_t>(tree_.tree.feature[node])].cut;
        for (std::uint32_t at = lowest + 1; at <= highest; ++at) {
            sum += more[at - 1];
            const double width = chain.widths.empty() ? 0.0 : chain.widths[at - 1];
            if (sum > least || (sum == least && width <= widest)) continue;
            least = sum;
            widest = width;
            cut = at;
        }
    }

    CutTree tree_;
    const Table& table_;
    const Prices& prices_;
    std::vector<std::size_t> labels_;  // by node
};

}  // namespace

CutTree polished(CutTree tree, const Table& table, const Prices& prices) {
    for (;;) {
        const std::size_t n_tests = tree.n_tests();
        tree = Polish(tree, table, prices).run();
        if (tree.n_tests() == n_tests) return tree;
    }
}

}  // namespace murtree::thresholds
