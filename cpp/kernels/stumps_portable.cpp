// The reference kernels of stump_kernels.hpp: plain loops, 16 rows at a time.
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

}  // namespace

extern const StumpKernels stumps_portable = PrefixExtremes<Bytes>::table();

}  // namespace murtree::kernels
