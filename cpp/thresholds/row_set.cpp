#include "thresholds/row_set.hpp"

namespace murtree::thresholds {

RowSet::RowSet(const Table& table, RowSet* parent)
    : table_(table),
      parent_(parent),
      n_rows_(parent == nullptr ? table.n_rows() : 0),
      is_member_(table.n_rows()),
      sorted_(table.chains().size()) {}

void RowSet::select(std::size_t chain, std::size_t first, std::size_t last) {
    const std::span<const std::uint32_t> order = parent_->order(chain);
    std::uint8_t* const is_member = is_member_.data();  // a store of bytes may change any member
    for (const std::uint32_t row : order.first(first)) is_member[row] = 0;
    for (const std::uint32_t row : order.subspan(first, last - first)) is_member[row] = 1;
    for (const std::uint32_t row : order.subspan(last)) is_member[row] = 0;
    n_rows_ = last - first;
    ++version_;
}

std::span<const std::uint32_t> RowSet::order(std::size_t chain) {
    if (parent_ == nullptr) return table_.chains()[chain].order;
    return {sorted(chain).rows.data(), n_rows_};
}

const RowSet::Sorted& RowSet::sorted(std::size_t chain) {
    Sorted& own = sorted_[chain];
    if (own.version == version_) return own;
    const Chain& ranks = table_.chains()[chain];
    if (parent_ != nullptr) {
        filter(chain, own);
    } else if (ranks.has_ties) {
        own.ranks.resize(n_rows_);
        for (std::size_t k = 0; k < n_rows_; ++k) own.ranks[k] = ranks.rank[ranks.order[k]];
    }
    own.version = version_;
    return own;
}

// Without branches; one more is written than used.
void RowSet::filter(std::size_t chain, Sorted& to) {
    const std::span<const std::uint32_t> from = parent_->order(chain);
    if (to.rows.size() <= n_rows_) to.rows.resize(n_rows_ + 1);
    const std::uint8_t* const is_member = is_member_.data();
    std::uint32_t* const rows = to.rows.data();
    std::size_t n = 0;
    if (!table_.chains()[chain].has_ties) {
        for (const std::uint32_t row : from) {
            rows[n] = row;
            n += is_member[row];
        }
        return;
    }
    if (to.ranks.size() <= n_rows_) to.ranks.resize(n_rows_ + 1);
    const std::uint32_t* const all_ranks = parent_->sorted(chain).ranks.data();
    std::uint32_t* const ranks = to.ranks.data();
    for (std::size_t k = 0; k < from.size(); ++k) {
        rows[n] = from[k];
        ranks[n] = all_ranks[k];
        n += is_member[from[k]];
    }
}

std::span<const std::int8_t> RowSet::ends(std::size_t chain) {
    if (!table_.chains()[chain].has_ties) return {};
    const std::span<const std::uint32_t> ranks = this->ranks(chain);
    Sorted& own = sorted_[chain];
    if (own.ends_version != version_) {
        own.ends.resize(n_rows_);
        std::int8_t* const ends = own.ends.data();
        const std::size_t n_rows = n_rows_;  // a store of bytes may change any member
        for (std::size_t k = 0; k + 1 < n_rows; ++k) ends[k] = ranks[k] != ranks[k + 1] ? -1 : 0;
        if (n_rows > 0) ends[n_rows - 1] = -1;
        own.ends_version = version_;
    }
    return own.ends;
}

Test RowSet::test(std::size_t chain, std::size_t n) {
    return {static_cast<std::uint32_t>(chain), table_.chains()[chain].rank[order(chain)[n]]};
}

}  // namespace murtree::thresholds
