// The specialised algorithm for trees of depth two in summed problems (see Sums). It has the same
// interface as the one for counts, so that the search does not distinguish between them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "depth_two/depth_two.hpp"

namespace murtree {

using kernels::Summed;

template <>
class DepthTwo<Summed> {
  public:
    explicit DepthTwo(const kernels::Table& table = *kernels::active()) : table_(&table) {}

    void load(const Rows& rows, const DepthTwoRules& rules, Limits& limits);

    static std::int64_t load_work(const Rows& rows) {
        return counting_work(rows.stride(), rows.n_rows());
    }

    bool is_loaded() const { return is_loaded_; }
    bool holds(const Rows& rows) const {
        return is_loaded_ && rows_ == &rows && whole_fingerprint_ == rows.fingerprint();
    }
    std::size_t n_features() const { return rows_->n_features; }
    std::size_t stride() const { return stride_; }
    std::int64_t work() const { return counting_work(stride_, rows_->n_rows() / 4 + 32); }

    bool may_split(std::size_t feature) const { return sums_of(whole_).may_split(feature); }

    bool is_in_strips() const { return is_in_strips_; }
    DepthTwoCosts solve(Limits& limits);
    bool is_solved() const { return next_root_ >= n_features(); }
    std::span<const std::int64_t> root_costs() const { return {root_costs_.data(), n_features()}; }
    DepthTwoTree tree(std::size_t nodes);
    std::uint32_t best_child(std::size_t root, bool with);

    // The largest cost of rows in a tree built without them, used instead of their weight.
    PartWeights<std::int64_t> weights() const {
        return {n_features(), weight_, weight_with_.data()};
    }
    const std::int64_t* weights_with_both(std::size_t feature);

    std::int64_t leaf_cost(int side, std::size_t feature) const {
        return leaf_costs_[static_cast<std::size_t>(side)][feature];
    }
    std::int64_t split_cost(int side, std::size_t feature) const {
        return sums_->cost(base_of(side, feature),
                           side == 1 ? whole_.right[feature] : whole_.left[feature]);
    }

    std::uint32_t column(std::size_t feature) const { return rows_->features[feature]; }
    // The cost of the two leaves, used instead of the impurity.
    double gini(std::size_t feature) const {
        return static_cast<double>(leaf_cost(0, feature) + leaf_cost(1, feature));
    }

    void split(std::size_t feature) { feature_ = feature; }
    std::size_t feature() const { return feature_; }
    std::size_t n_rows(int side) const {
        const std::size_t with = rows_with_[feature_];
        return side == 1 ? with : rows_->n_rows() - with;
    }
    Part part(int side) const;
    void row_numbers(int side, std::vector<std::uint32_t>& numbers) const;

    void solve_parts(std::array<bool, 2> wanted,
                     bool all_budgets,
                     Limits& limits,
                     std::array<DepthTwoCosts, 2>& costs);

  private:
    // The rows that each feature adds to those of its predecessor, feature by feature.
    struct RowLists {
        std::vector<std::size_t> starts;  // including the end
        AlignedVector<std::uint32_t> rows;
    };

    // The layout of sums written by the kernel: the first feature of each matrix, and the matrix
    // size.
    struct Matrices {
        std::size_t first_row;
        std::size_t size;
    };

    // Sums of a set of rows, by feature and in total, and the results of phase two.
    struct SideArrays {
        double base = 0;
        AlignedVector<double> singles, totals, right_leaf, left_leaf, right, left;
    };

