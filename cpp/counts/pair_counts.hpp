// The weight of the rows of a set with each pair of features: by class, or signed, and by size (see
// CountLayout). The depth-two algorithm and the fronts start from these counts.
//
// The counts of a node give those of its two parts by any feature: the smaller part is counted, and
// subtracting it from the node gives the larger one.
//
// Tables with very many features have too many pairs to store. They are counted in strips, a few
// rows of the matrix at a time, and each part of a split is then counted separately.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "counts/count_layout.hpp"
#include "counts/packed.hpp"
#include "counts/part_weights.hpp"
#include "counts/sparse_counts.hpp"
#include "data/rows.hpp"
#include "requests/limits.hpp"
#include "requests/techniques.hpp"

namespace murtree {

struct CountRules {
    CountLayout layout;
    Counting counting = Counting::automatic;
    std::size_t pair_bytes = ~std::size_t{0};  // of pair matrices; strips above
    bool weighs = true;  // whether the attainable weight of pairs is counted too
};

// The counts, or sums, of one feature with every other.
template <class Lane>
struct PairRow {
    const Lane* row;
    std::size_t matrix_size;

    Lane count(std::size_t k, std::size_t feature) const { return row[k * matrix_size + feature]; }
};

// Counts need not fit the signed range of a lane if no class is subtracted from another:
// differences are then unsigned.
template <class Lane>
Lane less(Lane a, Lane b) {
    using Count = std::make_unsigned_t<Lane>;
    return static_cast<Lane>(static_cast<Count>(a) - static_cast<Count>(b));
}

template <class Lane>
class PairCounts {
  public:
    using Counts = AlignedVector<Lane>;

    explicit PairCounts(const kernels::Table& table = *kernels::active())
        : table_(&table), kernels_(&kernels::lane_kernels<Lane>(table)) {}

    // Counts these rows, which must outlive the use of this object. If the limits stop it, none of
    // the counts may be used.
    void load(const Rows& rows, const CountRules& rules, Limits& limits);

    // Approximate time of load(), and of counting the parts of a split, in units of Limits.
    static std::int64_t load_work(const Rows& rows) {
        return counting_work(rows.stride(), rows.n_rows() / kernels::rows_per_word<Lane> + 8);
    }
    std::int64_t work() const { return counting_work(stride_, first_rows_.size() / 2 + 8); }

    bool is_loaded() const { return is_loaded_; }
    bool holds(const Rows& rows) const {
        return is_loaded_ && rows_ == &rows && whole_fingerprint_ == rows.fingerprint();
    }
    const Rows& rows() const { return *rows_; }
    std::size_t n_features() const { return rows_->n_features; }
    std::size_t stride() const { return stride_; }
    const CountLayout& layout() const { return layout_; }
    std::size_t n_counts() const { return layout_.n_counts(); }
    bool is_in_strips() const { return is_in_strips_; }
    bool is_incremental() const { return counting_ == Counting::incremental; }

    // Counts of the node: of pairs (n_counts x stride x stride, unless in strips), of single
    // features (n_counts x stride), of all rows (n_counts).
    const Lane* pairs() const { return pairs_.data(); }
    PairRow<Lane> pairs_with(std::size_t feature);
    const Counts& singles() const { return singles_; }
    const Counts& totals() const { return totals_; }

    // Attainable weight of all rows, of the rows with a feature, and of those with two.
    Lane weight() const { return weight_; }
    Lane weight_with(std::size_t feature) const { return weight_with_[feature]; }
    const Lane* weights_with_both(std::size_t feature);
    PartWeights<Lane> weights() const { return {n_features(), weight_, weight_with_.data()}; }

    // Sets the feature that splits the rows; the methods below refer to its two parts, the rows
    // without it (side 0) and with it (side 1).
    void split(std::size_t feature) { feature_ = feature; }
    std::size_t feature() const { return feature_; }
    std::size_t n_rows(int side) const {
        const std::size_t with = rows_with_[feature_];
        return side == 1 ? with : rows_->n_rows() - with;
    }
    const Fingerprint& fingerprint() const { return whole_fingerprint_; }
    Fingerprint fingerprint(int side) const {
        const Fingerprint& with = fingerprints_[feature_];
        return side == 1 ? with : whole_fingerprint_ ^ with;
    }
    void row_numbers(int side, std::vector<std::uint32_t>& numbers) const;

    // Reads the counts of single features and of all rows in a part from the pair counts of the
    // node.
    void find_singles(int side, Counts& singles, Counts& totals);

    // The counts of a part, from its own rows or those of its sibling, valid until the next of
    // these calls. Except in strips, call choose_smaller() first.
    void choose_smaller();  // which of the two parts has fewer rows
    int smaller() const { return smaller_; }
    bool is_smaller_large() const { return Packed<Lane>::is_large(part_rows_.size(), stride_); }
    const Packed<Lane>& pack_smaller() { return pack_listed(); }
    const Lane* count_smaller(Limits& limits);  // from the packed rows
    const Lane* count_sibling();                // the sibling of the part returned last

