#include "search/simplify.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace murtree {
namespace {

// What the rows of a leaf sum up to, and hence cost.
class Totals {
  public:
    explicit Totals(const Dataset& data)
        : data_(&data),
          sums_(data.sums() == nullptr ? 0 : data.sums()->n_inputs() + 1, 0),
          weights_(data.n_classes(), 0) {}

    void add(std::uint32_t row) {
        if (sums_.empty()) {
            std::int64_t& own = weights_[static_cast<std::size_t>(data_->label(row))];
            own += data_->weight(row);
            weight_ += data_->weight(row);
            heaviest_ = std::max(heaviest_, own);
            return;
        }
        const double* const inputs = data_->inputs(row);
        for (std::size_t k = 0; k + 1 < sums_.size(); ++k) sums_[k] += inputs[k];
        sums_.back() += data_->sums()->own_cost(inputs);
    }

    std::int64_t cost() const {
        if (sums_.empty()) return weight_ - heaviest_;
        return data_->sums()->original_cost(sums_.data(), sums_.back());
    }

  private:
    const Dataset* data_;
    std::vector<double> sums_;
    std::vector<std::int64_t> weights_;
    std::int64_t weight_ = 0;
    std::int64_t heaviest_ = 0;
};

using RowNumbers = std::vector<std::uint32_t>;

// A tree for some rows.
struct Piece {
    Tree tree;
    std::vector<Totals> totals;  // by node; of leaves only
    std::int64_t cost = 0;
    std::int64_t prices = 0;  // of its nodes, a part of the cost

    bool is_leaf() const { return tree.size() == 1; }
};

class Simplifier {
  public:
    Simplifier(const Dataset& data, const Task& task) : data_(data), task_(task) {}

    Piece simplify(const Tree& tree, std::size_t node, const RowNumbers& rows) const {
        Piece leaf = leaf_of(rows);
        if (tree.left[node] == Tree::no_child) return leaf;
        const auto column = static_cast<std::uint32_t>(tree.feature[node]);
        std::array<RowNumbers, 2> parts;
        for (const std::uint32_t row : rows) parts[data_.value(row, column) ? 1 : 0].push_back(row);
        std::array<Piece, 2> pieces{
            simplify(tree, static_cast<std::size_t>(tree.left[node]), parts[0]),
            simplify(tree, static_cast<std::size_t>(tree.right[node]), parts[1])};
        const std::int64_t cost =
            pieces[0].cost + pieces[1].cost + price_of(column) + rounding(pieces);
        if (leaf.cost <= cost) return leaf;
        const std::size_t smaller = pieces[1].tree.size() < pieces[0].tree.size() ? 1 : 0;
        for (const std::size_t side : {smaller, 1 - smaller})
            if (!pieces[side].is_leaf() && serves(pieces[side], parts[1 - side], cost))
                return simplify(pieces[side].tree, 0, rows);
        return joined(column, std::move(pieces));
    }

  private:
    std::int64_t price_of(std::uint32_t column) const {
        const Sums* const sums = data_.sums();
        const double test = sums == nullptr ? 0 : sums->feature_cost(column);
        return task_.price_of_node + static_cast<std::int64_t>(test) * task_.price_of_error;
    }

    // Squares are rounded at each leaf (see Sums): what is within that is no difference.
    std::int64_t rounding(const std::array<Piece, 2>& pieces) const {
        if (data_.sums() == nullptr || data_.sums()->kind() != Sums::Kind::squares) return 0;
        const std::size_t n_nodes = pieces[0].tree.size() + pieces[1].tree.size();
        return static_cast<std::int64_t>(n_nodes / 2 + 1) * task_.price_of_error;
    }

    Piece leaf_of(const RowNumbers& rows) const {
        Piece leaf;
        leaf.tree.add_leaf();
        leaf.totals.emplace_back(data_);
        for (const std::uint32_t row : rows) leaf.totals[0].add(row);
        leaf.cost = leaf.totals[0].cost() * task_.price_of_error;
        return leaf;
    }