    SplitSums<double> sums_of(const SideArrays& arrays) const {
        return {arrays.singles.data(),
                arrays.totals.data(),
                n_features(),
                stride_,
                sums_->n_paired(),
                min_sizes_};
    }
    double single(std::size_t column, std::size_t feature) const {
        return whole_.singles[column * stride_ + feature];
    }
    double base_of(int side, std::size_t feature) const {
        return side == 1 ? base_with_[feature] : whole_.base - base_with_[feature];
    }
    void choose_columns(const LeastSizes& least);
    void map_rows();
    void find_nested();
    bool is_within(std::size_t i, std::size_t j) const;
    void map_part(int side, std::vector<std::uint64_t>& map) const;
    std::uint32_t* list_rows(const std::uint64_t* map,
                             const std::uint64_t* among,
                             std::uint32_t* next) const;
    void list_by_feature(const std::vector<std::uint64_t>& among, RowLists& lists) const;
    void gather(std::span<const std::uint32_t> columns, std::vector<double>& values) const;
    kernels::SummedRows task_of(const std::size_t* starts,
                                const std::uint32_t* rows,
                                const std::vector<double>& values,
                                Matrices matrices) const;
    void sum_pairs(const RowLists& lists,
                   const std::vector<double>& values,
                   Limits& limits,
                   AlignedVector<double>& sums) const;
    void sum_totals();
    void sum_singles();
    void weigh(Limits& limits);
    void sum_in_strips();
    void sum_rows(std::span<const std::uint32_t> row_numbers,
                  const std::vector<double>& values,
                  AlignedVector<double>& sums) const;
    std::span<const std::uint32_t> rows_with(std::size_t feature);
    PairRow<double> pairs_with(std::size_t feature);
    void solve_strips(const std::vector<std::uint64_t>& among,
                      SideArrays& arrays,
                      std::size_t& next_root,
                      Limits& limits);
    void solve_parts_in_strips(std::array<bool, 2> wanted,
                               Limits& limits,
                               std::array<DepthTwoCosts, 2>& costs);
    void complete_square();
    void prepare_side(int side, SideArrays& arrays);
    void solve_side(const double* sums, const double* parent, SideArrays& arrays) const;
    void solve_rows_of(const double* sums,
                       const double* parent,
                       std::size_t first,
                       std::size_t last,
                       std::size_t matrix_size,
                       SideArrays& arrays) const;
    DepthTwoCosts costs_of(const SideArrays& arrays) const;
    double leaf_value(int side, std::size_t feature) const;

    const kernels::Table* table_;
    const Rows* rows_ = nullptr;
    const Sums* sums_ = nullptr;
    std::vector<double> min_sizes_;  // of a leaf
    std::size_t stride_ = 0;
    bool is_loaded_ = false;
    bool is_in_strips_ = false;
    std::size_t strip_bytes_ = 0;         // from the rules
    std::size_t next_root_ = 0;           // solve() has processed the roots before this one
    std::vector<std::uint32_t> columns_;  // values summed for pairs, with the sizes last, if needed
    std::vector<double> values_;          // these columns, row-major
    std::vector<double> worst_;           // the same for the weights, if pairs are in strips
    AlignedVector<double> prices_;        // of tests, as values, by feature

    std::size_t n_words_ = 0;          // of a bitmap of rows
    std::vector<std::uint64_t> maps_;  // features x n_words_
    std::vector<std::size_t> rows_with_;
    std::vector<std::uint32_t> before_;  // see find_nested()
    std::vector<std::uint64_t> fresh_;
    std::size_t n_fresh_ = 0;         // total number of such rows
    std::vector<std::uint64_t> all_;  // the bitmap of all rows
    RowLists lists_;
    std::vector<Fingerprint> fingerprints_;  // of D(f), by feature
    Fingerprint whole_fingerprint_;

    AlignedVector<double> pairs_;  // columns x stride x stride
    AlignedVector<std::int64_t> pair_weights_;
    std::vector<std::int64_t> weight_with_;
    std::int64_t weight_ = 0;
    std::vector<double> base_with_;
    std::array<std::vector<std::int64_t>, 2> leaf_costs_;
    SideArrays whole_;
    std::vector<std::int64_t> root_costs_;

    std::size_t feature_ = 0;  // the feature that splits the rows
    std::vector<std::uint64_t> smaller_map_;
    RowLists smaller_lists_;
    AlignedVector<double> part_pairs_;  // of the smaller part
    AlignedVector<double> scratch_;
    AlignedVector<double> row_;               // sums of one feature, columns x stride, and ...
    std::vector<std::int64_t> weight_row_;    // ... its weights
    std::vector<std::uint32_t> rows_of_one_;  // the rows with that feature
    std::array<SideArrays, 2> sides_;
};

}  // namespace murtree
