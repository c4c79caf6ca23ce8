// The reference kernels of stump_kernels.hpp: plain loops, 16 rows at a time.
#include "kernels/class_scan.hpp"
#include "kernels/prefix_extremes.hpp"

namespace murtree::kernels {
namespace {

struct Bytes {
    static constexpr std::size_t lanes = 16;
    struct Reg {
        std::int8_t at[lanes];
    };
    using Mask = Reg;  // -1 or 0

    template <class Operation>
    static Reg each(Operation operation) {
        Reg result;
        for (std::size_t i = 0; i < lanes; ++i)
            result.at[i] = static_cast<std::int8_t>(operation(i));
        return result;
    }
    static Reg zero() { return broadcast(0); }
    static Reg broadcast(std::int8_t value) {
        return each([&](std::size_t) { return value; });
    }
    static Reg load(const void* from) {
        return each([&](std::size_t i) { return static_cast<const std::int8_t*>(from)[i]; });
    }
    static void store(std::int8_t* to, Reg value) {
        for (std::size_t i = 0; i < lanes; ++i) to[i] = value.at[i];
    }
    static Mask negated(Mask mask) {
        return each([&](std::size_t i) { return ~mask.at[i]; });
    }
    static Mask is_below(Reg a, Reg limit) {
        return each([&](std::size_t i) {
            return static_cast<std::uint8_t>(a.at[i]) < static_cast<std::uint8_t>(limit.at[i]) ? -1
                                                                                               : 0;
        });
    }
    static Mask is_set(Reg a) { return a; }
    static Reg add_where(Reg a, Mask mask, Reg b) {
        return each([&](std::size_t i) { return a.at[i] + (mask.at[i] & b.at[i]); });
    }
    static Reg max(Reg a, Reg b) {
        return each([&](std::size_t i) { return a.at[i] < b.at[i] ? b.at[i] : a.at[i]; });
    }
    static Reg min(Reg a, Reg b) {
        return each([&](std::size_t i) { return b.at[i] < a.at[i] ? b.at[i] : a.at[i]; });
    }
    static Reg max_where(Reg a, Mask mask, Reg b) { return where(mask, max(a, b), a); }
    static Reg min_where(Reg a, Mask mask, Reg b) { return where(mask, min(a, b), a); }
    static Reg where(Mask mask, Reg a, Reg b) {
        return each([&](std::size_t i) { return mask.at[i] != 0 ? a.at[i] : b.at[i]; });
    }
    static Extremes total(Reg sum, Reg high, Reg low) {
        return total_of_lanes<lanes>(sum.at, high.at, low.at);
    }
};

// 16 numbers.
struct Words {
    static constexpr std::size_t lanes = 16;
    struct Reg {
        std::uint16_t at[lanes];
    };

    template <class Operation>
    static Reg each(Operation operation) {
        Reg result;
        for (std::size_t i = 0; i < lanes; ++i)
            result.at[i] = static_cast<std::uint16_t>(operation(i));
        return result;
    }
    // A bit for each number.
    template <class Operation>
    static std::uint16_t bits(Operation operation) {
        unsigned result = 0;
        for (std::size_t i = 0; i < lanes; ++i) result |= (operation(i) ? 1u : 0u) << i;
        return static_cast<std::uint16_t>(result);
    }
    static Reg zero() { return broadcast(0); }
    static Reg broadcast(std::uint16_t value) {
        return each([&](std::size_t) { return value; });
    }
    static Reg load(const std::uint16_t* from) {
        return each([&](std::size_t i) { return from[i]; });
    }
    static void store(std::uint16_t* to, const Reg& value) {
        for (std::size_t i = 0; i < lanes; ++i) to[i] = value.at[i];
    }
    static Reg both(const Reg& a, const Reg& b) {
        return each([&](std::size_t i) { return a.at[i] & b.at[i]; });
    }
    static Reg without(const Reg& a, const Reg& b) {  // not a
        return each([&](std::size_t i) { return ~a.at[i] & b.at[i]; });
    }
    static Reg add(const Reg& a, const Reg& b) {
        return each([&](std::size_t i) { return a.at[i] + b.at[i]; });
    }
    static Reg subtract(const Reg& a, const Reg& b) {
        return each([&](std::size_t i) { return a.at[i] - b.at[i]; });
    }
    static Reg subtract_to_zero(const Reg& a, const Reg& b) {
        return each([&](std::size_t i) { return a.at[i] < b.at[i] ? 0 : a.at[i] - b.at[i]; });
    }
    static Reg max(const Reg& a, const Reg& b) {
        return each([&](std::size_t i) { return a.at[i] < b.at[i] ? b.at[i] : a.at[i]; });
    }
    static Reg popcounts(const Reg& a) {
        return each([&](std::size_t i) {
            unsigned x = a.at[i];
            x -= x >> 1 & 0x5555;
            x = (x & 0x3333) + (x >> 2 & 0x3333);
            x = (x + (x >> 4)) & 0x0f0f;
            return (x + (x >> 8)) & 0x1f;
        });
    }
    static Reg prefix_sums(const Reg& a) {
        unsigned sum = 0;
        return each([&](std::size_t i) { return sum += a.at[i]; });
    }
    static Reg last(const Reg& a) { return broadcast(a.at[lanes - 1]); }
    static std::uint16_t first_lane(const Reg& a) { return a.at[0]; }
    static Reg next_lane(const Reg& a) {
        return each([&](std::size_t i) { return i + 1 < lanes ? a.at[i + 1] : 0; });
    }
    static Reg where_any(const Reg& bits, const Reg& a) {
        return each([&](std::size_t i) { return bits.at[i] != 0 ? a.at[i] : 0; });
    }
    static Reg where_top(const Reg& bits, const Reg& a) {
        return each([&](std::size_t i) { return bits.at[i] >> 15 != 0 ? a.at[i] : 0; });
    }
    static std::uint32_t above(const Reg& a, std::uint16_t limit) {
        return bits([&](std::size_t i) { return a.at[i] > limit; });
    }
    static std::int64_t maximum(const Reg& a) {
        std::uint16_t most = 0;
        for (std::size_t i = 0; i < lanes; ++i) most = most < a.at[i] ? a.at[i] : most;
        return most;
    }

    static void mark_equal(const std::uint8_t* from, std::uint8_t value, std::uint16_t* to) {
        for (std::size_t word = 0; word < lanes; ++word, from += rows_of_word)
            to[word] = bits([&](std::size_t i) { return from[i] == value; });
    }
    static void mark_below(const std::uint8_t* from, std::uint8_t limit, std::uint16_t* to) {
        for (std::size_t word = 0; word < lanes; ++word, from += rows_of_word)
            to[word] = bits([&](std::size_t i) { return from[i] < limit; });
    }

    // For the rows of a word: how many bits are set up to each of them.
    static Reg running_counts(std::uint16_t word) {
        unsigned sum = 0;
        return each([&](std::size_t i) { return sum += word >> i & 1u; });
    }
    static Reg where_bits(std::uint16_t mask, const Reg& a) {
        return each([&](std::size_t i) { return (mask >> i & 1u) != 0 ? a.at[i] : 0; });
    }
    // Bit i: whether numbers i and i + 1 differ.
    static std::uint16_t differing(const std::uint32_t* from) {
        return bits([&](std::size_t i) { return from[i] != from[i + 1]; });
    }
};

}  // namespace

extern const StumpKernels stumps_portable =
    PrefixExtremes<Bytes>::table(ClassScan<Words, Words>::table());

}  // namespace murtree::kernels
