// Best stumps for rows of several classes, each of which costs 1 with every label but one, by
// vector kernels. Classes without a row in the set are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/class_kernels.hpp"
#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

class ClassStumps : public Stumps {
  public:
    static constexpr std::size_t max_labels = 255;

    ClassStumps(RowSet& rows, const LeastLeaf& least_leaf);

    void set_edges(std::size_t chain, std::span<const std::uint32_t> edges) override;
    Sides leaves(std::size_t edge) override;
    Cost whole(std::size_t chain) override;
    Cost sized_whole(std::size_t chain) override;
    Sides stumps(std::size_t chain, std::size_t edge) override;
    Cost sized_stump(std::size_t chain, std::size_t edge, bool is_left) override;

  private:
    // The rows in the order of a chain, as in ClassRows.
    struct Sorted {
        bool is_known = false;
        AlignedVector<std::uint16_t> members;
        AlignedVector<std::uint16_t> before;
        AlignedVector<std::uint16_t> ends;
        std::vector<std::uint32_t> parts;
        AlignedVector<std::uint8_t> codes;
        std::uint64_t codes_version = 0;
    };

    void sum_totals() override;
    void mark(std::span<const std::uint32_t> rows, std::uint8_t code, Cost* to) override;
    const Sorted& sorted(std::size_t chain);
    const Sorted& coded(std::size_t chain);
    const std::uint16_t* ends_within(const Sorted& sorted, const Thresholds& range);
    Cost whole(std::size_t chain, const std::uint16_t* ends);
    void find_ends(std::size_t chain, AlignedVector<std::uint16_t>& ends);
    kernels::Agreement scan(const Sorted& sorted,
                            const std::uint16_t* ends,
                            const std::uint8_t* codes,
                            std::uint8_t first_right);
    void count_left(std::size_t edge);

    const kernels::ClassKernels& kernels_;
    std::vector<std::uint8_t> labels_;  // by row: the one that costs nothing; none for padding
    std::size_t n_words_ = 0;
    std::vector<std::uint8_t> present_;  // labels of the set
    std::vector<Sorted> sorted_;
    std::size_t edges_chain_ = 0;
    std::size_t counted_edge_ = 0;         // whose rows on the left are counted in states_
    Cost left_most_ = 0, right_most_ = 0;  // rows of the largest class on either side
    AlignedVector<std::uint8_t> zeros_;
    AlignedVector<std::uint16_t> sized_ends_;
    AlignedVector<std::uint8_t> row_labels_;  // in the order of a chain
    AlignedVector<std::uint32_t> row_ranks_;
    // Scratch of the kernels.
    std::vector<kernels::ClassState> states_;
    std::vector<std::uint8_t> chosen_;
    AlignedVector<std::uint16_t> lefts_of_words_, bounds_, counts_;
};

}  // namespace murtree::thresholds
