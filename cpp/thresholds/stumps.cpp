#include "thresholds/stumps.hpp"

#include <algorithm>

#include "thresholds/class_stumps.hpp"
#include "thresholds/general_stumps.hpp"
#include "thresholds/two_label_stumps.hpp"

namespace murtree::thresholds {

std::unique_ptr<Stumps> Stumps::create(RowSet& rows, const LeastLeaf& least_leaf) {
    const Table& table = rows.table();
    const bool has_classes = table.n_labels() > 2 && table.counts_errors() &&
                             table.n_labels() <= ClassStumps::max_labels && rows.n_chains() > 0;
    if (has_classes) return std::make_unique<ClassStumps>(rows, least_leaf);
    if (table.n_labels() != 2) return std::make_unique<GeneralStumps>(rows, least_leaf);
    if (table.is_small()) return std::make_unique<TwoLabelStumps<std::int8_t>>(rows, least_leaf);
    return std::make_unique<TwoLabelStumps<std::int64_t>>(rows, least_leaf);
}

Stumps::Stumps(RowSet& rows, const LeastLeaf& least_leaf)
    : rows_(rows),
      least_leaf_(least_leaf),
      n_labels_(rows.table().n_labels()),
      codes_(rows.table().n_rows() + 1),
      sums_(n_labels_) {}

void Stumps::start() {
    totals_.assign(n_labels_, 0);
    sum_totals();
    leaf_ = std::ranges::min(totals_);
}

void Stumps::sum_totals() {
    if (rows_.n_chains() > 0) mark(rows_.order(0), 0, totals_.data());
}

void Stumps::set_edges(std::size_t chain, std::span<const std::uint32_t> edges) {
    edge_rows_.assign(edges.begin(), edges.end());
    ++codes_version_;
    const std::span<const std::uint32_t> order = rows_.order(chain);
    lefts_.clear();
    std::ranges::fill(sums_, 0);
    std::size_t k = 0;
    for (std::size_t code = 0; code <= edges.size(); ++code) {
        const std::size_t end = code < edges.size() ? edges[code] : order.size();
        mark(order.subspan(k, end - k), static_cast<std::uint8_t>(code), sums_.data());
        lefts_.insert(lefts_.end(), sums_.begin(), sums_.end());
        k = end;
    }
}

void Stumps::mark(std::span<const std::uint32_t> rows, std::uint8_t code, Cost* to) {
    for (const std::uint32_t row : rows) {
        const Cost* const costs = rows_.table().costs(row);
        codes_[row] = code;
        for (std::size_t label = 0; label < n_labels_; ++label) to[label] += costs[label];
    }
}

Sides Stumps::leaves(std::size_t edge) {
    const Cost* const left = lefts_.data() + edge * n_labels_;
    Sides sides{infeasible, infeasible};
    for (std::size_t label = 0; label < n_labels_; ++label) {
        sides.left = std::min(sides.left, left[label]);
        sides.right = std::min(sides.right, totals_[label] - left[label]);
    }
    return sides;
}

// The left leaf grows with the threshold and the right one shrinks, so only both ends are scanned.
Stumps::Thresholds Stumps::allowed(std::size_t chain,
                                   std::uint8_t first_code,
                                   std::uint8_t last_code) {
    const std::span<const std::uint32_t> order = rows_.order(chain);
    std::int64_t n = 0, weight = 0;
    const auto is_enough_with = [&](std::uint32_t row) {
        if (codes_[row] < first_code || codes_[row] > last_code) return false;
        weight += rows_.table().leaf_weight(row);
        return least_leaf_.allows(++n, weight);
    };
    std::size_t low = 0, high = order.size();
    while (low < order.size() && !is_enough_with(order[low])) ++low;
    n = weight = 0;
    while (high > 0 && !is_enough_with(order[high - 1])) --high;
    return {low + 1, high};  // the row before `high` is on the right
}

namespace {

// The cost of a leaf, as rows come and go.
class Leaf {
  public:
    explicit Leaf(const Table& table)
        : table_(table), counts_errors_(table.counts_errors()), sums_(table.n_labels(), 0) {}

    void add(std::size_t row, Cost times) {
        if (counts_errors_) {
            sums_[table_.free_label(row)] -= times;
            n_rows_ += times;
            return;
        }
        for (std::size_t label = 0; label < sums_.size(); ++label)
            sums_[label] += times * table_.costs(row)[label];
    }
    Cost cost() const { return n_rows_ + *std::min_element(sums_.begin(), sums_.end()); }

  private:
    const Table& table_;
    bool counts_errors_;
    std::vector<Cost> sums_;  // by label: its cost, less the number of rows counted
    Cost n_rows_ = 0;
};

}  // namespace

BestCut best_cut(const Table& table,
                 std::size_t chain,
                 std::span<const std::uint32_t> sorted_rows,
                 const LeastLeaf& least_leaf) {
    const std::vector<std::uint32_t>& rank = table.chains()[chain].rank;
    Leaf left(table), right(table);
    for (const std::uint32_t row : sorted_rows) right.add(row, 1);
    BestCut best{0, right.cost()};
    const auto n_rows = static_cast<std::int64_t>(sorted_rows.size());
    std::int64_t weight = 0, total = 0;  // of the leaves
    for (const std::uint32_t row : sorted_rows) total += table.leaf_weight(row);
    for (std::int64_t k = 0; k < n_rows; ++k) {
        const std::uint32_t row = sorted_rows[static_cast<std::size_t>(k)];
        if (k > 0 && rank[row] != rank[sorted_rows[static_cast<std::size_t>(k) - 1]] &&
            least_leaf.allows(k, weight) && least_leaf.allows(n_rows - k, total - weight)) {
            const Cost cost = left.cost() + right.cost();
            if (cost < best.cost) best = {rank[row], cost};
        }
        weight += table.leaf_weight(row);
        left.add(row, 1);
        right.add(row, -1);
    }
    return best;
}

}  // namespace murtree::thresholds
