// The kernels of stump_kernels.hpp for AVX-512: 64 rows at a time.
#include <immintrin.h>

#include "kernels/prefix_extremes.hpp"

namespace murtree::kernels {
namespace {

struct Bytes {
    using Reg = __m512i;
    using Mask = __mmask64;
    static constexpr std::size_t lanes = 64;

    static Reg zero() { return _mm512_setzero_si512(); }
    static Reg broadcast(std::int8_t value) { return _mm512_set1_epi8(value); }
    static Reg load(const void* from) { return _mm512_load_si512(from); }
    static void store(void* to, Reg value) { _mm512_store_si512(to, value); }
    static Mask is_below(Reg a, Reg limit) { return _mm512_cmplt_epu8_mask(a, limit); }
    static Mask is_set(Reg a) { return _mm512_movepi8_mask(a); }
    static Mask negated(Mask mask) { return _knot_mask64(mask); }
    static Reg add_where(Reg a, Mask mask, Reg b) { return _mm512_mask_add_epi8(a, mask, a, b); }
    static Reg max(Reg a, Reg b) { return _mm512_max_epi8(a, b); }
    static Reg min(Reg a, Reg b) { return _mm512_min_epi8(a, b); }
    static Reg max_where(Reg a, Mask mask, Reg b) { return _mm512_mask_max_epi8(a, mask, a, b); }
    static Reg min_where(Reg a, Mask mask, Reg b) { return _mm512_mask_min_epi8(a, mask, a, b); }

    // Prefix sums of 32 numbers of 16 bits: within 128 bits, then over these.
    static Reg prefix_sums(Reg a) {
        a = _mm512_add_epi16(a, _mm512_bslli_epi128(a, 2));
        a = _mm512_add_epi16(a, _mm512_bslli_epi128(a, 4));
        a = _mm512_add_epi16(a, _mm512_bslli_epi128(a, 8));
        const Reg last = _mm512_shuffle_epi8(a, _mm512_set1_epi16(0x0f0e));
        const Reg one = _mm512_maskz_shuffle_i64x2(0b11111100, last, last, 0b10010000);
        const Reg two = _mm512_maskz_shuffle_i64x2(0b11110000, last, last, 0b01000000);
        const Reg three = _mm512_maskz_shuffle_i64x2(0b11000000, last, last, 0);
        return _mm512_add_epi16(_mm512_add_epi16(a, one), _mm512_add_epi16(two, three));
    }
    static Reg low_half(Reg a) { return _mm512_cvtepi8_epi16(_mm512_castsi512_si256(a)); }
    static Reg high_half(Reg a) { return _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(a, 1)); }
    // The last of 32 numbers, in all of them.
    static Reg last(Reg a) { return _mm512_permutexvar_epi16(_mm512_set1_epi16(31), a); }
    // The maximum of 32 numbers that are at least 0.
    static std::int64_t maximum(Reg a) {
        const __m256i half = _mm256_max_epi16(_mm512_castsi512_si256(a),
                                              _mm512_extracti64x4_epi64(a, 1));
        const __m128i quarter =
            _mm_max_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
        const __m128i top = _mm_set1_epi16(INT16_MAX);
        return INT16_MAX - _mm_extract_epi16(_mm_minpos_epu16(_mm_sub_epi16(top, quarter)), 0);
    }

    // The extremes over all lanes. The sums of one block fit into 16 bits: 64 x 126 < 32,768.
    static Extremes total(Reg sum, Reg high, Reg low) {
        const Mask is_used = _mm512_cmple_epi8_mask(low, high);
        const Reg sum_a = low_half(sum), sum_b = high_half(sum);
        const Reg to_a = prefix_sums(sum_a);
        const Reg to_b = _mm512_add_epi16(prefix_sums(sum_b), last(to_a));
        const Reg before_a = _mm512_sub_epi16(to_a, sum_a);
        const Reg before_b = _mm512_sub_epi16(to_b, sum_b);
        const auto used_a = static_cast<__mmask32>(is_used);
        const auto used_b = static_cast<__mmask32>(is_used >> 32);
        const Reg none = zero();
        const Reg highs =
            _mm512_max_epi16(_mm512_maskz_add_epi16(used_a, before_a, low_half(high)),
                             _mm512_maskz_add_epi16(used_b, before_b, high_half(high)));
        const Reg lows = _mm512_min_epi16(_mm512_maskz_add_epi16(used_a, before_a, low_half(low)),
                                          _mm512_maskz_add_epi16(used_b, before_b, high_half(low)));
        return {maximum(_mm512_max_epi16(highs, none)),
                -maximum(_mm512_sub_epi16(none, _mm512_min_epi16(lows, none)))};
    }
};

}  // namespace

extern const StumpKernels stumps_avx512 = PrefixExtremes<Bytes>::table();

}  // namespace murtree::kernels
