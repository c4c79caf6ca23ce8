#include "depth_two/summed.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace murtree {

void DepthTwo<Summed>::load(const Rows& rows, const DepthTwoRules& rules, Limits& limits) {
    if (holds(rows)) return;
    is_loaded_ = false;
    whole_fingerprint_ = rows.fingerprint();
    next_root_ = 0;
    rows_ = &rows;
    sums_ = rules.sums;
    stride_ = rows.stride();
    choose_columns(rules.least_sizes);
    map_rows();
    gather(columns_, values_);
    // The matrices of the node and of a part, and two of weights.
    const std::size_t of_pair = 2 * sizeof(double) * (columns_.size() + 1);
    is_in_strips_ = stride_ * stride_ * of_pair > rules.pair_bytes;
    strip_bytes_ = rules.pair_bytes;
    if (is_in_strips_) {
        sum_in_strips();
    } else {
        find_nested();
        list_by_feature(all_, lists_);
        sum_pairs(lists_, values_, limits, pairs_);
        if (limits.stopped()) return;
        complete_square();
        sum_singles();
        weigh(limits);
        if (limits.stopped()) return;
    }
    sum_totals();
    fingerprints_.resize(stride_);
    table_->fingerprints(
        rows.bits.data(), rows.row_words, rows.n_rows(), rows.keys.data(), fingerprints_.data());
    is_loaded_ = true;
}

void DepthTwo<Summed>::choose_columns(const LeastSizes& least) {
    columns_.resize(sums_->n_paired());
    std::iota(columns_.begin(), columns_.end(), 0u);
    min_sizes_.clear();
    for (std::size_t kind = 0; kind < n_size_kinds; ++kind) {
        if (least.of[kind] == 0) continue;
        columns_.push_back(static_cast<std::uint32_t>(sums_->size(kind)));
        min_sizes_.push_back(static_cast<double>(least.of[kind]));
    }
    prices_.assign(stride_, 0);
    for (std::size_t j = 0; j < rows_->n_features; ++j)
        prices_[j] = sums_->price_as_value(rows_->features[j]);
}

// Builds a bitmap of the rows of each feature.
void DepthTwo<Summed>::map_rows() {
    const Rows& rows = *rows_;
    n_words_ = (rows.n_rows() + 63) / 64;
    maps_.assign(n_features() * n_words_, 0);
    rows_with_.assign(n_features(), 0);
    all_.assign(n_words_, ~std::uint64_t{0});
    if (rows.n_rows() % 64 != 0) all_.back() = (std::uint64_t{1} << rows.n_rows() % 64) - 1;
    for (std::size_t row = 0; row < rows.n_rows(); ++row)
        rows.for_each_feature(row, [&](std::size_t feature) {
            maps_[feature * n_words_ + row / 64] |= std::uint64_t{1} << row % 64;
            ++rows_with_[feature];
        });
}

// Thresholds of one column are nested: the rows with x <= 1 are a subset of those with x <= 2. The
// sums for the first are reused for the second, and only the additional rows, `fresh_`, are added.
// For each feature, finds the largest earlier one whose rows are a subset of its own.
void DepthTwo<Summed>::find_nested() {
    before_.assign(n_features(), kernels::SummedRows::none);
    fresh_ = maps_;
    n_fresh_ = 0;
    for (std::uint32_t j = 0; j < n_features(); ++j) {
        std::uint64_t* const fresh = fresh_.data() + j * n_words_;
        for (std::uint32_t i = 0; i < j; ++i) {
            const bool is_larger =
                before_[j] == kernels::SummedRows::none || rows_with_[i] > rows_with_[before_[j]];
            if (is_larger && rows_with_[i] > 0 && is_within(i, j)) before_[j] = i;
        }
        n_fresh_ += rows_with_[j];
        if (before_[j] == kernels::SummedRows::none) continue;
        n_fresh_ -= rows_with_[before_[j]];
        const std::uint64_t* const map = maps_.data() + before_[j] * n_words_;
        for (std::size_t k = 0; k < n_words_; ++k) fresh[k] &= ~map[k];
    }
}

// Whether every row with feature i has feature j as well.
bool DepthTwo<Summed>::is_within(std::size_t i, std::size_t j) const {
    const std::uint64_t* const rows = maps_.data() + i * n_words_;
    const std::uint64_t* const among = maps_.data() + j * n_words_;
    for (std::size_t k = 0; k < n_words_; ++k)
        if ((rows[k] & ~among[k]) != 0) return false;
    return true;
}

// Writes the numbers of the rows that are in both bitmaps, and returns the end of the list.
std::uint32_t* DepthTwo<Summed>::list_rows(const std::uint64_t* map,
                                           const std::uint64_t* among,
                                           std::uint32_t* next) const {
    for (std::size_t k = 0; k < n_words_; ++k)
        for (std::uint64_t rest = map[k] & among[k]; rest != 0; rest &= rest - 1)
            *next++ = static_cast<std::uint32_t>(64 * k +
                                                 static_cast<std::size_t>(std::countr_zero(rest)));
    return next;
}

