#include "thresholds/table.hpp"

#include <algorithm>
#include <numeric>

namespace murtree::thresholds {
namespace {

// Counting sort. Some ranks may have no rows: those of rows that were left out.
std::vector<std::uint32_t> sorted_by(std::span<const std::uint32_t> rank, std::uint32_t n_ranks) {
    std::vector<std::uint32_t> next(n_ranks + 1, 0);
    for (const std::uint32_t one : rank) ++next[one + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(rank.size());
    for (std::uint32_t row = 0; row < rank.size(); ++row) order[next[rank[row]]++] = row;
    return order;
}

Chain chain_of(std::vector<std::uint32_t> rank) {
    Chain chain;
    chain.n_ranks = rank.empty() ? 0 : *std::max_element(rank.begin(), rank.end()) + 1;
    chain.order = sorted_by(rank, chain.n_ranks);
    // Not the number of ranks: some may have no rows.
    chain.has_ties =
        std::adjacent_find(
            chain.order.begin(), chain.order.end(), [&](std::uint32_t row, std::uint32_t next) {
                return rank[row] == rank[next];
            }) != chain.order.end();
    chain.rank = std::move(rank);
    return chain;
}

}  // namespace

Table::Table(const TableData& data)
    : n_rows_(data.costs.size() / data.n_labels),
      n_labels_(data.n_labels),
      costs_(data.costs.begin(), data.costs.end()),
      leaf_weights_(data.leaf_weights.begin(), data.leaf_weights.end()) {
    for (const auto& rank : data.ranks) chains_.push_back(chain_of({rank.begin(), rank.end()}));
    for (std::size_t chain = 0; chain < data.widths.size(); ++chain)
        chains_[chain].widths.assign(data.widths[chain].begin(), data.widths[chain].end());
    subtract_unavoidable();
}

// Subtracts the least cost of each row, and divides by the greatest common divisor of the rest.
void Table::subtract_unavoidable() {
    Cost divisor = 0;
    for (std::size_t row = 0; row < n_rows_; ++row) {
        Cost* const first = costs_.data() + row * n_labels_;
        const Cost least = *std::min_element(first, first + n_labels_);
        unavoidable_ += least;
        for (std::size_t label = 0; label < n_labels_; ++label)
            divisor = std::gcd(divisor, first[label] -= least);
    }
    unit_ = std::max(divisor, Cost{1});
    for (Cost& cost : costs_) cost /= unit_;
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const Cost* const first = costs(row);
        free_labels_.push_back(
            static_cast<std::uint32_t>(std::find(first, first + n_labels_, 0) - first));
        reach_.push_back(*std::max_element(first, first + n_labels_));
        is_uniform_ &= reach_.back() == 1;
        is_small_ &= reach_.back() <= 1;
        const auto n_free = std::count(first, first + n_labels_, 0);
        const auto n_ones = std::count(first, first + n_labels_, 1);
        counts_errors_ &= n_free == 1 && static_cast<std::size_t>(n_ones) + 1 == n_labels_;
    }
}

Table Table::part(std::span<const std::uint32_t> rows) const {
    Table table;
    table.n_rows_ = rows.size();
    table.n_labels_ = n_labels_;
    for (const Chain& chain : chains_) {
        std::vector<std::uint32_t> rank;
        for (const std::uint32_t row : rows) rank.push_back(chain.rank[row]);
        table.chains_.push_back(chain_of(std::move(rank)));
    }
    for (const std::uint32_t row : rows)
        table.costs_.insert(table.costs_.end(), costs(row), costs(row) + n_labels_);
    table.subtract_unavoidable();
    return table;
}

}  // namespace murtree::thresholds
