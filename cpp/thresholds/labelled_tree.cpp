#include "thresholds/labelled_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace murtree::thresholds {

LabelledTree::LabelledTree(CutTree tree, const Table& table, std::span<const std::uint32_t> rows)
    : tree_(std::move(tree)), table_(table), labels_(tree_.tree.size()) {
    const std::size_t n_labels = table.n_labels();
    std::vector<Cost> sums(labels_.size() * n_labels, 0);
    for (const std::uint32_t row : rows) {
        const std::size_t leaf = leaf_of(0, row);
        for (std::size_t label = 0; label < n_labels; ++label)
            sums[leaf * n_labels + label] += table.costs(row)[label];
    }
    for (std::size_t node = 0; node < labels_.size(); ++node) {
        const auto first = sums.begin() + static_cast<std::ptrdiff_t>(node * n_labels);
        const auto last = first + static_cast<std::ptrdiff_t>(n_labels);
        const auto least = std::min_element(first, last);
        labels_[node] = static_cast<std::size_t>(least - first);
        errors_ += *least;  // 0 above the leaves
    }
}

std::uint32_t LabelledTree::n_tests(std::size_t node) const {
    if (is_leaf(node)) return 0;
    return 1 + n_tests(child(node, true)) + n_tests(child(node, false));
}

CutTree LabelledTree::subtree(std::size_t node) const {
    if (is_leaf(node)) return CutTree::leaf();
    return CutTree::join(test(node), subtree(child(node, true)), subtree(child(node, false)));
}

std::vector<std::uint32_t> all_rows(const Table& table) {
    std::vector<std::uint32_t> rows(table.n_rows());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

Cost cost_of(const CutTree& tree,
             const Table& table,
             std::span<const std::uint32_t> rows,
             const Prices& prices) {
    const Cost errors = LabelledTree(tree, table, rows).errors();
    return prices.error * errors + prices.node * static_cast<Cost>(tree.n_tests());
}

}  // namespace murtree::thresholds
