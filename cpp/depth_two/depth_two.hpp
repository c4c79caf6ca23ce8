// The specialised algorithm for trees of depth two (paper: "Specialised Algorithm for Trees of
// Depth Two").
//
// DepthTwo holds the pair counts of one set of rows D. They give the optimal trees of depth two of
// D, and, for the price of counting the smaller of the two parts only, those of D(f) and D(not f)
// for any feature f: the larger part is D's counts less the smaller part's.
//
// Where leaves have least sizes, each of these is counted like one more class, and a split counts
// only if its leaves are large enough.
//
// Tables of very many features have too many pairs to keep. They are counted and used in strips, a
// few rows of the matrix at a time; both parts of a split are then counted by themselves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "counts/count_layout.hpp"
#include "counts/part_weights.hpp"
#include "counts/sparse_counts.hpp"
#include "data/rows.hpp"
#include "depth_two/small_tree.hpp"
#include "objectives/classification.hpp"
#include "objectives/sums.hpp"
#include "requests/limits.hpp"
#include "requests/task.hpp"
#include "requests/techniques.hpp"

namespace murtree {

// What is asked of a tree. Least sizes need size rows (see Rows).
struct DepthTwoRules {
    Classification objective;
    Counting counting = Counting::automatic;
    LeastSizes least_sizes;
    const Sums* sums = nullptr;                // of a summed problem, instead of the objective
    std::size_t pair_bytes = ~std::size_t{0};  // that matrices of pairs may take; else strips
};

// A set of rows given as part of another: what identifies it and what is known without a search.
struct Part {
    Fingerprint fingerprint;
    std::int64_t leaf_cost = 0;
};

template <class Lane>
class DepthTwo {
  public:
    explicit DepthTwo(const kernels::Table& table = *kernels::active())
        : table_(&table), kernels_(&kernels::lane_kernels<Lane>(table)) {}

    // Counts all pairs of features in these rows, which must outlive the use of this object. When
    // the limits stop it on the way, nothing of it may be used. The same rows need no loading
    // again; the rules must always be the same.
    void load(const Rows& rows, const DepthTwoRules& rules, Limits& limits);

    // Rough time of load(), in the units of Limits.
    static std::int64_t load_work(const Rows& rows) {
        return work_of(rows.stride(), rows.n_rows() / kernels::rows_per_word<Lane> + 8);
    }

    bool is_loaded() const { return is_loaded_; }
    bool holds(const Rows& rows) const {
        return is_loaded_ && rows_ == &rows && whole_fingerprint_ == rows.fingerprint();
    }
    std::size_t n_features() const { return rows_->n_features; }
    std::size_t stride() const { return stride_; }

    // Rough time of solving the parts of one split, in the units of Limits.
    std::int64_t work() const { return work_of(stride_, first_rows_.size() / 2 + 8); }

    // Whether both parts of a split by this feature are large enough to be leaves.
    bool may_split(std::size_t feature) const {
        return large_enough([&](std::size_t s) { return single_size(s, feature); },
                            [&](std::size_t s) { return total_size(s); });
    }

    // Whether pairs are counted in strips.
    bool is_in_strips() const { return is_in_strips_; }

    // Optimal costs for the rows themselves, and for each root feature the cost of its best tree
    // with at most three nodes; a root that may not split costs all attainable weight. Where the
    // limits stop it, is_solved() is false, and these are the costs of the best trees so far; the
    // next call goes on from there.
    DepthTwoCosts solve(Limits& limits);
    bool is_solved() const { return next_root_ >= n_features(); }
    std::span<const Lane> root_costs() const { return {root_costs_.data(), n_features()}; }

    // The best tree with at most this many nodes; call solve() first. Ties go to fewer nodes, then
    // the lowest feature.
    DepthTwoTree tree(std::size_t nodes);
    std::uint32_t best_child(std::size_t root, bool with);

    // Attainable weight of the rows with a feature, with two features, and of all rows.
    Lane weight_with(std::size_t feature) const { return weight_with_[feature]; }
    PartWeights<Lane> weights() const { return {n_features(), weight_, weight_with_.data()}; }
    const Lane* weights_with_both(std::size_t feature);
    Lane weight() const { return weight_; }

    // Leaf costs of D(not f) (side 0) and D(f) (side 1).
    std::int64_t leaf_cost(int side, std::size_t feature) const {
        return leaf_costs_[static_cast<std::size_t>(side)][feature];
    }

    // The cost of the best tree with at most one node for D(not f) (side 0) or D(f) (side 1); call
    // solve() first. Never above the leaf cost.
    std::int64_t split_cost(int side, std::size_t feature) const {
        return side == 1 ? objective_.cost(weight_with_[feature], whole_.right[feature])
                         : objective_.cost(weight_ - weight_with_[feature], whole_.left[feature]);
    }

