// Pair counts as fronts need them: class 0 and class 1 apart, and the number of original rows where
// leaves have a least one. The weight of a leaf is that of its two classes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "counts/pair_counts.hpp"
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
    static std::int64_t value(Lane count) {
        return static_cast<std::int64_t>(static_cast<Count>(count));
    }
    std::int64_t both(std::size_t kind, std::size_t i, std::size_t j) const {
        return value(pairs_with(kind, i)[j]);
    }
    // By kind; none of what is not counted.
    std::array<std::int64_t, 3> both(std::size_t i, std::size_t j) const {
        return {both(0, i, j), both(1, i, j), counts_rows() ? both(2, i, j) : 0};
    }
    std::int64_t single(std::size_t kind, std::size_t i) const { return value(singles[kind][i]); }
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

// The counts of a node and of its parts (see PairCounts), by kind.
template <class Lane>
class ClassCounts {
  public:
    // Counts these rows, which must outlive the use of this object. When the limits stop it on the
    // way, nothing but the totals may be used.
    void load(const Rows& rows, const LeastSizes& least, std::size_t pair_bytes, Limits& limits);

    const Rows& rows() const { return counts_.rows(); }
    CountsView<Lane> view() const;
    const Fingerprint& fingerprint() const { return counts_.fingerprint(); }

    // Rough time of counting the parts, in the units of Limits.
    std::int64_t work() const { return counts_.work(); }

    // Chooses the feature by which the rows are split into two parts.
    void split(std::size_t feature) { counts_.split(feature); }
    Fingerprint fingerprint(int side) const { return counts_.fingerprint(side); }
    std::vector<std::uint32_t> row_numbers(int side) const;

    // Counts both parts; then they can be looked at, one at a time.
    void count_parts(Limits& limits);
    CountsView<Lane> part(int side);

    // Counts the next pairs of a view that has not all of them: of view(), or of the last part().
    // When the limits stop it, the view may not be used.
    void go_on(CountsView<Lane>& view, Limits& limits);

  private:
    using Counts = AlignedVector<Lane>;
    using Kinds = std::array<const Lane*, 3>;

    Kinds apart(const Lane* counts, std::size_t size) const;
    CountsView<Lane> view_of(const Lane* pairs, const Counts& singles, const Counts& totals) const;

    PairCounts<Lane> counts_;
    LeastSizes least_;
    int counted_side_ = 0;                  // of the parts, and ...
    const Lane* part_pairs_ = nullptr;      // ... its pairs
    const Packed<Lane>* packed_ = nullptr;  // what the view in strips is of
    Counts part_singles_;
    Counts part_totals_;
};

}  // namespace murtree::pareto
