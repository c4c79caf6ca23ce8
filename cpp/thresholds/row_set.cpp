#include "thresholds/row_set.hpp"

namespace murtree::thresholds {

RowSet::RowSet(const Table& table, RowSet* parent)
    : table_(table),
      parent_(parent),
      n_rows_(parent == nullptr ? table.n_rows() : 0),
      is_member_(table.n_rows()),
      orders_(table.chains().size()),
      versions_(table.chains().size()),
      ends_(table.chains().size()),
      ends_versions_(table.chains().size()) {}

void RowSet::select(std::size_t chain, std::size_t first, std::size_t last) {
    const std::span<const std::uint32_t> order = parent_->order(chain);
    for (std::size_t k = 0; k < order.size(); ++k) is_member_[order[k]] = k >= first && k < last;
    n_rows_ = last - first;
    ++version_;
}

std::span<const std::uint32_t> RowSet::order(std::size_t chain) {
    if (parent_ == nullptr) return table_.chains()[chain].order;
    std::vector<std::uint32_t>& order = orders_[chain];
    if (versions_[chain] != version_) {
        const std::span<const std::uint32_t> from = parent_->order(chain);
        if (order.size() <= n_rows_) order.resize(n_rows_ + 1);  // one more is written than used
        std::uint32_t* const to = order.data();
        std::size_t n = 0;
        for (const std::uint32_t row : from) {
            to[n] = row;
            n += is_member_[row];
        }
        versions_[chain] = version_;
    }
    return {order.data(), n_rows_};
}

std::span<const std::int8_t> RowSet::ends(std::size_t chain) {
    const Chain& ranks = table_.chains()[chain];
    if (!ranks.has_ties) return {};
    std::vector<std::int8_t>& ends = ends_[chain];
    if (ends_versions_[chain] != version_) {
        const std::span<const std::uint32_t> order = this->order(chain);
        const std::uint32_t* const rank = ranks.rank.data();
        ends.resize(n_rows_);
        for (std::size_t k = 0; k + 1 < n_rows_; ++k)
            ends[k] = rank[order[k]] != rank[order[k + 1]] ? -1 : 0;
        if (n_rows_ > 0) ends[n_rows_ - 1] = -1;
        ends_versions_[chain] = version_;
    }
    return ends;
}

Test RowSet::test(std::size_t chain, std::size_t n) {
    return {static_cast<std::uint32_t>(chain), table_.chains()[chain].rank[order(chain)[n]]};
}

}  // namespace murtree::thresholds