    // Column of the dataset that a feature is.
    std::uint32_t column(std::size_t feature) const { return rows_->features[feature]; }

    // The Gini impurity of the two parts of a split, weighted; the lower, the purer.
    double gini(std::size_t feature) const;

    // Chooses the feature by which the rows are split; the calls below speak of its two parts.
    void split(std::size_t feature) { feature_ = feature; }
    std::size_t feature() const { return feature_; }
    std::size_t n_rows(int side) const {
        const auto with = static_cast<std::size_t>(rows_with_[feature_]);
        return side == 1 ? with : rows_->n_rows() - with;
    }
    Part part(int side) const;
    void row_numbers(int side, std::vector<std::uint32_t>& numbers) const;

    // Optimal depth-two costs of one part (wanted: without the feature, with it), or of both at
    // once. When the limits stop it on the way, nothing of them may be used, nor of solve() and
    // tree(), until the next load(). With `all_budgets` false only the last cost, for three nodes,
    // need be filled in: that is all a full budget asks for.
    void solve_parts(std::array<bool, 2> wanted,
                     bool all_budgets,
                     Limits& limits,
                     std::array<DepthTwoCosts, 2>& costs);

  private:
    using Word = kernels::Word<Lane>;
    using Splat = kernels::Splat<Lane>;

    struct Packed {
        AlignedVector<Word> words;
        AlignedVector<Splat> other_splats;      // none where a splat is a word
        std::vector<kernels::Segment> counted;  // the segments that are counted, and where

        void resize(std::size_t size) {
            words.resize(size);
            if constexpr (!std::is_same_v<Word, Splat>) other_splats.resize(size);
        }
        const Splat* splats() const {
            if constexpr (std::is_same_v<Word, Splat>)
                return words.data();
            else
                return other_splats.data();
        }
        Splat* splats() { return const_cast<Splat*>(std::as_const(*this).splats()); }
    };
    struct SideArrays {
        std::size_t n_features = 0;
        std::size_t stride = 0;
        AlignedVector<Lane> singles, totals, right, left;
    };

    // The counts of one feature with every other.
    struct PairRow {
        const Lane* row;
        std::size_t matrix_size;

        Lane count(std::size_t k, std::size_t feature) const {
            return row[k * matrix_size + feature];
        }
    };

    // What counting some rows would take: one by one, or by words.
    struct CountingTimes {
        std::size_t n_rows;
        std::size_t half_updates;  // for each pair of features of a row, in halves of an update
        std::size_t n_words;       // and what else takes as long as so many words
    };

    kernels::PackedRows<Lane> view(const Packed& packed,
                                   const std::vector<kernels::Segment>& segments) const;
    bool is_sized() const { return n_sizes_ > 0; }
    // Whether a split leaves enough of every size that is asked for, given by its number.
    template <class With, class All>
    bool large_enough(With with, All all) const {
        for (std::size_t s = 0; s < n_sizes_; ++s)
            if (with(s) < min_sizes_[s] || all(s) - with(s) < min_sizes_[s]) return false;
        return true;
    }
    Lane single_size(std::size_t s, std::size_t feature) const {
        return whole_.singles[(objective_.n_counts() + s) * stride_ + feature];
    }
    Lane total_size(std::size_t s) const { return whole_.totals[objective_.n_counts() + s]; }
    // Counts of a pair of features: those of the objective and, last, the sizes that matter.
    std::size_t n_counts() const { return objective_.n_counts() + n_sizes_; }
    bool is_counted(const RowSegment& segment) const { return layout_.counts(segment); }
    void choose_sizes(const LeastSizes& least);
    kernels::Segment counted(const RowSegment& segment, std::uint32_t n_words) const;
    void pack_rows();
    static std::int64_t work_of(std::size_t stride, std::size_t n_words) {
        return static_cast<std::int64_t>((stride * stride * n_words >> 14) + 1);
    }
    void count(Limits& limits);
    void count_totals();
    void count_singles();
    void count_node_pairs(Limits& limits);
    void count_node(const std::vector<kernels::Segment>& segments,
                    std::size_t n_counts,
                    Limits& limits,
                    Lane* counts);
    std::size_t sample_updates() const;
    bool is_sparse(const CountingTimes& times) const;
    void load_sparse();
    void add_sparse(std::span<const std::uint32_t> row_numbers,
                    int times,
                    Limits& limits,
                    Lane* counts) const;
    void count_pairs(const Packed& packed,
                     const std::vector<kernels::Segment>& segments,
                     std::size_t n_counts,
                     Limits& limits,
                     Lane* counts) const;
    void count_block(const Packed& packed,
                     const std::vector<kernels::Segment>& segments,
                     std::size_t n_counts,
                     const kernels::PairBlock& block,
                     std::size_t chunk,
                     Limits& limits,
                     Lane* counts) const;
    std::size_t rows_at_once(std::size_t n_words) const;
    std::size_t matrix_bytes() const;
    PairRow pairs_with(std::size_t feature);
    void count_row(std::size_t feature,
                   const std::vector<kernels::Segment>& segments,
                   std::size_t n_counts,
                   AlignedVector<Lane>& rows) const;
    void start_roots(SideArrays& arrays) const;
    void solve_strips(const Packed& packed,
                      SideArrays& arrays,
                      std::size_t& next_root,
                      Limits& limits);
    void solve_parts_in_strips(std::array<bool, 2> wanted, Limits& limits);
    void solve_from_counts(const Lane* counts, SideArrays& arrays) const;
    bool splits_sparsely(std::array<bool, 2> wanted) const;
    void solve_dense_parts(std::array<bool, 2> wanted, Limits& limits);
    void solve_counted_parts(std::array<bool, 2> wanted, Limits& limits);
    void solve_sparse_parts(std::array<bool, 2> wanted, Limits& limits);
    void solve_sparse_smaller();
    void solve_incremental_parts(std::array<bool, 2> wanted);
    void choose_features(const SideArrays& side);
    void list_smaller();
    void pack_smaller();
    void prepare_side(int side, SideArrays& arrays);
    kernels::Side<Lane> side_of(SideArrays& arrays, bool wanted) const;
    void run(const kernels::PhaseTwo<Lane>& task) const;
    DepthTwoCosts costs_of(const SideArrays& arrays,
                           std::int64_t attainable,
                           bool all_budgets) const;
    DepthTwoCosts sized_costs_of(const SideArrays& arrays, std::int64_t attainable) const;
    bool child_may_split(std::size_t root,
                         bool with,
                         std::size_t child,
                         const PairRow& pairs) const;
    std::array<Lane, 2> leaf_values(const SideArrays& arrays, std::size_t root) const;

