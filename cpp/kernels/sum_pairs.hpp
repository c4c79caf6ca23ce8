// Sums for every pair of features, written once over a few vector operations (`Doubles` of the
// including file). A feature i goes over its own rows, a block of 32 others in registers at a time:
// rows that lack i cost nothing, and no sum is written before it is complete. In an unnamed
// namespace for the reason given in sized_phase_two.hpp.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {
namespace {

// Feature i with the features of one block, or of its last `parts` registers, for n columns from
// `column` on.
template <class Doubles, std::size_t n, std::size_t parts>
void sum_block(
    const SummedRows& rows, std::size_t i, std::size_t block, std::size_t column, double* sums) {
    constexpr std::size_t left_out = feature_block - parts * Doubles::lanes;
    typename Doubles::Reg total[n][parts];
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t part = 0; part < parts; ++part) total[c][part] = Doubles::zero();
    const std::uint32_t* const bits = rows.bits + block;
    for (std::uint32_t k = rows.starts[i]; k < rows.ends[i]; ++k) {
        const std::size_t row = rows.rows[k];
        const std::uint32_t mask = bits[row * rows.row_words] >> left_out;
        const double* const values = rows.values + row * rows.n_values;
        for (std::size_t c = 0; c < n; ++c) {
            const auto value = Doubles::broadcast(values[rows.columns[column + c]]);
            for (std::size_t part = 0; part < parts; ++part)
                total[c][part] =
                    Doubles::add_where(total[c][part], mask >> part * Doubles::lanes, value);
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        double* const to = sums + ((column + c) * rows.stride + i) * rows.stride +
                           block * feature_block + left_out;
        for (std::size_t part = 0; part < parts; ++part)
            Doubles::store(to + part * Doubles::lanes, total[c][part]);
    }
}

template <class Doubles, std::size_t parts>
void sum_columns(const SummedRows& rows, std::size_t i, std::size_t block, double* sums) {
    constexpr std::size_t at_once = Doubles::columns_at_once;
    std::size_t column = 0;
    for (; column + at_once <= rows.n_columns; column += at_once)
        sum_block<Doubles, at_once, parts>(rows, i, block, column, sums);
    for (; column < rows.n_columns; ++column)
        sum_block<Doubles, 1, parts>(rows, i, block, column, sums);
}

template <class Doubles>
void sum_pairs(const SummedRows& rows, std::size_t first, std::size_t last, double* sums) {
    constexpr std::size_t parts = feature_block / Doubles::lanes;
    for (std::size_t i = first; i < last; ++i) {
        // Of its own block only the features from its own quarter on.
        const std::size_t own = i / feature_block;
        const std::size_t quarter = i % feature_block / (feature_block / 4);
        if (quarter == 0)
            sum_columns<Doubles, parts>(rows, i, own, sums);
        else if (quarter == 1)
            sum_columns<Doubles, parts / 4 * 3>(rows, i, own, sums);
        else if (quarter == 2)
            sum_columns<Doubles, parts / 2>(rows, i, own, sums);
        else
            sum_columns<Doubles, parts / 4>(rows, i, own, sums);
        for (std::size_t block = own + 1; block < rows.row_words; ++block)
            sum_columns<Doubles, parts>(rows, i, block, sums);
    }
}

}  // namespace
}  // namespace murtree::kernels
