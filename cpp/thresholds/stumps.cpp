#include "thresholds/stumps.hpp"

#include <algorithm>

#include "thresholds/general_stumps.hpp"
#include "thresholds/two_label_stumps.hpp"

namespace murtree::thresholds {

std::unique_ptr<Stumps> Stumps::create(RowSet& rows, const LeastLeaf& least_leaf) {
    const Table& table = rows.table();
    if (least_leaf.is_limit() || table.n_labels() != 2)
        return std::make_unique<GeneralStumps>(rows, least_leaf);
    if (table.is_small()) return std::make_unique<TwoLabelStumps<std::int8_t>>(rows);
    return std::make_unique<TwoLabelStumps<std::int64_t>>(rows);
}

Stumps::Stumps(RowSet& rows)
    : rows_(rows), n_labels_(rows.table().n_labels()), codes_(rows.table().n_rows() + 1) {}

Cost Stumps::least(std::span<const Cost> costs) const {
    return *std::min_element(costs.begin(), costs.end());
}

// Adds the costs of rows by label.
void Stumps::add_costs(std::span<const std::uint32_t> rows, Cost* to) const {
    const Table& table = rows_.table();
    if (n_labels_ == 2) {
        Cost first = 0, second = 0;
        for (const std::uint32_t row : rows) {
            first += table.costs(row)[0];
            second += table.costs(row)[1];
        }
        to[0] += first;
        to[1] += second;
        return;
    }
    for (const std::uint32_t row : rows)
        for (std::size_t label = 0; label < n_labels_; ++label) to[label] += table.costs(row)[label];
}

void Stumps::start() {
    totals_.assign(n_labels_, 0);
    add_costs(rows_.order(0), totals_.data());
    leaf_ = least(totals_);
    forget();
}

void Stumps::set_edges(std::size_t chain, std::span<const std::uint32_t> edges) {
    const std::span<const std::uint32_t> order = rows_.order(chain);
    lefts_.assign(edges.size() * n_labels_, 0);
    edge_rows_.assign(edges.begin(), edges.end());
    std::uint8_t* const codes = codes_.data();
    std::vector<Cost>& sums = sums_;
    sums.assign(n_labels_, 0);
    std::size_t k = 0;
    for (std::size_t code = 0; code < edges.size(); ++code) {
        const std::size_t first = k;
        for (; k < edges[code]; ++k) codes[order[k]] = static_cast<std::uint8_t>(code);
        add_costs(order.subspan(first, k - first), sums.data());
        std::copy(sums.begin(), sums.end(), lefts_.data() + code * n_labels_);
    }
    for (; k < order.size(); ++k) codes[order[k]] = static_cast<std::uint8_t>(edges.size());
    ++codes_version_;
}

Sides Stumps::leaves(std::size_t edge) const {
    const Cost* const left = lefts_.data() + edge * n_labels_;
    Sides sides{infeasible, infeasible};
    for (std::size_t label = 0; label < n_labels_; ++label) {
        sides.left = std::min(sides.left, left[label]);
        sides.right = std::min(sides.right, totals_[label] - left[label]);
    }
    return sides;
}

BestCut best_cut(const Table& table,
                 std::size_t chain,
                 std::span<const std::uint32_t> sorted_rows,
                 const LeastLeaf& least_leaf) {
    const std::vector<std::uint32_t>& rank = table.chains()[chain].rank;
    std::vector<Cost> right(table.n_labels(), 0), left(table.n_labels(), 0);
    for (const std::uint32_t row : sorted_rows)
        for (std::size_t label = 0; label < right.size(); ++label)
            right[label] += table.costs(row)[label];
    BestCut best{0, *std::min_element(right.begin(), right.end())};
    const auto n_rows = static_cast<std::int64_t>(sorted_rows.size());
    std::int64_t weight = 0, total = 0;  // of the leaves
    for (const std::uint32_t row : sorted_rows) total += table.leaf_weight(row);
    for (std::int64_t k = 0; k < n_rows; ++k) {
        const std::uint32_t row = sorted_rows[static_cast<std::size_t>(k)];
        if (k > 0 && rank[row] != rank[sorted_rows[static_cast<std::size_t>(k) - 1]] &&
            least_leaf.allows(k, weight) && least_leaf.allows(n_rows - k, total - weight)) {
            const Cost cost = *std::min_element(left.begin(), left.end()) +
                              *std::min_element(right.begin(), right.end());
            if (cost < best.cost) best = {rank[row], cost};
        }
        weight += table.leaf_weight(row);
        for (std::size_t label = 0; label < right.size(); ++label) {
            left[label] += table.costs(row)[label];
            right[label] -= table.costs(row)[label];
        }
    }
    return best;
}

}  // namespace murtree::thresholds
