// The kernels of stump_kernels.hpp for AVX2: 32 rows at a time.
#include <immintrin.h>

#include "kernels/prefix_extremes.hpp"

namespace murtree::kernels {
namespace {

struct Bytes {
    using Reg = __m256i;
    using Mask = __m256i;
    static constexpr std::size_t lanes = 32;

    static Reg zero() { return _mm256_setzero_si256(); }
    static Reg broadcast(std::int8_t value) { return _mm256_set1_epi8(value); }
    static Reg load(const void* from) { return _mm256_load_si256(static_cast<const Reg*>(from)); }
    static void store(void* to, Reg value) { _mm256_store_si256(static_cast<Reg*>(to), value); }
    static Mask negated(Mask mask) { return _mm256_xor_si256(mask, broadcast(-1)); }
    static Mask is_below(Reg a, Reg limit) {
        return negated(_mm256_cmpeq_epi8(_mm256_max_epu8(a, limit), a));
    }
    static Mask is_set(Reg a) { return a; }
    static Reg add_where(Reg a, Mask mask, Reg b) {
        return _mm256_add_epi8(a, _mm256_and_si256(mask, b));
    }
    static Reg max(Reg a, Reg b) { return _mm256_max_epi8(a, b); }
    static Reg min(Reg a, Reg b) { return _mm256_min_epi8(a, b); }
    static Reg max_where(Reg a, Mask mask, Reg b) {
        return _mm256_blendv_epi8(a, max(a, b), mask);
    }
    static Reg min_where(Reg a, Mask mask, Reg b) {
        return _mm256_blendv_epi8(a, min(a, b), mask);
    }
    static Extremes total(Reg sum, Reg high, Reg low) {
        alignas(32) std::int8_t sums[lanes];
        alignas(32) std::int8_t highs[lanes];
        alignas(32) std::int8_t lows[lanes];
        store(sums, sum);
        store(highs, high);
        store(lows, low);
        return total_of_lanes<lanes>(sums, highs, lows);
    }
};

}  // namespace

extern const StumpKernels stumps_avx2 = PrefixExtremes<Bytes>::table();

}  // namespace murtree::kernels
