// Sums for every pair of features, written once over a few vector operations (`Doubles` of the
// including file). A feature i goes over its own rows, a block of 32 others in registers at a time:
// rows that lack i cost nothing, and no sum is written before it is complete. In an unnamed
// namespace for the reason given in sized_phase_two.hpp.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {
namespace {

// Feature i with the features of one block, for n columns from `column` on.
template <class Doubles, std::size_t n>
void sum_block(
    const SummedRows& rows, std::size_t i, std::size_t block, std::size_t column, double* sums) {
    constexpr std::size_t parts = feature_block / Doubles::lanes;
    typename Doubles::Reg total[n][parts];
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t part = 0; part < parts; ++part) total[c][part] = Doubles::zero();
    const std::uint32_t* const bits = rows.bits + block;
    for (std::uint32_t k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
        const std::size_t row = rows.rows[k];
        const std::uint32_t mask = bits[row * rows.row_words];
        const double* const values = rows.values + row * rows.n_values;
        for (std::size_t c = 0; c < n; ++c) {
            const auto value = Doubles::broadcast(values[rows.columns[column + c]]);
            for (std::size_t part = 0; part < parts; ++part)
                total[c][part] =
                    Doubles::add_where(total[c][part], mask >> part * Doubles::lanes, value);
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        double* const to =
            sums + ((column + c) * rows.stride + i) * rows.stride + block * feature_block;
        for (std::size_t part = 0; part < parts; ++part)
            Doubles::store(to + part * Doubles::lanes, total[c][part]);
    }
}

template <class Doubles>
void sum_pairs(const SummedRows& rows, std::size_t first, std::size_t last, double* sums) {
    constexpr std::size_t at_once = Doubles::columns_at_once;
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t block = i / feature_block; block < rows.row_words; ++block) {
            std::size_t column = 0;
            for (; column + at_once <= rows.n_columns; column += at_once)
                sum_block<Doubles, at_once>(rows, i, block, column, sums);
            for (; column < rows.n_columns; ++column)
                sum_block<Doubles, 1>(rows, i, block, column, sums);
        }
}

}  // namespace
}  // namespace murtree::kernels