// Lists for each feature those of these rows that have it, except the rows of its predecessor.
void DepthTwo<Summed>::list_by_feature(const std::vector<std::uint64_t>& among,
                                       RowLists& lists) const {
    lists.rows.resize(n_fresh_);
    lists.starts.resize(n_features() + 1);
    std::uint32_t* next = lists.rows.data();
    for (std::size_t j = 0; j < n_features(); ++j) {
        lists.starts[j] = static_cast<std::size_t>(next - lists.rows.data());
        next = list_rows(fresh_.data() + j * n_words_, among.data(), next);
    }
    lists.starts.back() = static_cast<std::size_t>(next - lists.rows.data());
}

// Copies the values to be summed into contiguous memory.
void DepthTwo<Summed>::gather(std::span<const std::uint32_t> columns,
                              std::vector<double>& values) const {
    values.clear();
    for (std::size_t row = 0; row < rows_->n_rows(); ++row)
        for (const std::uint32_t column : columns)
            values.push_back(rows_->values[row * rows_->n_values + column]);
}

// The input of the kernel: columns of values, and lists of rows.
kernels::SummedRows DepthTwo<Summed>::task_of(const std::size_t* starts,
                                              const std::uint32_t* rows,
                                              const std::vector<double>& values,
                                              Matrices matrices) const {
    return {rows_->bits.data(),
            rows_->row_words,
            n_features(),
            before_.data(),
            starts,
            rows,
            values.data(),
            values.size() / std::max<std::size_t>(rows_->n_rows(), 1),
            stride_,
            matrices.first_row,
            matrices.size};
}

void DepthTwo<Summed>::sum_pairs(const RowLists& lists,
                                 const std::vector<double>& values,
                                 Limits& limits,
                                 AlignedVector<double>& sums) const {
    const kernels::SummedRows task =
        task_of(lists.starts.data(), lists.rows.data(), values, {0, stride_ * stride_});
    const std::size_t n_columns = task.n_columns;
    sums.resize(n_columns * stride_ * stride_);
    const std::size_t chunk = n_columns > 8 ? 1 : 8;  // features between checks of the limits
    for (std::size_t first = 0; first < n_features(); first += chunk) {
        const std::size_t last = std::min(first + chunk, n_features());
        const std::size_t n_rows = lists.starts[last] - lists.starts[first];
        if (!limits.keep_going(static_cast<std::int64_t>((n_rows * stride_ * n_columns >> 12) + 1)))
            return;
        table_->sums.sum_pairs(task, first, last, sums.data());
    }
}

// The kernel fills one half and the blocks on the diagonal; features of the whole set are accessed
// in any order.
void DepthTwo<Summed>::complete_square() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        double* const square = pairs_.data() + c * stride_ * stride_;
        for (std::size_t i = 0; i < n_features(); ++i)
            for (std::size_t j = 0; j < i; ++j) square[i * stride_ + j] = square[j * stride_ + i];
    }
}

// Sums over all rows, and the costs of the two leaves of each feature.
void DepthTwo<Summed>::sum_totals() {
    const std::size_t n_values = rows_->n_values;
    std::vector<double> totals(n_values, 0);
    for (std::size_t row = 0; row < rows_->n_rows(); ++row)
        for (std::size_t v = 0; v < n_values; ++v) totals[v] += rows_->values[row * n_values + v];
    whole_.base = totals[sums_->base()];
    weight_ = static_cast<std::int64_t>(totals[sums_->worst()]);
    whole_.totals.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) whole_.totals[c] = totals[columns_[c]];
    for (std::size_t side = 0; side < 2; ++side) {
        leaf_costs_[side].resize(n_features());
        for (std::size_t j = 0; j < n_features(); ++j)
            leaf_costs_[side][j] = sums_->cost(base_of(static_cast<int>(side), j),
                                               leaf_value(static_cast<int>(side), j));
    }
}

// Sums of each feature, from the diagonal.
void DepthTwo<Summed>::sum_singles() {
    whole_.singles.assign(columns_.size() * stride_, 0);
    for (std::size_t c = 0; c < columns_.size(); ++c)
        for (std::size_t j = 0; j < n_features(); ++j)
            whole_.singles[c * stride_ + j] = pairs_[(c * stride_ + j) * stride_ + j];
    base_with_.assign(stride_, 0);
    for (std::size_t j = 0; j < n_features(); ++j) {
        if (before_[j] != kernels::SummedRows::none) base_with_[j] = base_with_[before_[j]];
        for (std::size_t k = lists_.starts[j]; k < lists_.starts[j + 1]; ++k)
            base_with_[j] += rows_->values[lists_.rows[k] * rows_->n_values + sums_->base()];
    }
}

