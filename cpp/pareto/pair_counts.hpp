// Weights of all pairs of features in a set of rows, class 0 and class 1 apart, and the number of
// original rows where leaves have a least one. The weight of a leaf is that of its two classes.
//
// The counts of a node give those of its two parts by any feature: the smaller part is counted, the
// larger one is the node less the smaller.
//
// Where there are too many pairs to keep, a view has them for a few features at a time (a strip of
// the matrix), and the two parts are counted each by itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "data/rows.hpp"
#include "requests/limits.hpp"

namespace murtree::pareto {

// The counts of one set of rows, by kind: class 0, class 1, original rows (perhaps absent). Totals
// need not fit a lane's sign, so lanes are read as unsigned.
template <class Lane>
struct CountsView {
    using Count = std::make_unsigned_t<Lane>;

    std::span<const std::uint32_t> columns;  // of the dataset, by feature
    std::size_t stride;
    std::array<const Lane*, 3> pairs;  // (last - first) x stride each; null: not counted
    std::size_t first;                 // they are pairs with a feature from here ...
    std::size_t last;                  // ... to before here
    std::array<const Lane*, 3> singles;
    std::array<std::int64_t, 3> totals;
    LeastSizes least;  // that a leaf must have

    bool is_sized() const { return least.any(); }
    bool counts_rows() const { return least.of[n_original_rows] > 0; }
    // Whether leaves with and without these counts, together those, are large enough.
    bool allow(const std::array<std::int64_t, 3>& with,
               const std::array<std::int64_t, 3>& all) const {
        return least.allow(leaf_weight, with[0] + with[1], all[0] + all[1]) &&
               least.allow(n_original_rows, with[2], all[2]);
    }
    const Lane* pairs_with(std::size_t kind, std::size_t i) const {
        return pairs[kind] + (i - first) * stride;
    }
    std::int64_t both(std::size_t kind, std::size_t i, std::size_t j) const {
        return static_cast<std::int64_t>(static_cast<Count>(pairs_with(kind, i)[j]));
    }
    // By kind; none of what is not counted.
    std::array<std::int64_t, 3> both(std::size_t i, std::size_t j) const {
        return {both(0, i, j), both(1, i, j), counts_rows() ? both(2, i, j) : 0};
    }
    std::int64_t single(std::size_t kind, std::size_t i) const {
        return static_cast<std::int64_t>(static_cast<Count>(singles[kind][i]));
    }
    std::array<std::int64_t, 3> single(std::size_t i) const {
        return {single(0, i), single(1, i), counts_rows() ? single(2, i) : 0};
    }
    bool may_split(std::size_t i) const {
        if (!is_sized()) {
            const std::int64_t with = single(0, i) + single(1, i);
            return with > 0 && with < totals[0] + totals[1];
        }
        return allow(single(i), totals);
    }
};

template <class Lane>
class PairCounts {
  public:
    // Counts these rows, which must outlive the use of this object; pairs in strips where all of
    // them would take more than so many bytes. When the limits stop it on the way, nothing of it
    // may be used.
    void load(const Rows& rows, const LeastSizes& least, std::size_t pair_bytes, Limits& limits);

    CountsView<Lane> view() const { return view_of(pairs_, singles_, totals_); }
    const Rows& rows() const { return *rows_; }

    // What identifies the rows without the feature (side 0) or with it (side 1).
    const Fingerprint& fingerprint() const { return whole_; }
    Fingerprint fingerprint(std::size_t feature, int side) const {
        return side == 1 ? fingerprints_[feature] : whole_ ^ fingerprints_[feature];
    }
    std::vector<std::uint32_t> row_numbers(std::size_t feature, int side) const;

    // Counts both parts by a feature; then they can be looked at, one at a time.
    void count_parts(std::size_t feature, Limits& limits);
    CountsView<Lane> part(int side);

    // Counts the next pairs of a view that has not all of them: of view(), or of the last part().
    void go_on(CountsView<Lane>& view);

    // Rough time of counting the parts, in the units of Limits.
    std::int64_t work() const;

  private:
    using Counts = AlignedVector<Lane>;

    CountsView<Lane> view_of(const Counts& pairs,
                             const Counts& singles,
                             const std::array<std::int64_t, 3>& totals) const;
    void find_singles(const Counts& pairs, Counts& singles) const;
    void pack_all(std::span<const std::uint32_t> row_numbers);
    void start_strips(std::span<const std::uint32_t> row_numbers, Counts& singles);
    void count(std::span<const std::uint32_t> row_numbers, Limits& limits, Counts& pairs);
    void pack(const RowSegment& segment,
              std::span<const std::uint32_t> row_numbers,
              std::size_t first_word);
    bool flush(std::size_t n_words, Limits& limits, Counts& pairs);

    const kernels::LaneKernels<Lane>* lane_ = &kernels::lane_kernels<Lane>(*kernels::active());
    const Rows* rows_ = nullptr;
    LeastSizes least_;
    std::size_t n_kinds_ = 2;
    std::size_t stride_ = 0;
    bool is_in_strips_ = false;
    Counts pairs_;    // or a strip of them
    Counts singles_;  // n_kinds x stride
    std::array<std::int64_t, 3> totals_{};
    Fingerprint whole_;
    std::vector<Fingerprint> fingerprints_;

    std::size_t feature_ = 0;  // that the parts are by
    int counted_side_ = 0;
    bool is_sibling_ = false;  // whether part_ holds the other side by now
    Counts part_;
    Counts part_singles_;

    std::vector<kernels::Segment> packed_;
    AlignedVector<kernels::Word<Lane>> words_;
    AlignedVector<kernels::Splat<Lane>> splats_;
};

}  // namespace murtree::pareto
