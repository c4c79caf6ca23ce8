// Strips of the matrix of sums, for tables with too many pairs of features to store (see DepthTwo).
#include <algorithm>

#include "depth_two/summed.hpp"

namespace murtree {
namespace {

constexpr std::size_t max_strip_rows = 8;

}  // namespace

// Sums these rows for every feature, one row of `sums` per column of values. For the kernel they
// are the rows of feature 0.
void DepthTwo<Summed>::sum_rows(std::span<const std::uint32_t> row_numbers,
                                const std::vector<double>& values,
                                AlignedVector<double>& sums) const {
    const std::array<std::size_t, 2> starts{0, row_numbers.size()};
    const kernels::SummedRows task =
        task_of(starts.data(), row_numbers.data(), values, {0, stride_});
    sums.assign(task.n_columns * stride_, 0);
    table_->sums.sum_pairs(task, 0, 1, sums.data());
}

// The sums that load() needs besides the pairs.
void DepthTwo<Summed>::sum_in_strips() {
    before_.assign(n_features(), kernels::SummedRows::none);
    std::vector<std::uint32_t> every_row(rows_->n_rows());
    list_rows(all_.data(), all_.data(), every_row.data());
    sum_rows(every_row, values_, whole_.singles);
    std::vector<double> base;
    gather(std::array{static_cast<std::uint32_t>(sums_->base())}, base);
    sum_rows(every_row, base, scratch_);
    base_with_.assign(scratch_.begin(), scratch_.end());
    gather(std::array{static_cast<std::uint32_t>(sums_->worst())}, worst_);
    sum_rows(every_row, worst_, scratch_);
    weight_with_.assign(scratch_.begin(), scratch_.end());
}

std::span<const std::uint32_t> DepthTwo<Summed>::rows_with(std::size_t feature) {
    rows_of_one_.resize(rows_with_[feature]);
    list_rows(maps_.data() + feature * n_words_, all_.data(), rows_of_one_.data());
    return rows_of_one_;
}

PairRow<double> DepthTwo<Summed>::pairs_with(std::size_t feature) {
    if (!is_in_strips_) return {pairs_.data() + feature * stride_, stride_ * stride_};
    sum_rows(rows_with(feature), values_, row_);
    return {row_.data(), stride_};
}

const std::int64_t* DepthTwo<Summed>::weights_with_both(std::size_t feature) {
    if (!is_in_strips_) return pair_weights_.data() + feature * stride_;
    sum_rows(rows_with(feature), worst_, scratch_);
    weight_row_.assign(scratch_.begin(), scratch_.end());
    return weight_row_.data();
}

// Runs both phases for the rows of this bitmap, strip by strip, starting from a given root. If the
// limits stop it, the values of all roots are those of the children considered so far.
void DepthTwo<Summed>::solve_strips(const std::vector<std::uint64_t>& among,
                                    SideArrays& arrays,
                                    std::size_t& next_root,
                                    Limits& limits) {
    if (next_root == 0) solve_rows_of(nullptr, nullptr, 0, 0, 0, arrays);  // leaves below all roots
    const std::size_t of_row = columns_.size() * stride_;
    const std::size_t n_rows =
        std::clamp<std::size_t>(strip_bytes_ / (of_row * sizeof(double) + 1), 1, max_strip_rows);
    AlignedVector<double>& strip = part_pairs_;
    strip.resize(n_rows * of_row);
    RowLists& lists = smaller_lists_;
    lists.starts.resize(n_rows + 1);
    lists.rows.resize(n_rows * rows_->n_rows());
    while (next_root < n_features() && limits.keep_going()) {
        const std::size_t last = std::min(next_root + n_rows, n_features());
        std::uint32_t* end = lists.rows.data();
        for (std::size_t i = next_root; i < last; ++i) {
            lists.starts[i - next_root] = static_cast<std::size_t>(end - lists.rows.data());
            end = list_rows(maps_.data() + i * n_words_, among.data(), end);
        }
        lists.starts[last - next_root] = static_cast<std::size_t>(end - lists.rows.data());
        const std::size_t matrix_size = n_rows * stride_;
        const kernels::SummedRows task =
            task_of(lists.starts.data(), lists.rows.data(), values_, {next_root, matrix_size});
        for (std::size_t i = next_root; i < last; ++i) {
            if (!limits.keep_going()) return;
            table_->sums.sum_pairs(task, i, i + 1, strip.data());
        }
        solve_rows_of(strip.data(), nullptr, next_root, last, matrix_size, arrays);
        next_root = last;
    }
}

// Solves each part separately, without subtraction for the larger one.
void DepthTwo<Summed>::solve_parts_in_strips(std::array<bool, 2> wanted,
                                             Limits& limits,
                                             std::array<DepthTwoCosts, 2>& costs) {
    for (const int side : {0, 1}) {
        const auto index = static_cast<std::size_t>(side);
        if (!wanted[index] || limits.stopped()) continue;
        prepare_side(side, sides_[index]);
        map_part(side, smaller_map_);
        std::size_t next_root = 0;
        solve_strips(smaller_map_, sides_[index], next_root, limits);
        costs[index] = costs_of(sides_[index]);
    }
}

}  // namespace murtree
