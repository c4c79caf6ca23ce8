// Sums for every pair of features, implemented over a few vector operations (`Doubles` of the
// including file). For a feature i, iterates over its own rows with 32 other features in registers
// at a time: rows without i cost nothing, and sums are written only once. In an unnamed namespace
// for the reason given in sized_phase_two.hpp.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/sum_kernels.hpp"

namespace murtree::kernels {
namespace {

// Sums feature i with the features of `parts` registers from `first` on, a multiple of eight, for n
// columns from `column` on.
template <class Doubles, std::size_t n, std::size_t parts>
void sum_window(
    const SummedRows& rows, std::size_t i, std::size_t first, std::size_t column, double* sums) {
    typename Doubles::Reg total[n][parts];
    const std::uint32_t before = rows.before[i];
    for (std::size_t c = 0; c < n; ++c) {
        const double* const from = before == SummedRows::none
                                       ? nullptr
                                       : sums + (column + c) * rows.matrix_size +
                                             (before - rows.first_row) * rows.stride + first;
        for (std::size_t part = 0; part < parts; ++part)
            total[c][part] =
                from == nullptr ? Doubles::zero() : Doubles::load(from + part * Doubles::lanes);
    }
    const char* const bits = reinterpret_cast<const char*>(rows.bits) + first / 8;
    const std::size_t* const starts = rows.starts + (i - rows.first_row);
    for (std::size_t k = starts[0]; k < starts[1]; ++k) {
        const std::size_t row = rows.rows[k];
        std::uint32_t mask;
        __builtin_memcpy(&mask, bits + row * rows.row_words * sizeof mask, sizeof mask);
        const double* const values = rows.values + row * rows.n_columns + column;
        for (std::size_t c = 0; c < n; ++c) {
            const auto value = Doubles::broadcast(values[c]);
            for (std::size_t part = 0; part < parts; ++part)
                total[c][part] =
                    Doubles::add_where(total[c][part], mask >> part * Doubles::lanes, value);
        }
    }
    for (std::size_t c = 0; c < n; ++c) {
        double* const to =
            sums + (column + c) * rows.matrix_size + (i - rows.first_row) * rows.stride + first;
        for (std::size_t part = 0; part < parts; ++part)
            Doubles::store(to + part * Doubles::lanes, total[c][part]);
    }
}

template <class Doubles, std::size_t eights>
void sum_columns(const SummedRows& rows, std::size_t i, std::size_t first, double* sums) {
    constexpr std::size_t at_once = Doubles::columns_at_once;
    constexpr std::size_t parts = eights * 8 / Doubles::lanes;
    std::size_t column = 0;
    for (; column + at_once <= rows.n_columns; column += at_once)
        sum_window<Doubles, at_once, parts>(rows, i, first, column, sums);
    for (; column < rows.n_columns; ++column)
        sum_window<Doubles, 1, parts>(rows, i, first, column, sums);
}

template <class Doubles>
void sum_pairs(const SummedRows& rows, std::size_t first_feature, std::size_t last, double* sums) {
    for (std::size_t i = first_feature; i < last; ++i) {
        std::size_t first = i / 8 * 8;
        for (; first + 24 < rows.n_features; first += 32)
            sum_columns<Doubles, 4>(rows, i, first, sums);
        if (first + 16 < rows.n_features)
            sum_columns<Doubles, 3>(rows, i, first, sums);
        else if (first + 8 < rows.n_features)
            sum_columns<Doubles, 2>(rows, i, first, sums);
        else if (first < rows.n_features)
            sum_columns<Doubles, 1>(rows, i, first, sums);
    }
}

}  // namespace
}  // namespace murtree::kernels