    // Whether a piece costs no more than this with these rows in addition. Rows never make a leaf
    // cheaper, so it is mostly seen soon that it does not.
    bool serves(const Piece& piece, const RowNumbers& rows, std::int64_t cost) const {
        constexpr std::size_t step = 16;
        std::vector<Totals> totals = piece.totals;
        for (std::size_t first = 0; first < rows.size(); first += step) {
            for (std::size_t k = first; k < std::min(first + step, rows.size()); ++k)
                totals[leaf_in(piece.tree, rows[k])].add(rows[k]);
            std::int64_t sum = piece.prices;
            for (const Totals& leaf : totals) sum += leaf.cost() * task_.price_of_error;
            if (sum > cost) return false;
        }
        return true;
    }

    std::size_t leaf_in(const Tree& tree, std::uint32_t row) const {
        std::size_t node = 0;
        while (tree.left[node] != Tree::no_child) {
            const bool one = data_.value(row, static_cast<std::uint32_t>(tree.feature[node]));
            node = static_cast<std::size_t>(one ? tree.right[node] : tree.left[node]);
        }
        return node;
    }

    Piece joined(std::uint32_t column, std::array<Piece, 2> pieces) const {
        Piece both;
        both.tree.add_leaf();
        both.tree.feature[0] = static_cast<std::int32_t>(column);
        both.totals.emplace_back(data_);
        both.prices = price_of(column);
        both.cost = both.prices;
        for (const std::size_t side : {0, 1}) {
            const Piece& piece = pieces[side];
            const auto offset = static_cast<std::int32_t>(both.tree.size());
            (side == 0 ? both.tree.left : both.tree.right)[0] = offset;
            for (std::size_t node = 0; node < piece.tree.size(); ++node) {
                const auto index = static_cast<std::size_t>(both.tree.add_leaf());
                both.tree.feature[index] = piece.tree.feature[node];
                if (piece.tree.left[node] == Tree::no_child) continue;
                both.tree.left[index] = piece.tree.left[node] + offset;
                both.tree.right[index] = piece.tree.right[node] + offset;
            }
            both.totals.insert(both.totals.end(), piece.totals.begin(), piece.totals.end());
            both.cost += piece.cost;
            both.prices += piece.prices;
        }
        return both;
    }

    const Dataset& data_;
    const Task& task_;
};

// The rows as they were given.
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

// The rows of the search, of two classes: equal ones are merged, opposite ones cancelled. All trees
// cost less than on the original ones by the same.
class MergedRows {
  public:
    MergedRows(const Dataset& data, const Tree& tree) : rows_(data.reduced()) {
        for (const RowSegment& segment : rows_.segments)
            if (!segment.is_size()) segments_.insert(segments_.end(), segment.n_rows, &segment);
        const std::vector<std::uint32_t>& columns = rows_.features;
        for (const std::int32_t feature : tree.feature) {
            const auto column = static_cast<std::uint32_t>(std::max(feature, 0));
            const auto place = std::lower_bound(columns.begin(), columns.end(), column);
            places_.push_back(static_cast<std::size_t>(place - columns.begin()));
            is_flipped_.push_back(data.is_flipped(column) ? 1 : 0);
        }
    }

    std::size_t size() const { return segments_.size(); }
    std::size_t label(std::size_t row) const { return segments_[row]->label; }
    std::int64_t weight(std::size_t row) const { return std::int64_t{1} << segments_[row]->shift; }
    bool goes_right(std::size_t row, std::size_t node) const {
        return rows_.value(row, places_[node]) != is_flipped_[node];
    }

