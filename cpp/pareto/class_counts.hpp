// Pair counts for fronts: class 0 and class 1 separately, and the number of original rows if leaves
// have a minimum. The weight of a leaf is the sum over its two classes.
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

// The counts of one set of rows, by kind: class 0, class 1, original rows (optional). Totals may
// exceed the signed range of a lane, so lanes are read as unsigned.
template <class Lane>
struct CountsView {
    using Count = std::make_unsigned_t<Lane>;

    std::span<const std::uint32_t> columns;  // of the dataset, by feature
    std::size_t stride;
    std::array<const Lane*, 3> pairs;  // (last - first) x stride each; null: not counted
    std::size_t first;                 // pairs with the features from here ...
    std::size_t last;                  // ... to before here
    std::array<const Lane*, 3> singles;
    std::array<std::int64_t, 3> totals;
    LeastSizes least;  // minimum sizes of a leaf

    bool is_sized() const { return least.any(); }
    bool counts_rows() const { return least.of[n_original_rows] > 0; }
    // Whether two leaves are large enough, given the counts of one and of both together.
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
    // Counts by kind; 0 for kinds that are not counted.
    std::array<std::int64_t, 3> both(std::size_t i, std::size_t j) const {
        return {both(0, i, j), both(1, i, j), counts_rows() ? both(2, i, j) : 0};
    }
    std::int64_t single(std::size_t kind, std::size_t i) const { return value(singles[kind][i]); }
    std::array<std::int64_t, 3> single(std::size_t i) const {
        return {single(0, i), single(1, i), counts_rows() ? single(2, i) : 0};
    }
    // The counts of a part: the rows without a feature (side 0), or with it.
    std::array<std::int64_t, 3> part(int side, std::size_t i) const {
        return side == 1 ? single(i) : less(totals, single(i));
    }
    // Of its rows with another feature.
    std::array<std::int64_t, 3> part_with(int side, std::size_t i, std::size_t j) const {
        return side == 1 ? both(i, j) : less(single(j), both(i, j));
    }
    static std::array<std::int64_t, 3> less(std::array<std::int64_t, 3> all,
                                            const std::array<std::int64_t, 3>& some) {
        for (std::size_t kind = 0; kind < all.size(); ++kind) all[kind] -= some[kind];
        return all;
    }
    bool may_split(std::size_t i) const {
        if (is_sized()) return allow(single(i), totals);
        const std::int64_t with = single(0, i) + single(1, i);
        return with > 0 && with < totals[0] + totals[1];
    }
};

// The counts of a node and of its parts (see PairCounts), by kind.
template <class Lane>
class ClassCounts {
  public:
    // Counts these rows, which must outlive the use of this object. If the limits stop it, only the
    // totals may be used.
    void load(const Rows& rows, const LeastSizes& least, std::size_t pair_bytes, Limits& limits);

    const Rows& rows() const { return counts_.rows(); }
    CountsView<Lane> view() const;
    const Fingerprint& fingerprint() const { return counts_.fingerprint(); }

    // Approximate time to count the parts, in units of Limits.
    std::int64_t work() const { return counts_.work(); }

    // Sets the feature that splits the rows into two parts.
    void split(std::size_t feature) { counts_.split(feature); }
    Fingerprint fingerprint(int side) const { return counts_.fingerprint(side); }
    std::vector<std::uint32_t> row_numbers(int side) const;

    // Counts both parts, which can then be viewed one at a time.
    void count_parts(Limits& limits);
    CountsView<Lane> part(int side);

    // Counts the next pairs of an incomplete view: of view(), or of the last part(). If the limits
    // stop it, the view must not be used.
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
    const Packed<Lane>* packed_ = nullptr;  // source of the view in strips
    Counts part_singles_;
    Counts part_totals_;
};

}  // namespace murtree::pareto
