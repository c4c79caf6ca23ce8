// Kernels for AVX2: 16 features of 16 bits per register, popcounts by nibble lookup.
#include <immintrin.h>

#include "kernels/bmi2_compress.hpp"
#include "kernels/sum_pairs.hpp"
#include "kernels/sum_phase_two.hpp"
#include "kernels/vector_kernels.hpp"

namespace murtree::kernels {
namespace {

struct Wide {
    using Reg = __m256i;

    static Reg zero() { return _mm256_setzero_si256(); }
    static Reg load(const void* from) {
        return _mm256_load_si256(static_cast<const __m256i*>(from));
    }
    static void store(void* to, Reg value) { _mm256_store_si256(static_cast<__m256i*>(to), value); }
    static Reg bit_and(Reg a, Reg b) { return _mm256_and_si256(a, b); }
    static Reg broadcast_splat(const std::uint32_t* from) {
        return _mm256_set1_epi32(static_cast<int>(*from));
    }

    // Number of ones in each byte (Mula's table lookup).
    static Reg popcount_bytes(Reg a) {
        const Reg table = _mm256_broadcastsi128_si256(
            _mm_set_epi64x(0x0403030203020201, 0x0302020102010100));  // by nibble, lowest first
        const Reg nibble = _mm256_set1_epi8(15);
        const Reg low = _mm256_shuffle_epi8(table, _mm256_and_si256(a, nibble));
        const Reg high =
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(a, 4), nibble));
        return _mm256_add_epi8(low, high);
    }
};

struct Lanes16 : Wide {
    using Lane = std::int16_t;
    static constexpr std::size_t lanes = 16;
    static constexpr std::size_t pair_picoseconds = 67;

    static Reg broadcast(Lane value) { return _mm256_set1_epi16(value); }
    static Reg popcount(Reg a) {
        return _mm256_maddubs_epi16(popcount_bytes(a), _mm256_set1_epi8(1));
    }
    static Reg add(Reg a, Reg b) { return _mm256_add_epi16(a, b); }
    static Reg sub(Reg a, Reg b) { return _mm256_sub_epi16(a, b); }
    static Reg max(Reg a, Reg b) { return _mm256_max_epi16(a, b); }
    static Reg min(Reg a, Reg b) { return _mm256_min_epi16(a, b); }
    static Reg shift_left(Reg a, unsigned by) {
        return _mm256_sll_epi16(a, _mm_cvtsi32_si128(static_cast<int>(by)));
    }
    static Reg set_bit(Reg word, std::uint32_t mask, std::size_t bit) {
        const Reg select = _mm256_sllv_epi32(_mm256_set1_epi32(0x00020001),
                                             _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
        const Reg present = _mm256_and_si256(_mm256_set1_epi16(static_cast<short>(mask)), select);
        const Reg lanes_set = _mm256_cmpeq_epi16(present, select);
        const Reg value = _mm256_set1_epi16(static_cast<short>(1u << bit));
        return _mm256_or_si256(word, _mm256_and_si256(lanes_set, value));
    }
    static void store_splats(std::uint32_t* to, Reg word) {
        const __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(word));
        const __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(word, 1));
        store(to, _mm256_or_si256(low, _mm256_slli_epi32(low, 16)));
        store(to + 8, _mm256_or_si256(high, _mm256_slli_epi32(high, 16)));
    }
};

struct Lanes32 : Wide {
    using Lane = std::int32_t;
    static constexpr std::size_t lanes = 8;
    static constexpr std::size_t pair_picoseconds = 150;

