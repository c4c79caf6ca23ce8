// The data of one problem: the original table, kept to recount every answer, and the reduced table
// that the search works on. Built once, then const.
//
// Both reductions are exact.
//
// Columns (`deduplicate`): constant columns are dropped, and columns equal to an earlier one or to
// its complement; a split on the complement is the mirrored split. Each column is stored in its
// sparser polarity.
//
// Rows (`merge_rows`): rows with equal features become one row per class with the sum of their
// weights. From each such group the smallest class weight is subtracted from every class: whatever
// the prediction, that much of each other class is wrong. At best the heaviest remaining class is
// right; its weight is called attainable. The other weight, summed over all groups, is
// `unavoidable`: the equivalent-points bound, computed once. The search uses costs attainable -
// right, whose trivial lower bound is 0 in every subset.
//
// A weight is a sum of powers of two and a row appears once for each of them, so that a weighted
// count is still a sum of shifted popcounts. A power with few rows is split into the next lower
// one, because a nearly empty word costs as much as a full one.
//
// Rows of a summed problem (see Sums) are merged by adding their values, less the cost that no tree
// avoids. Of equal columns, the cheapest to test is kept; columns with fewer rows come first.
//
// Cancelling is valid for costs that depend only on the misclassified weight. If the misclassified
// class matters (false positives, false negatives), `cancel` is off and every class keeps its
// weight.
//
// Merging and cancelling lose the number of rows and their original weights. With `keep_sizes`
// these are kept in size rows (see Rows): one of each kind for each group of equal rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/keys.hpp"
#include "data/rows.hpp"
#include "objectives/sums.hpp"

namespace murtree {

// Either a byte for each value, or columns of bits.
struct Table01 {
    const std::uint8_t* values;  // n_rows x n_features, row-major, each 0 or 1; or null
    std::size_t n_rows;
    std::size_t n_features;
    const std::uint64_t* columns = nullptr;  // each of whole words; bits after the last row are 0
};

struct Reductions {
    bool deduplicate = true;
    bool merge_rows = true;
    std::array<bool, n_size_kinds> keep_sizes{};  // needed if leaves have a minimum size
    bool cancel = true;  // the weight that equal rows of all classes share; see above
};

class RowGroups;

class Dataset {
  public:
    Dataset(const Table01& table,
            std::span<const std::int32_t> labels,
            std::span<const std::int64_t> weights,
            std::size_t n_classes,
            const Reductions& reductions,
            const Keys& keys);
    // A summed problem; `inputs` holds those of all rows, row by row.
    Dataset(const Table01& table,
            Sums sums,
            std::span<const double> inputs,
            const Reductions& reductions,
            const Keys& keys);
    // The same data with other reductions, and with row weights for the sizes of leaves, if these
    // are kept.
    Dataset(const Dataset& original,
            const Reductions& reductions,
            std::span<const std::int64_t> leaf_weights);

    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_features() const { return n_features_; }
    std::size_t n_rows() const { return n_rows_; }
    const Sums* sums() const { return sums_ ? &*sums_ : nullptr; }  // null: not a summed problem
    std::int64_t unavoidable() const { return unavoidable_; }
    const Rows& reduced() const { return reduced_; }
    const Keys& keys() const { return keys_; }
    const Reductions& reductions() const { return reductions_; }

    // Whether a reduced column is stored as the complement of the original one.
    bool is_flipped(std::uint32_t column) const { return flipped_[column]; }

    // The original data; `column` is a column of the original table.
    bool value(std::size_t row, std::uint32_t column) const {
        return (bits_[row * row_words_ + column / 64] >> (column % 64) & 1u) != 0;
    }
    std::int32_t label(std::size_t row) const { return labels_[row]; }
    std::int64_t weight(std::size_t row) const { return weights_[row]; }
    const double* inputs(std::size_t row) const { return inputs_.data() + row * sums_->n_inputs(); }

  private:
    using Columns = std::vector<std::vector<std::uint64_t>>;

    Dataset(const Table01& table, std::size_t n_classes, const Keys& keys);  // not yet reduced
    void pack(const Table01& table);
    void pack_columns(const Table01& table);
    void reduce(const Reductions& reductions);
    std::int64_t size_of(std::size_t kind, std::size_t row) const;
    Columns transpose(std::span<const std::uint32_t> kept_rows) const;
    void choose_columns(Columns& columns, std::size_t n_rows);
    std::vector<std::uint32_t> cheapest_first() const;
    void build_rows(const Columns& columns, std::span<const std::uint32_t> kept_rows);
    void sort_columns(Columns& columns, const RowGroups& groups);
    void build_summed_rows(Columns& columns);

    Keys keys_;
    Reductions reductions_;
    std::size_t n_classes_;
    std::size_t n_rows_;
    std::size_t n_features_;
    std::size_t row_words_;            // 64-bit words per row of the original table
    std::vector<std::uint64_t> bits_;  // original table, row-major
    std::vector<std::int32_t> labels_;
    std::vector<std::int64_t> weights_;
    std::optional<Sums> sums_;
    std::vector<double> inputs_;
    std::vector<std::int64_t> leaf_weights_;  // may be empty
    std::vector<bool> flipped_;               // by original column
    std::int64_t unavoidable_ = 0;
    Rows reduced_;
};

}  // namespace murtree
