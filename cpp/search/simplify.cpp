#include "search/simplify.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "search/leaf_totals.hpp"
#include "search/recount.hpp"

namespace murtree {
namespace {

// The original rows.
class OriginalRows {
  public:
    OriginalRows(const Dataset& data, const Tree& tree) : data_(data), tree_(tree) {}

    std::size_t size() const { return data_.n_rows(); }
    std::size_t label(std::size_t row) const { return static_cast<std::size_t>(data_.label(row)); }
    std::int64_t weight(std::size_t row) const { return data_.weight(row); }
    bool goes_right(std::size_t row, std::size_t node) const {
        return data_.value(row, static_cast<std::uint32_t>(tree_.feature[node]));
    }

  private:
    const Dataset& data_;
    const Tree& tree_;
};

// The rows of the search, for two classes: equal rows are merged, opposite ones cancelled. This
// reduces the cost of all trees on the same rows by the same amount.
class MergedRows {
  public:
    MergedRows(const Dataset& data, const Tree& tree) : rows_(data.reduced()) {
        for (const RowSegment& segment : rows_.segments)
            if (!segment.is_size()) segments_.insert(segments_.end(), segment.n_rows, &segment);
        const std::vector<std::uint32_t>& columns = rows_.features;
        for (const std::int32_t feature : tree.feature) {
            const auto column = static_cast<std::uint32_t>(std::max(feature, 0));
            const auto position = std::lower_bound(columns.begin(), columns.end(), column);
            feature_indices_.push_back(static_cast<std::size_t>(position - columns.begin()));
            is_flipped_.push_back(data.is_flipped(column) ? 1 : 0);
        }
    }

    std::size_t size() const { return segments_.size(); }
    std::size_t label(std::size_t row) const { return segments_[row]->label; }
    std::int64_t weight(std::size_t row) const { return std::int64_t{1} << segments_[row]->shift; }
    bool goes_right(std::size_t row, std::size_t node) const {
        return rows_.value(row, feature_indices_[node]) != is_flipped_[node];
    }

