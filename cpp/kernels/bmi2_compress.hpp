// Table::compress using PEXT, for the variants with BMI2.
#pragma once

#include <immintrin.h>

#include "kernels/kernels.hpp"

namespace murtree::kernels {
namespace {

void compress(const RowBits& rows,
              const std::uint32_t* mask,
              std::uint32_t* out,
              std::size_t out_words) {
    for (std::size_t r = 0; r < rows.n_rows; ++r) {
        const std::uint32_t* bits = rows[r];
        std::uint64_t pending = 0;  // bits extracted and not yet written
        int n_pending = 0;
        std::size_t written = 0;
        for (std::size_t k = 0; k < rows.row_words; ++k) {
            pending |= std::uint64_t{_pext_u32(bits[k], mask[k])} << n_pending;
            n_pending += _mm_popcnt_u32(mask[k]);
            if (n_pending >= 32) {
                out[written++] = static_cast<std::uint32_t>(pending);
                pending >>= 32;
                n_pending -= 32;
            }
        }
        if (written < out_words) out[written++] = static_cast<std::uint32_t>(pending);
        while (written < out_words) out[written++] = 0;
        out += out_words;
    }
}

}  // namespace
}  // namespace murtree::kernels
