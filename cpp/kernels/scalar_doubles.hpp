// The vector operations of the sum kernels for a single number: used by the portable kernels, and
// wherever the same result is needed for one leaf. Not to be included in files with wider
// instructions.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/impurity.hpp"

namespace murtree::kernels {

struct ScalarDoubles {
    using Reg = double;
    static constexpr std::size_t lanes = 1;

    static Reg broadcast(double value) { return value; }
    static Reg load(const double* from) { return *from; }
    static void store(double* to, Reg value) { *to = value; }
    static Reg add(Reg a, Reg b) { return a + b; }
    static Reg sub(Reg a, Reg b) { return a - b; }
    static Reg mul(Reg a, Reg b) { return a * b; }
    static Reg reciprocal(Reg b) { return 1 / b; }
    static Reg reciprocal_of_light(Reg b) { return reciprocal(b); }
    static Reg max(Reg a, Reg b) { return a < b ? b : a; }
    static Reg min(Reg a, Reg b) { return a < b ? a : b; }
    static Reg absolute(Reg a) { return std::abs(a); }
    static Reg rounded_up(Reg a) { return std::ceil(a); }
    static Reg if_not_less(Reg value, Reg a, Reg b) { return a < b ? -1e300 : value; }
    static Scaled<ScalarDoubles> scaled(Reg part, Reg all) {
        const auto bits = std::bit_cast<std::uint64_t>(part);
        const std::uint64_t apart = std::bit_cast<std::uint64_t>(all) - bits + half_exponent;
        return {std::bit_cast<double>(bits + (apart & exponent_mask)),
                static_cast<double>(apart >> mantissa_bits)};
    }
};

}  // namespace murtree::kernels
