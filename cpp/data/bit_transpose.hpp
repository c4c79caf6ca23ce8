// In-place transposition of a 64 x 64 bit matrix (Hacker's Delight, section 7-3: swap ever smaller
// blocks).
#pragma once

#include <array>
#include <cstdint>

namespace murtree {

inline void transpose_64x64(std::array<std::uint64_t, 64>& block) {
    std::uint64_t mask = 0x00000000FFFFFFFFu;
    for (unsigned width = 32; width != 0; width /= 2, mask ^= mask << width)
        for (unsigned k = 0; k < 64; k = (k + width + 1) & ~width) {
            const std::uint64_t swap = (block[k] >> width ^ block[k + width]) & mask;
            block[k] ^= swap << width;
            block[k + width] ^= swap;
        }
}

}  // namespace murtree
