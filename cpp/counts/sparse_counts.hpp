// Pair counts computed row by row, as in the paper: one update for each pair of features of a row.
// Fast if rows have few features. Also the paper's "Incremental Computation": the counts of a set
// of rows from those of a similar set.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/rows.hpp"

namespace murtree {

// A selection of features, renumbered.
struct FeatureChoice {
    static constexpr std::uint32_t none = ~0u;
    std::vector<std::uint32_t> features;  // in ascending order
    std::vector<std::uint32_t> numbers;   // by feature: its index in `features`, or none

    std::size_t stride() const {
        return (features.size() + kernels::feature_block - 1) / kernels::feature_block *
               kernels::feature_block;
    }
};

template <class Lane>
class SparseRows {
  public:
    void load(const Rows& rows);

    // Sets the segments in which the rows are counted; rows of the last segments may be left out.
    void weigh(const Rows& rows, std::span<const kernels::Segment> segments);

    // counts[column][i][j] += times x weight of the row, for all pairs of its features.
    void add(std::span<const std::uint32_t> row_numbers, int times, Lane* counts) const;

    // The same for the chosen features only; the counts have the stride of the choice.
    void add(std::span<const std::uint32_t> row_numbers,
             const FeatureChoice& choice,
             Lane* counts) const;

  private:
    struct RowWeight {
        std::size_t column;
        Lane weight;
    };

    std::span<const std::uint32_t> features(std::uint32_t row) const {
        return {features_.data() + starts_[row], features_.data() + starts_[row + 1]};
    }

    std::size_t stride_ = 0;
    std::vector<std::size_t> starts_;  // of each row in features_
    std::vector<std::uint32_t> features_;
    std::vector<RowWeight> weights_;  // by row; 0: not counted
};

// The last two sets of rows counted, with their counts.
template <class Lane>
class IncrementalCounts {
  public:
    void clear() {
        for (Counter& counter : counters_) counter.row_numbers.clear();
    }

    // The counts of these rows (`size` numbers): those of the more similar of the two sets, updated
    // by the difference if that involves fewer rows, otherwise computed from scratch. They replace
    // the counts of that set.
    const Lane* count(const SparseRows<Lane>& rows,
                      const std::vector<std::uint32_t>& row_numbers,
                      std::size_t size);

  private:
    struct Counter {
        std::vector<std::uint32_t> row_numbers;
        AlignedVector<Lane> counts;
    };

    std::array<Counter, 2> counters_;
    std::vector<std::uint32_t> difference_;
};

}  // namespace murtree