// The largest cost of the rows with one and with two features in a tree built without them.
void DepthTwo<Summed>::weigh(Limits& limits) {
    const std::array<std::uint32_t, 1> worst{static_cast<std::uint32_t>(sums_->worst())};
    std::vector<double> values;
    gather(worst, values);
    sum_pairs(lists_, values, limits, scratch_);
    if (limits.stopped()) return;
    pair_weights_.resize(stride_ * stride_);
    weight_with_.assign(stride_, 0);
    for (std::size_t i = 0; i < n_features(); ++i)
        for (std::size_t j = 0; j < n_features(); ++j) {
            const std::size_t low = std::min(i, j);
            pair_weights_[i * stride_ + j] =
                static_cast<std::int64_t>(scratch_[low * stride_ + (low == i ? j : i)]);
        }
    for (std::size_t i = 0; i < n_features(); ++i) weight_with_[i] = pair_weights_[i * stride_ + i];
}

// The value of the rows with a feature (side 1) or without it, as a leaf.
double DepthTwo<Summed>::leaf_value(int side, std::size_t feature) const {
    std::vector<double> leaf(columns_.size());
    for (std::size_t c = 0; c < leaf.size(); ++c)
        leaf[c] = side == 1 ? single(c, feature) : whole_.totals[c] - single(c, feature);
    return sums_->leaf_value(leaf.data());
}

void DepthTwo<Summed>::solve_side(const double* sums,
                                  const double* parent,
                                  SideArrays& arrays) const {
    solve_rows_of(sums, parent, 0, n_features(), stride_ * stride_, arrays);
}

// Phase two for these rows of the matrix.
void DepthTwo<Summed>::solve_rows_of(const double* sums,
                                     const double* parent,
                                     std::size_t first,
                                     std::size_t last,
                                     std::size_t matrix_size,
                                     SideArrays& arrays) const {
    for (AlignedVector<double>* values :
         {&arrays.right_leaf, &arrays.left_leaf, &arrays.right, &arrays.left})
        values->resize(stride_);
    table_->sums.phase_two({sums_->kind(),
                            sums_->unit(),
                            sums_->per_error(),
                            sums_->n_paired(),
                            min_sizes_.size(),
                            min_sizes_.data(),
                            sums,
                            parent,
                            first,
                            last,
                            matrix_size,
                            arrays.singles.data(),
                            arrays.totals.data(),
                            prices_.data(),
                            n_features(),
                            stride_,
                            arrays.right_leaf.data(),
                            arrays.left_leaf.data(),
                            arrays.right.data(),
                            arrays.left.data()});
}

DepthTwoCosts DepthTwo<Summed>::costs_of(const SideArrays& arrays) const {
    const auto values = [&](std::size_t root) -> RootValues<double> {
        return {arrays.right_leaf[root],
                arrays.left_leaf[root],
                arrays.right[root],
                arrays.left[root],
                prices_[root]};
    };
    const std::array<double, 4> best =
        sums_of(arrays).best_values(sums_->leaf_value(arrays.totals.data()), values);
    DepthTwoCosts costs{};
    for (std::size_t nodes = 0; nodes < costs.size(); ++nodes)
        costs[nodes] = sums_->cost(arrays.base, best[nodes]);
    return costs;
}

DepthTwoCosts DepthTwo<Summed>::solve(Limits& limits) {
    if (is_in_strips_) {
        solve_strips(all_, whole_, next_root_, limits);
    } else if (!is_solved()) {
        solve_side(pairs_.data(), nullptr, whole_);
        next_root_ = n_features();
    }
    root_costs_.resize(stride_);
    for (std::size_t j = 0; j < n_features(); ++j)
        root_costs_[j] =
            may_split(j) ? sums_->cost(whole_.base, whole_.right[j] + whole_.left[j] - prices_[j])
                         : static_cast<std::int64_t>(Sums::too_much);
    return costs_of(whole_);
}

DepthTwoTree DepthTwo<Summed>::tree(std::size_t nodes) {
    return tree_of_cost(*this, costs_of(whole_), nodes, [&](std::size_t root, SplitSides split) {
        const double right = split.with ? whole_.right[root] : whole_.right_leaf[root];
        const double left = split.without ? whole_.left[root] : whole_.left_leaf[root];
        return sums_->cost(whole_.base, right + left - prices_[root]);
    });
}

// The column that best splits the rows with (or without) the root feature; none if a leaf is
// better.
std::uint32_t DepthTwo<Summed>::best_child(std::size_t root, bool with) {
    const std::size_t child = sums_of(whole_).best_child(
        pairs_with(root), root, with, *sums_, [&](std::size_t j) { return prices_[j]; });
    return child < n_features() ? column(child) : DepthTwoTree::none;
}

}  // namespace murtree
