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

    // Sums are whole numbers, also in doubles, so the order of adding does not matter.
    void add(const Totals& other) {
        for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            weights_[k] += other.weights_[k];
            heaviest_ = std::max(heaviest_, weights_[k]);
        }
        weight_ += other.weight_;
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
        if (tree.left[node] == Tree::no_child) return leaf_of(total_of(rows));
        const auto column = static_cast<std::uint32_t>(tree.feature[node]);
        std::array<RowNumbers, 2> parts;
        for (RowNumbers& part : parts) part.reserve(rows.size());
        for (const std::uint32_t row : rows) parts[data_.value(row, column) ? 1 : 0].push_back(row);
        std::array<Piece, 2> pieces{
            simplify(tree, static_cast<std::size_t>(tree.left[node]), parts[0]),
            simplify(tree, static_cast<std::size_t>(tree.right[node]), parts[1])};
        const std::int64_t cost = pieces[0].cost + pieces[1].cost + price_of(column);
        Totals total(data_);
        for (const Piece& piece : pieces)
            for (const Totals& leaf : piece.totals) total.add(leaf);
        if (Piece leaf = leaf_of(std::move(total)); leaf.cost <= cost) return leaf;
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

    Totals total_of(const RowNumbers& rows) const {
        Totals total(data_);
        for (const std::uint32_t row : rows) total.add(row);
        return total;
    }

    Piece leaf_of(Totals total) const {
        Piece leaf;
        leaf.tree.add_leaf();
        leaf.totals.push_back(std::move(total));
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

}  // namespace

Tree simplified(const Tree& tree, const Dataset& data, const Task& task) {
    RowNumbers rows(data.n_rows());
    std::iota(rows.begin(), rows.end(), 0u);
    return Simplifier(data, task).simplify(tree, 0, rows).tree;
}

}  // namespace murtree