  private:
    const Rows& rows_;
    std::vector<const RowSegment*> segments_;  // by row
    std::vector<std::size_t> places_;          // by node: which feature it tests, and ...
    std::vector<std::size_t> is_flipped_;      // ... whether that is stored as its complement
};

// Whether a look at the rows, without parting them, shows that no subtree can take the place of its
// parent. Mostly it does: with some rows of its sibling the subtree costs too much already.
template <class Source>
class Glance {
  public:
    Glance(const Tree& tree, const Dataset& data, const Task& task)
        : tree_(tree),
          n_classes_(data.n_classes()),
          task_(task),
          source_(data, tree),
          rows_(tree.size()),
          weights_(tree.size() * n_classes_, 0) {
        for (std::size_t row = 0; row < source_.size(); ++row) {
            std::size_t node = 0;
            while (is_split(node)) {
                node = child(node, row);
                rows_[node].push_back(static_cast<std::uint32_t>(row));
            }
            weights_[node * n_classes_ + source_.label(row)] += source_.weight(row);
        }
    }

    bool is_enough() const {
        for (std::size_t node = 0; node < tree_.size(); ++node)
            if (is_split(node) && (may_serve(left(node), right(node), cost_of(node, weights_)) ||
                                   may_serve(right(node), left(node), cost_of(node, weights_))))
                return false;
        return true;
    }

  private:
    bool is_split(std::size_t node) const { return tree_.left[node] != Tree::no_child; }
    std::size_t left(std::size_t node) const { return static_cast<std::size_t>(tree_.left[node]); }
    std::size_t right(std::size_t node) const {
        return static_cast<std::size_t>(tree_.right[node]);
    }
    std::size_t child(std::size_t node, std::size_t row) const {
        return source_.goes_right(row, node) ? right(node) : left(node);
    }

    std::int64_t cost_of(std::size_t node, const std::vector<std::int64_t>& weights) const {
        if (is_split(node))
            return cost_of(left(node), weights) + cost_of(right(node), weights) +
                   task_.price_of_node;
        const std::int64_t* const own = weights.data() + node * n_classes_;
        const std::int64_t* const end = own + n_classes_;
        return (std::accumulate(own, end, std::int64_t{0}) - *std::max_element(own, end)) *
               task_.price_of_error;
    }

    // A leaf in the place of its parent is no matter for this: recount() looks at those.
    bool may_serve(std::size_t node, std::size_t sibling, std::int64_t most) const {
        constexpr std::size_t step = 32;  // rows between two looks at the cost
        if (!is_split(node)) return false;
        std::vector<std::int64_t> weights = weights_;
        const RowNumbers& rows = rows_[sibling];
        for (std::size_t k = 0; k < rows.size(); ++k) {
            std::size_t leaf = node;
            while (is_split(leaf)) leaf = child(leaf, rows[k]);
            weights[leaf * n_classes_ + source_.label(rows[k])] += source_.weight(rows[k]);
            if (k % step == step - 1 && cost_of(node, weights) > most) return false;
        }
        return cost_of(node, weights) <= most;
    }

    const Tree& tree_;
    std::size_t n_classes_;
    const Task& task_;
    Source source_;
    std::vector<RowNumbers> rows_;       // by node, but for the root
    std::vector<std::int64_t> weights_;  // leaves x classes
};

bool is_simple(const Tree& tree, const Dataset& data, const Task& task) {
    if (data.sums() != nullptr) return false;
    if (data.n_classes() == 2) return Glance<MergedRows>(tree, data, task).is_enough();
    return Glance<OriginalRows>(tree, data, task).is_enough();
}

}  // namespace

CountedTree simplified(const CountedTree& counted, const Dataset& data, const Task& task) {
    if (counted.n_splits() == 0 || is_simple(counted.tree, data, task)) return counted;
    RowNumbers rows(data.n_rows());
    std::iota(rows.begin(), rows.end(), 0u);
    const Tree tree = Simplifier(data, task).simplify(counted.tree, 0, rows).tree;
    return tree.size() < counted.tree.size() ? recount(tree, data, task) : counted;
}

}  // namespace murtree
