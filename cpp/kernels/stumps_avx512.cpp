// The kernels of stump_kernels.hpp for AVX-512: 64 rows at a time.
#include <immintrin.h>

#include <cstring>

#include "kernels/class_scan.hpp"
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
        const __m256i half =
            _mm256_max_epi16(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
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

// 16 numbers: one for each row of a word.
struct Rows {
    using Reg = __m256i;

    static Reg zero() { return _mm256_setzero_si256(); }
    static Reg broadcast(std::uint16_t value) {
        return _mm256_set1_epi16(static_cast<std::int16_t>(value));
    }
    static Reg add(Reg a, Reg b) { return _mm256_add_epi16(a, b); }
    static Reg subtract_to_zero(Reg a, Reg b) { return _mm256_subs_epu16(a, b); }
    static Reg max(Reg a, Reg b) { return _mm256_max_epu16(a, b); }
    // How many bits of a word are set up to each row.
    static Reg running_counts(std::uint16_t word) {
        const Reg up_to = _mm256_setr_epi16(1,
                                            3,
                                            7,
                                            15,
                                            31,
                                            63,
                                            127,
                                            255,  //
                                            511,
                                            1023,
                                            2047,
                                            4095,
                                            8191,
                                            16383,
                                            32767,
                                            -1);
        return _mm256_popcnt_epi16(_mm256_and_si256(broadcast(word), up_to));
    }
    static Reg where_bits(std::uint16_t mask, Reg a) { return _mm256_maskz_mov_epi16(mask, a); }
    static std::int64_t maximum(Reg a) {
        const __m128i half =
            _mm_max_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        return UINT16_MAX ^
               _mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi8(-1))), 0);
    }
    // Bit i: whether numbers i and i + 1 differ.
    static std::uint16_t differing(const std::uint32_t* from) {
        return _mm512_cmpneq_epi32_mask(_mm512_load_si512(from), _mm512_loadu_si512(from + 1));
    }
};

// 32 numbers.
struct Words {
    using Reg = __m512i;
    static constexpr std::size_t lanes = 32;

    static Reg zero() { return _mm512_setzero_si512(); }
    static Reg broadcast(std::uint16_t value) {
        return _mm512_set1_epi16(static_cast<std::int16_t>(value));
    }
    static Reg load(const std::uint16_t* from) { return _mm512_load_si512(from); }
    static void store(std::uint16_t* to, Reg value) { _mm512_store_si512(to, value); }
    static Reg both(Reg a, Reg b) { return _mm512_and_si512(a, b); }
    static Reg without(Reg a, Reg b) { return _mm512_andnot_si512(a, b); }  // not a
    static Reg add(Reg a, Reg b) { return _mm512_add_epi16(a, b); }
    static Reg subtract(Reg a, Reg b) { return _mm512_sub_epi16(a, b); }
    static Reg subtract_to_zero(Reg a, Reg b) { return _mm512_subs_epu16(a, b); }
    static Reg max(Reg a, Reg b) { return _mm512_max_epu16(a, b); }
    static Reg popcounts(Reg a) { return _mm512_popcnt_epi16(a); }
    static Reg prefix_sums(Reg a) { return Bytes::prefix_sums(a); }
    static Reg last(Reg a) { return Bytes::last(a); }
    static std::uint16_t first_lane(Reg a) {
        return static_cast<std::uint16_t>(_mm_extract_epi16(_mm512_castsi512_si128(a), 0));
    }
    static Reg next_lane(Reg a) {
        const Reg above = _mm512_maskz_alignr_epi64(0b00111111, a, a, 2);  // by 128 bits
        return _mm512_alignr_epi8(above, a, 2);
    }
    static Reg where_any(Reg bits, Reg a) {
        return _mm512_maskz_mov_epi16(_mm512_test_epi16_mask(bits, bits), a);
    }
    static Reg where_top(Reg bits, Reg a) {
        return _mm512_maskz_mov_epi16(_mm512_movepi16_mask(bits), a);
    }
    static std::uint32_t above(Reg a, std::uint16_t limit) {
        return _mm512_cmpgt_epu16_mask(a, broadcast(limit));
    }
    static std::int64_t maximum(Reg a) {
        return Rows::maximum(
            _mm256_max_epu16(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1)));
    }

    static void mark_equal(const std::uint8_t* from, std::uint8_t value, std::uint16_t* to) {
        const Reg wanted = _mm512_set1_epi8(static_cast<std::int8_t>(value));
        for (std::size_t word = 0; word < lanes; word += 4)
            store_bits(
                to + word,
                _mm512_cmpeq_epi8_mask(_mm512_load_si512(from + word * rows_of_word), wanted));
    }
    static void mark_below(const std::uint8_t* from, std::uint8_t limit, std::uint16_t* to) {
        const Reg bound = _mm512_set1_epi8(static_cast<std::int8_t>(limit));
        for (std::size_t word = 0; word < lanes; word += 4)
            store_bits(
                to + word,
                _mm512_cmplt_epu8_mask(_mm512_load_si512(from + word * rows_of_word), bound));
    }
    static void store_bits(std::uint16_t* to, std::uint64_t bits) {
        std::memcpy(to, &bits, sizeof bits);
    }
};

}  // namespace

extern const StumpKernels stumps_avx512 =
    PrefixExtremes<Bytes>::table(ClassScan<Words, Rows>::table());

}  // namespace murtree::kernels
