// Kernels for AVX-512 with BITALG and VPOPCNTDQ (Ice Lake, Zen 4 and later): 32 features of 16 bits
// per register.
#include <immintrin.h>

#include "kernels/bmi2_compress.hpp"
#include "kernels/sum_pairs.hpp"
#include "kernels/sum_phase_two.hpp"
#include "kernels/vector_kernels.hpp"

namespace murtree::kernels {
namespace {

struct Wide {
    using Reg = __m512i;

    static Reg zero() { return _mm512_setzero_si512(); }
    static Reg load(const void* from) { return _mm512_load_si512(from); }
    static void store(void* to, Reg value) { _mm512_store_si512(to, value); }
    static Reg bit_and(Reg a, Reg b) { return _mm512_and_si512(a, b); }
    static Reg broadcast_splat(const std::uint32_t* from) {
        return _mm512_set1_epi32(static_cast<int>(*from));
    }
};

struct Lanes16 : Wide {
    using Lane = std::int16_t;
    static constexpr std::size_t lanes = 32;
    static constexpr std::size_t pair_picoseconds = 17;

    static Reg broadcast(Lane value) { return _mm512_set1_epi16(value); }
    static Reg popcount(Reg a) { return _mm512_popcnt_epi16(a); }
    static Reg add(Reg a, Reg b) { return _mm512_add_epi16(a, b); }
    static Reg sub(Reg a, Reg b) { return _mm512_sub_epi16(a, b); }
    static Reg max(Reg a, Reg b) { return _mm512_max_epi16(a, b); }
    static Reg min(Reg a, Reg b) { return _mm512_min_epi16(a, b); }
    static Reg shift_left(Reg a, unsigned by) {
        return _mm512_sll_epi16(a, _mm_cvtsi32_si128(static_cast<int>(by)));
    }
    static Reg set_bit(Reg word, std::uint32_t mask, std::size_t bit) {
        return _mm512_mask_add_epi16(
            word, mask, word, _mm512_set1_epi16(static_cast<short>(1u << bit)));
    }
    static void store_splats(std::uint32_t* to, Reg word) {
        const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(word));
        const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(word, 1));
        store(to, _mm512_or_si512(low, _mm512_slli_epi32(low, 16)));
        store(to + 16, _mm512_or_si512(high, _mm512_slli_epi32(high, 16)));
    }
};

struct Lanes32 : Wide {
    using Lane = std::int32_t;
    static constexpr std::size_t lanes = 16;
    static constexpr std::size_t pair_picoseconds = 36;

    static Reg broadcast(Lane value) { return _mm512_set1_epi32(value); }
    static Reg popcount(Reg a) { return _mm512_popcnt_epi32(a); }
    static Reg add(Reg a, Reg b) { return _mm512_add_epi32(a, b); }
    static Reg sub(Reg a, Reg b) { return _mm512_sub_epi32(a, b); }
    static Reg max(Reg a, Reg b) { return _mm512_max_epi32(a, b); }
    static Reg min(Reg a, Reg b) { return _mm512_min_epi32(a, b); }
    static Reg shift_left(Reg a, unsigned by) {
        return _mm512_sll_epi32(a, _mm_cvtsi32_si128(static_cast<int>(by)));
    }
    static Reg set_bit(Reg word, std::uint32_t mask, std::size_t bit) {
        const auto lanes_set = static_cast<__mmask16>(mask);
        return _mm512_mask_add_epi32(
            word, lanes_set, word, _mm512_set1_epi32(static_cast<int>(1u << bit)));
    }
    static void store_splats(std::uint32_t* to, Reg word) { store(to, word); }
};

std::uint32_t* append_rows(std::uint32_t* next, std::uint32_t first, std::uint32_t bits16) {
    const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)), steps);
    _mm512_storeu_si512(next, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits16), numbers));
    return next + _mm_popcnt_u32(bits16);
}