    // The same counts, row by row.
    bool counts_sparsely(std::array<bool, 2> wanted) const;  // whether that is faster
    const Lane* count_smaller(const FeatureChoice& choice);  // with the choice's stride
    const Lane* count_incrementally(int side);
    // Calls the action with the counts of the larger part, which temporarily replace those of the
    // node: only the updates are written, and they are undone afterwards.
    template <class Action>
    void with_larger(Limits& limits, Action action) {
        load_sparse();
        add_sparse(part_rows_, -1, limits, pairs_.data());
        if (limits.stopped()) return forget();
        action(static_cast<const Lane*>(pairs_.data()));
        add_sparse(part_rows_, 1, limits, pairs_.data());
        if (limits.stopped()) forget();
    }

    // Strips of the matrix, for the node or a part.
    const Packed<Lane>& packed() const { return packed_; }
    const Packed<Lane>& pack_part(int side) {
        row_numbers(side, part_rows_);
        return pack_listed();
    }
    // The maximum number of matrix rows in a strip.
    std::size_t strip_rows(const Packed<Lane>& packed) const;
    // Counts the pairs of the features first, ..., last - 1 with those from `from` on: one row for
    // each, (last - first) x stride for each count.
    const Lane* count_strip(const Packed<Lane>& packed,
                            std::size_t first,
                            std::size_t last,
                            std::size_t from,
                            Limits& limits);

  private:
    using Word = kernels::Word<Lane>;
    using Segments = typename Packed<Lane>::Segments;

    // Estimated times of counting some rows: one by one, or by words.
    struct CountingTimes {
        std::size_t n_rows;
        std::size_t half_updates;  // per pair of features of a row, in half updates
        std::size_t n_words;       // and all other work, in words that take as long
    };

    void forget() { is_loaded_ = false; }  // the counts may be incomplete
    std::size_t n_apart() const { return n_counts() + (layout_.is_signed() ? 1 : 0); }
    std::size_t matrix_bytes() const;
    void pack_rows();
    void count_rows();
    void count_totals();
    void count_singles();
    void count_node_pairs(Limits& limits);
    void count_node(const Segments& counted, std::size_t n_counts, Limits& limits, Lane* counts);
    void count_row(std::size_t feature,
                   const Segments& counted,
                   std::size_t n_counts,
                   Counts& rows) const;
    const Packed<Lane>& pack_listed() {
        part_packed_.pack(*rows_, part_rows_, layout_, false);
        return part_packed_;
    }

    std::size_t sample_updates() const;
    bool is_sparse(const CountingTimes& times) const;
    void load_sparse();
    void add_sparse(std::span<const std::uint32_t> row_numbers,
                    int times,
                    Limits& limits,
                    Lane* counts) const;

    const kernels::Table* table_;
    const kernels::LaneKernels<Lane>* kernels_;
    const Rows* rows_ = nullptr;
    CountLayout layout_{Classification(2)};
    Counting counting_ = Counting::automatic;
    std::size_t pair_bytes_ = 0;
    bool weighs_ = true;
    std::size_t stride_ = 0;
    bool is_loaded_ = false;
    bool is_in_strips_ = false;

    Packed<Lane> packed_{*kernels_};
    std::vector<std::uint32_t> first_rows_;  // of each word
    std::vector<Word> valid_;                // of each word: mask of the bits that are rows
    Segments weight_segments_;               // attainable weight, unsigned
    Segments row_segments_;                  // weight one per row
    std::vector<Fingerprint> fingerprints_;  // of D(f), by feature
    Fingerprint whole_fingerprint_;

    Counts pairs_;         // n_counts x stride x stride
    Counts pair_weights_;  // stride x stride
    Counts row_;           // a few matrix rows that include one feature's, and ...
    Counts weight_row_;    // ... its weights
    Counts singles_;
    Counts totals_;
    Counts weight_with_;
    std::vector<std::uint32_t> rows_with_;
    Lane weight_ = 0;

    std::size_t feature_ = 0;  // the feature that splits the rows
    int smaller_ = 0;          // side with fewer rows
    std::vector<std::uint32_t> part_rows_;
    Packed<Lane> part_packed_{*kernels_};
    Counts part_pairs_;  // or a strip

    std::vector<std::uint32_t> all_rows_;  // their indices
    std::size_t updates_per_row_ = 0;      // of single counts, estimated
    bool has_sparse_ = false;              // whether the rows are also stored in this form:
    SparseRows<Lane> sparse_;
    IncrementalCounts<Lane> incremental_;
};

}  // namespace murtree