    const kernels::Table* table_;
    const kernels::LaneKernels<Lane>* kernels_;
    const Rows* rows_ = nullptr;
    Classification objective_{2};
    Counting counting_ = Counting::automatic;
    std::size_t n_sizes_ = 0;                     // that leaves have a least of
    std::array<Lane, n_size_kinds> min_sizes_{};  // these
    CountLayout layout_{objective_};
    std::size_t stride_ = 0;
    bool is_loaded_ = false;
    bool is_in_strips_ = false;
    std::size_t strip_bytes_ = 0;  // of the rules
    std::size_t next_root_ = 0;    // solve() has seen those before

    Packed packed_;
    std::vector<std::uint32_t> first_rows_;  // of each word
    std::vector<Word> valid_;                // of each word: which bits are rows
    std::vector<Fingerprint> fingerprints_;  // of D(f), by feature
    Fingerprint whole_fingerprint_;
    std::vector<kernels::Segment> weight_segments_;  // attainable weight, unsigned
    std::vector<kernels::Segment> row_segments_;     // one a row

    AlignedVector<Lane> pairs_;         // n_counts x stride x stride
    AlignedVector<Lane> pair_weights_;  // stride x stride
    AlignedVector<Lane> strip_;         // n_counts x a few rows x stride
    AlignedVector<Lane> row_;           // the same for one feature, and ...
    AlignedVector<Lane> weight_row_;    // ... its weights
    AlignedVector<Lane> weight_with_;
    AlignedVector<Lane> rows_with_;
    Lane weight_ = 0;
    std::array<std::vector<std::int64_t>, 2> leaf_costs_;
    SideArrays whole_;
    AlignedVector<Lane> root_costs_;

    std::size_t feature_ = 0;  // the rows are split by this one
    int smaller_ = 0;          // side with fewer rows
    std::vector<std::uint32_t> smaller_rows_;
    Packed smaller_packed_;
    AlignedVector<Lane> part_pairs_;  // n_counts x stride x stride, of a part counted by itself
    std::array<SideArrays, 2> sides_;

    std::vector<std::uint32_t> all_rows_;  // their numbers
    std::size_t updates_per_row_ = 0;      // of single counts, about
    bool has_sparse_ = false;              // whether the rows are also in this form:
    SparseRows<Lane> sparse_;
    IncrementalCounts<Lane> incremental_;
    FeatureChoice choice_;  // the features that can split the smaller part
    SideArrays chosen_;     // the smaller part seen by them
};

extern template class DepthTwo<std::int16_t>;
extern template class DepthTwo<std::int32_t>;
extern template class DepthTwo<std::int64_t>;

}  // namespace murtree