    static Reg broadcast(Lane value) { return _mm256_set1_epi32(value); }
    static Reg popcount(Reg a) {
        const Reg halves = _mm256_maddubs_epi16(popcount_bytes(a), _mm256_set1_epi8(1));
        return _mm256_madd_epi16(halves, _mm256_set1_epi16(1));
    }
    static Reg add(Reg a, Reg b) { return _mm256_add_epi32(a, b); }
    static Reg sub(Reg a, Reg b) { return _mm256_sub_epi32(a, b); }
    static Reg max(Reg a, Reg b) { return _mm256_max_epi32(a, b); }
    static Reg min(Reg a, Reg b) { return _mm256_min_epi32(a, b); }
    static Reg shift_left(Reg a, unsigned by) {
        return _mm256_sll_epi32(a, _mm_cvtsi32_si128(static_cast<int>(by)));
    }
    static Reg set_bit(Reg word, std::uint32_t mask, std::size_t bit) {
        const Reg select = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        const Reg present = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), select);
        const Reg lanes_set = _mm256_cmpeq_epi32(present, select);
        const Reg value = _mm256_set1_epi32(static_cast<int>(1u << bit));
        return _mm256_or_si256(word, _mm256_and_si256(lanes_set, value));
    }
    static void store_splats(std::uint32_t* to, Reg word) { store(to, word); }
};

std::uint32_t* append_rows(std::uint32_t* next, std::uint32_t first, std::uint32_t bits16) {
    for (; bits16 != 0; bits16 &= bits16 - 1)
        *next++ = first + static_cast<std::uint32_t>(__builtin_ctz(bits16));
    return next;
}

// Four numbers per register.
struct Doubles {
    using Reg = __m256d;
    static constexpr std::size_t lanes = 4;
    static constexpr std::size_t columns_at_once = 1;

    static Reg zero() { return _mm256_setzero_pd(); }
    static Reg broadcast(double value) { return _mm256_set1_pd(value); }
    static Reg load(const double* from) { return _mm256_load_pd(from); }
    static void store(double* to, Reg value) { _mm256_store_pd(to, value); }
    static Reg add(Reg a, Reg b) { return _mm256_add_pd(a, b); }
    static Reg sub(Reg a, Reg b) { return _mm256_sub_pd(a, b); }
    static Reg mul(Reg a, Reg b) { return _mm256_mul_pd(a, b); }
    static Reg reciprocal(Reg b) { return _mm256_div_pd(broadcast(1), b); }
    static Reg reciprocal_of_light(Reg b) { return reciprocal(b); }
    static Reg max(Reg a, Reg b) { return _mm256_max_pd(a, b); }
    static Reg min(Reg a, Reg b) { return _mm256_min_pd(a, b); }
    static Reg absolute(Reg a) { return _mm256_andnot_pd(broadcast(-0.0), a); }
    static Reg rounded_up(Reg a) { return _mm256_ceil_pd(a); }
    static Reg if_not_less(Reg value, Reg a, Reg b) {
        return _mm256_blendv_pd(value, broadcast(-1e300), _mm256_cmp_pd(a, b, _CMP_LT_OQ));
    }
    static Scaled<Doubles> scaled(Reg part, Reg all) {
        const __m256i bits = _mm256_castpd_si256(part);
        const __m256i apart =
            _mm256_add_epi64(_mm256_sub_epi64(_mm256_castpd_si256(all), bits),
                             _mm256_set1_epi64x(static_cast<long long>(half_exponent)));
        const __m256i shift =
            _mm256_and_si256(apart, _mm256_set1_epi64x(static_cast<long long>(exponent_mask)));
        const __m256i exponent =
            _mm256_or_si256(_mm256_srli_epi64(apart, mantissa_bits),
                            _mm256_set1_epi64x(static_cast<long long>(bits_of_two_to_52)));
        return {_mm256_castsi256_pd(_mm256_add_epi64(bits, shift)),
                sub(_mm256_castsi256_pd(exponent), broadcast(0x1p52))};
    }
    static Reg add_where(Reg sum, std::uint32_t mask, Reg value) {
        const __m256i select = _mm256_setr_epi64x(1, 2, 4, 8);
        const __m256i present = _mm256_and_si256(_mm256_set1_epi64x(mask), select);
        const __m256i lanes_set = _mm256_cmpeq_epi64(present, select);
        return _mm256_add_pd(sum, _mm256_and_pd(_mm256_castsi256_pd(lanes_set), value));
    }
};

}  // namespace

extern const Table avx2{"avx2",
                        vector_kernels<Lanes16>(),
                        vector_kernels<Lanes32>(),
                        plain_fingerprints,
                        compress,
                        {sum_pairs<Doubles>, sum_phase_two<Doubles>},
                        stumps_avx2};

}  // namespace murtree::kernels