// Processes eight features per register by masked XOR; the two halves of the keys are kept
// separately and interleaved at the end.
void fingerprints(const std::uint32_t* row_bits,
                  std::size_t row_words,
                  std::size_t n_rows,
                  const Fingerprint* keys,
                  Fingerprint* by_feature) {
    const __m512i first_four = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i last_four = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    for (std::size_t block = 0; block < row_words; ++block) {
        __m512i high[4] = {};
        __m512i low[4] = {};
        for (std::size_t r = 0; r < n_rows; ++r) {
            const std::uint32_t bits = row_bits[r * row_words + block];
            const __m512i key_high = _mm512_set1_epi64(static_cast<long long>(keys[r].high));
            const __m512i key_low = _mm512_set1_epi64(static_cast<long long>(keys[r].low));
            for (int eight = 0; eight < 4; ++eight) {
                const auto mask = static_cast<__mmask8>(bits >> 8 * eight);
                high[eight] = _mm512_mask_xor_epi64(high[eight], mask, high[eight], key_high);
                low[eight] = _mm512_mask_xor_epi64(low[eight], mask, low[eight], key_low);
            }
        }
        Fingerprint* out = by_feature + block * feature_block;
        for (int eight = 0; eight < 4; ++eight, out += 8) {
            _mm512_storeu_si512(out,
                                _mm512_permutex2var_epi64(high[eight], first_four, low[eight]));
            _mm512_storeu_si512(out + 4,
                                _mm512_permutex2var_epi64(high[eight], last_four, low[eight]));
        }
    }
}

// Eight numbers per register.
struct Doubles {
    using Reg = __m512d;
    static constexpr std::size_t lanes = 8;
    static constexpr std::size_t columns_at_once = 2;

    static Reg zero() { return _mm512_setzero_pd(); }
    static Reg broadcast(double value) { return _mm512_set1_pd(value); }
    static Reg load(const double* from) { return _mm512_load_pd(from); }
    static void store(double* to, Reg value) { _mm512_store_pd(to, value); }
    static Reg add(Reg a, Reg b) { return _mm512_add_pd(a, b); }
    static Reg sub(Reg a, Reg b) { return _mm512_sub_pd(a, b); }
    static Reg mul(Reg a, Reg b) { return _mm512_mul_pd(a, b); }
    // 1 / b, correctly rounded like a division but three times as fast, for whole b < 2^24. From
    // an estimate good to 2^-14, one step of third order gives y within 2^-42 of 1 / b and the
    // last one within 2^-84, before it rounds. That rounds like 1 / b itself: a midpoint M of two
    // doubles is k / 2^q with k < 2^54, so |1 - b M| is a multiple of 2^-q and not 0 (1 / b is no
    // midpoint), and 2^q, about b k, is below 2^78.
    static Reg reciprocal_of_light(Reg b) {
        const Reg one = broadcast(1);
        const Reg estimate = _mm512_rcp14_pd(b);
        const Reg error = _mm512_fnmadd_pd(b, estimate, one);
        const Reg y = _mm512_fmadd_pd(_mm512_fmadd_pd(error, error, error), estimate, estimate);
        return _mm512_fmadd_pd(_mm512_fnmadd_pd(b, y, one), y, y);
    }
    static Reg reciprocal(Reg b) { return _mm512_div_pd(broadcast(1), b); }
    static Reg max(Reg a, Reg b) { return _mm512_max_pd(a, b); }
    static Reg min(Reg a, Reg b) { return _mm512_min_pd(a, b); }
    static Reg absolute(Reg a) { return _mm512_abs_pd(a); }
    static Reg rounded_up(Reg a) {
        return _mm512_roundscale_pd(a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    }
    static Reg if_not_less(Reg value, Reg a, Reg b) {
        return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), value, broadcast(-1e300));
    }
    static Scaled<Doubles> scaled(Reg part, Reg all) {
        const __m512i bits = _mm512_castpd_si512(part);
        const __m512i apart =
            _mm512_add_epi64(_mm512_sub_epi64(_mm512_castpd_si512(all), bits),
                             _mm512_set1_epi64(static_cast<long long>(half_exponent)));
        const __m512i shift =
            _mm512_and_si512(apart, _mm512_set1_epi64(static_cast<long long>(exponent_mask)));
        const __m512i exponent =
            _mm512_or_si512(_mm512_srli_epi64(apart, mantissa_bits),
                            _mm512_set1_epi64(static_cast<long long>(bits_of_two_to_52)));
        return {_mm512_castsi512_pd(_mm512_add_epi64(bits, shift)),
                sub(_mm512_castsi512_pd(exponent), broadcast(0x1p52))};
    }
    static Reg add_where(Reg sum, std::uint32_t mask, Reg value) {
        return _mm512_mask_add_pd(sum, static_cast<__mmask8>(mask), sum, value);
    }
};

}  // namespace

extern const Table avx512{"avx512",
                          vector_kernels<Lanes16>(),
                          vector_kernels<Lanes32>(),
                          fingerprints,
                          compress,
                          {sum_pairs<Doubles>, sum_phase_two<Doubles>},
                          stumps_avx512};

}  // namespace murtree::kernels