  private:
    const Rows& rows_;
    std::vector<const RowSegment*> segments_;   // by row
    std::vector<std::size_t> feature_indices_;  // by node: index of the feature it tests, and ...
    std::vector<std::size_t> is_flipped_;       // ... whether it is stored as its complement
};

// A tree with its nodes in preorder, as built by recount(): a subtree is a range of nodes.
template <class Source>
class Simplifier {
  public:
    Simplifier(const Tree& tree, const Dataset& data, const Task& task)
        : tree_(tree),
          data_(data),
          task_(task),
          rows_(data, tree),
          by_leaf_(rows_.size()),
          first_(tree.size() + 1, 0),
          totals_(tree.size(), LeafTotals(data)) {
        std::vector<std::size_t> leaves(rows_.size());
        for (std::size_t row = 0; row < leaves.size(); ++row) {
            leaves[row] = leaf_of(0, row);
            add(row, totals_[leaves[row]]);
            ++first_[leaves[row] + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        std::vector<std::size_t> next = first_;
        for (std::size_t row = 0; row < leaves.size(); ++row) by_leaf_[next[leaves[row]]++] = row;
    }

    // The tree in which the first node that can be replaced by one of its subtrees is replaced;
    // none if there is no such node.
    std::optional<Tree> smaller() {
        for (std::size_t node = 0; node < tree_.size(); ++node) {
            if (!is_split(node)) continue;
            const std::size_t left = child(node, 0);
            const std::size_t right = child(node, 1);
            if (serves(left, right, node)) return replaced(node, left);
            if (serves(right, left, node)) return replaced(node, right);
        }
        return std::nullopt;
    }

  private:
    bool is_split(std::size_t node) const { return tree_.left[node] != Tree::no_child; }

    std::size_t child(std::size_t node, int side) const {
        return static_cast<std::size_t>((side == 0 ? tree_.left : tree_.right)[node]);
    }

    std::size_t end_of(std::size_t node) const {
        while (is_split(node)) node = child(node, 1);
        return node + 1;
    }

    std::size_t leaf_of(std::size_t node, std::size_t row) const {
        while (is_split(node)) node = child(node, rows_.goes_right(row, node) ? 1 : 0);
        return node;
    }

    void add(std::size_t row, LeafTotals& leaf) const {
        if (data_.sums() != nullptr)
            leaf.add(data_.inputs(row));
        else
            leaf.add(rows_.label(row), rows_.weight(row));
    }

    bool rounds_leaves() const { return data_.sums() != nullptr && data_.sums()->rounds_leaves(); }

    std::size_t n_leaves(std::size_t node) const { return (end_of(node) - node + 1) / 2; }

    std::int64_t price_of(std::size_t node) const {
        return task_.price_of_node + test_cost(data_, tree_.feature[node]) * task_.price_of_error;
    }

    // The totals of a subtree, whose nodes are a range.
    struct Totals {
        std::size_t first;
        std::span<LeafTotals> of;

        LeafTotals& operator[](std::size_t node) const { return of[node - first]; }
    };

    std::int64_t cost_of(std::size_t node, const Totals& totals) const {
        if (!is_split(node)) return totals[node].cost() * task_.price_of_error;
        return cost_of(child(node, 0), totals) + cost_of(child(node, 1), totals) + price_of(node);
    }

    double unrounded(std::size_t node, const Totals& totals) const {
        if (!is_split(node))
            return totals[node].unrounded() * static_cast<double>(task_.price_of_error);
        return unrounded(child(node, 0), totals) + unrounded(child(node, 1), totals) +
               static_cast<double>(price_of(node));
    }

    // Whether a subtree costs no more than its parent on the parent's rows. Additional rows never
    // make a leaf cheaper, so the answer is usually found early. recount() has already handled
    // leaves. The time is proportional to the nodes and rows of the parent, so that large trees of
    // many rows take no longer than a few passes over both for each level.
    //
    // Squares and impurities are rounded down at each leaf by less than a unit, which must not
    // affect the result: integer costs are only used to rule out, and the unrounded costs are
    // compared. Their total is less than 2^36 units, so that the error of doubles is less than
    // 2^-15 units per leaf.
    bool serves(std::size_t node, std::size_t sibling, std::size_t parent) {
        if (!is_split(node)) return false;
        const auto leaves = static_cast<std::int64_t>(rounds_leaves() ? n_leaves(parent) : 0);
        const Totals known{0, totals_};
        const std::int64_t most = cost_of(parent, known) + leaves * task_.price_of_error;
        const auto of_node = totals_.begin() + static_cast<std::ptrdiff_t>(node);
        std::vector<LeafTotals> copy(of_node,
                                     of_node + static_cast<std::ptrdiff_t>(end_of(node) - node));
        const Totals totals{node, copy};
        std::size_t n_added = 0, next_check = 16;
        for (std::size_t k = first_[sibling]; k < first_[end_of(sibling)]; ++k) {
            const std::size_t row = by_leaf_[k];
            add(row, totals[leaf_of(node, row)]);
            if (++n_added < next_check) continue;
            next_check *= 2;
            if (cost_of(node, totals) > most) return false;
        }
        if (cost_of(node, totals) > most) return false;
        if (!rounds_leaves()) return true;
        const double error = static_cast<double>(leaves * task_.price_of_error) / 32768;
        return unrounded(node, totals) <= unrounded(parent, known) + error;
    }

    Tree replaced(std::size_t node, std::size_t by) const {
        Tree tree = tree_;
        for (std::vector<std::int32_t>* links : {&tree.left, &tree.right})
            std::replace(links->begin(),
                         links->end(),
                         static_cast<std::int32_t>(node),
                         static_cast<std::int32_t>(by));
        if (node != 0) return tree;
        tree.left[0] = tree_.left[by];
        tree.right[0] = tree_.right[by];
        tree.feature[0] = tree_.feature[by];
        return tree;
    }

    const Tree& tree_;
    const Dataset& data_;
    const Task& task_;
    Source rows_;
    std::vector<std::size_t> by_leaf_;  // the rows, sorted by their leaves
    std::vector<std::size_t> first_;    // by node: the first row of it or of a later node
    std::vector<LeafTotals> totals_;    // by node; of leaves only
};

std::optional<Tree> smaller(const Tree& tree, const Dataset& data, const Task& task) {
    if (data.sums() == nullptr && data.n_classes() == 2)
        return Simplifier<MergedRows>(tree, data, task).smaller();
    return Simplifier<OriginalRows>(tree, data, task).smaller();
}

}  // namespace

CountedTree simplified(CountedTree counted, const Dataset& data, const Task& task) {
    while (counted.n_splits() > 1) {
        const std::optional<Tree> tree = smaller(counted.tree, data, task);
        if (!tree) break;
        counted = recount(*tree, data, task);
    }
    return counted;
}

}  // namespace murtree
