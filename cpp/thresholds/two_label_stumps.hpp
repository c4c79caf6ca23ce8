// Best stumps for two labels, by vector kernels.
//
// With two labels only the difference of their costs matters. Let D be its sum over a set of rows,
// and x the sum over those left of a threshold. The two leaves cost the sum of the costs of label 1
// plus min(x, 0) + min(D - x, 0), a concave function of x: it is least where x is highest or
// lowest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/stump_kernels.hpp"
#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

template <class Value>
class TwoLabelStumps : public Stumps {
  public:
    TwoLabelStumps(RowSet& rows, const LeastLeaf& least_leaf);

    Cost whole(std::size_t chain) override;
    Cost sized_whole(std::size_t chain) override;
    Sides stumps(std::size_t chain, std::size_t edge) override;
    Cost sized_stump(std::size_t chain, std::size_t edge, bool is_left) override;

  private:
    // The rows in the order of a chain, in steps x lanes.
    struct Sorted {
        bool is_known = false;
        AlignedVector<std::uint32_t> rows;
        AlignedVector<Value> values;
        AlignedVector<std::int8_t> ends;  // empty: the chain has no ties
        AlignedVector<std::uint8_t> codes;
        std::uint64_t codes_version = 0;
    };

    void sum_totals() override;
    void mark(std::span<const std::uint32_t> rows, std::uint8_t code, Cost* to) override;
    const Sorted& sorted(std::size_t chain);
    const Sorted& coded(std::size_t chain);
    const std::int8_t* ends_within(const Sorted& sorted, const Thresholds& range);
    kernels::SortedRows<Value> input(const Sorted& sorted, const std::uint8_t* codes) const;
    kernels::SideExtremes scan(const kernels::SortedRows<Value>& rows,
                               std::uint8_t first_right) const;

    const kernels::StumpKernels& kernels_;
    std::vector<std::uint64_t>
        packed_;                 // by row, of small costs: that of label 0 + that of 1 << 32
    std::vector<Value> values_;  // by row: the cost of label 0 less that of label 1; 0 for padding
    std::vector<Sorted> sorted_;
    AlignedVector<std::uint8_t> zeros_;
    AlignedVector<std::int8_t> sized_ends_;
    std::size_t steps_ = 0;
};

extern template class TwoLabelStumps<std::int8_t>;
extern template class TwoLabelStumps<std::int64_t>;

}  // namespace murtree::thresholds
