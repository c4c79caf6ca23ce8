// The kernels of stump_kernels.hpp for AVX2: 32 rows at a time.
#include <immintrin.h>

#include <cstring>

#include "kernels/class_scan.hpp"
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
    static Reg max_where(Reg a, Mask mask, Reg b) { return _mm256_blendv_epi8(a, max(a, b), mask); }
    static Reg min_where(Reg a, Mask mask, Reg b) { return _mm256_blendv_epi8(a, min(a, b), mask); }
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

// 16 numbers.
struct Words {
    using Reg = __m256i;
    static constexpr std::size_t lanes = 16;

    static Reg zero() { return _mm256_setzero_si256(); }
    static Reg broadcast(std::uint16_t value) {
        return _mm256_set1_epi16(static_cast<std::int16_t>(value));
    }
    static Reg load(const std::uint16_t* from) {
        return _mm256_load_si256(reinterpret_cast<const Reg*>(from));
    }
    static void store(std::uint16_t* to, Reg value) {
        _mm256_store_si256(reinterpret_cast<Reg*>(to), value);
    }
    static Reg both(Reg a, Reg b) { return _mm256_and_si256(a, b); }
    static Reg without(Reg a, Reg b) { return _mm256_andnot_si256(a, b); }  // not a
    static Reg add(Reg a, Reg b) { return _mm256_add_epi16(a, b); }
    static Reg subtract(Reg a, Reg b) { return _mm256_sub_epi16(a, b); }
    static Reg subtract_to_zero(Reg a, Reg b) { return _mm256_subs_epu16(a, b); }
    static Reg max(Reg a, Reg b) { return _mm256_max_epu16(a, b); }
    static Reg popcounts(Reg a) {
        const Reg of_nibble = _mm256_setr_epi8(0,
                                               1,
                                               1,
                                               2,
                                               1,
                                               2,
                                               2,
                                               3,
                                               1,
                                               2,
                                               2,
                                               3,
                                               2,
                                               3,
                                               3,
                                               4,  //
                                               0,
                                               1,
                                               1,
                                               2,
                                               1,
                                               2,
                                               2,
                                               3,
                                               1,
                                               2,
                                               2,
                                               3,
                                               2,
                                               3,
                                               3,
                                               4);
        const Reg nibble = _mm256_set1_epi8(15);
        const Reg low = _mm256_shuffle_epi8(of_nibble, both(a, nibble));
        const Reg high = _mm256_shuffle_epi8(of_nibble, both(_mm256_srli_epi16(a, 4), nibble));
        return _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
    }
    static Reg prefix_sums(Reg a) {
        a = add(a, _mm256_bslli_epi128(a, 2));
        a = add(a, _mm256_bslli_epi128(a, 4));
        a = add(a, _mm256_bslli_epi128(a, 8));
        return add(a, last_of_half(_mm256_permute2x128_si256(a, a, 0x08)));
    }
    // The last number of each half, in all of the half.
    static Reg last_of_half(Reg a) { return _mm256_shuffle_epi8(a, _mm256_set1_epi16(0x0f0e)); }
    static Reg last(Reg a) { return last_of_half(_mm256_permute2x128_si256(a, a, 0x11)); }
    static std::uint16_t first_lane(Reg a) {
        return static_cast<std::uint16_t>(_mm256_extract_epi16(a, 0));
    }
    static Reg next_lane(Reg a) {
        return _mm256_alignr_epi8(_mm256_permute2x128_si256(a, a, 0x81), a, 2);
    }
    static Reg where_any(Reg bits, Reg a) {
        return _mm256_andnot_si256(_mm256_cmpeq_epi16(bits, zero()), a);
    }
    static Reg where_top(Reg bits, Reg a) { return both(_mm256_srai_epi16(bits, 15), a); }
    static std::uint32_t above(Reg a, std::uint16_t limit) {
        const Reg is_not = _mm256_cmpeq_epi16(subtract_to_zero(a, broadcast(limit)), zero());
        const __m128i bytes =
            _mm_packs_epi16(_mm256_castsi256_si128(is_not), _mm256_extracti128_si256(is_not, 1));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) ^ 0xffff;
    }
    static std::int64_t maximum(Reg a) {
        const __m128i half =
            _mm_max_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
        return UINT16_MAX ^
               _mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi8(-1))), 0);
    }

    static void mark_equal(const std::uint8_t* from, std::uint8_t value, std::uint16_t* to) {
        const Reg wanted = _mm256_set1_epi8(static_cast<std::int8_t>(value));
        for (std::size_t word = 0; word < lanes; word += 2)
            store_bits(to + word,
                       _mm256_cmpeq_epi8(load_bytes(from + word * rows_of_word), wanted));
    }
    static void mark_below(const std::uint8_t* from, std::uint8_t limit, std::uint16_t* to) {
        const Reg most =
            _mm256_set1_epi8(static_cast<std::int8_t>(limit - 1));  // limit: at least 1
        for (std::size_t word = 0; word < lanes; word += 2) {
            const Reg codes = load_bytes(from + word * rows_of_word);
            store_bits(to + word, _mm256_cmpeq_epi8(_mm256_min_epu8(codes, most), codes));
        }
    }
    static Reg load_bytes(const std::uint8_t* from) {
        return _mm256_load_si256(reinterpret_cast<const Reg*>(from));
    }
    static void store_bits(std::uint16_t* to, Reg mask) {
        const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(mask));
        std::memcpy(to, &bits, sizeof bits);
    }

    // For the rows of a word: how many bits are set up to each of them.
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
        return popcounts(both(broadcast(word), up_to));
    }
    static Reg where_bits(std::uint16_t mask, Reg a) {
        const Reg bit = _mm256_setr_epi16(1,
                                          2,
                                          4,
                                          8,
                                          16,
                                          32,
                                          64,
                                          128,  //
                                          256,
                                          512,
                                          1024,
                                          2048,
                                          4096,
                                          8192,
                                          16384,
                                          INT16_MIN);
        return both(_mm256_cmpeq_epi16(both(broadcast(mask), bit), bit), a);
    }
    // Bit i: whether numbers i and i + 1 differ.
    static std::uint16_t differing(const std::uint32_t* from) {
        return static_cast<std::uint16_t>(~(equal_eight(from) | equal_eight(from + 8) << 8));
    }
    static int equal_eight(const std::uint32_t* from) {
        const Reg here = _mm256_load_si256(reinterpret_cast<const Reg*>(from));
        const Reg next = _mm256_loadu_si256(reinterpret_cast<const Reg*>(from + 1));
        return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(here, next)));
    }
};

}  // namespace

extern const StumpKernels stumps_avx2 =
    PrefixExtremes<Bytes>::table(ClassScan<Words, Words>::table());

}  // namespace murtree::kernels
