// The impurity of a leaf from the weights of its classes, implemented over a few vector operations
// (`Doubles` of the including file), without the standard library.
//
// With class weights n_k and n their sum, the Gini impurity is the sum of n_k (n - n_k) / n, and
// the log loss, in nats, the sum of n_k ln(n / n_k). Both are sums of terms that are not negative,
// and each term is computed to a few units in the last place. So the error of the sum is relative:
// at most (n_classes + 14) x 2^-53 of it, including the multiplication by the unit; a pure leaf
// has an impurity of exactly 0. Weights are integers below 2^52.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murtree::kernels {

constexpr int mantissa_bits = 52;
constexpr std::uint64_t exponent_mask = 0xFFF0000000000000;
constexpr std::uint64_t half_exponent = std::uint64_t{1} << (mantissa_bits - 1);
constexpr std::uint64_t bits_of_two_to_52 = 0x4330000000000000;  // plus a small integer: 2^52 + it

// A number times the power of two that brings it close to another one, and the exponent.
template <class Doubles>
struct Scaled {
    typename Doubles::Reg value;
    typename Doubles::Reg exponent;
};

// ln(all / part) for all >= part >= 1, to within 12 x 2^-53 of its value.
//
// With c = part x 2^e close to all, it is e ln 2 + 2 atanh(s) for s = (all - c) / (all + c). The
// bits of a positive double, as an integer, are 2^52 times its binary logarithm, too low by 0 to
// 0.0861 x 2^52; from the rounded difference of those of `all` and `part`, all / c is between
// 2^-0.5861 and 2^0.5861. So all - c is exact (Sterbenz), |s| < 0.2007, s has a relative error of
// at most 3 roundings, and the series of atanh(s) / s = 1 + s^2 / 3 + ... ends with s^20 / 21,
// after which the rest is less than 2^-55. If e = 0, the result is 2 atanh(s), where s >= 0. If
// not, it is at least ln 2 - 0.407 = 0.286, and its absolute error at most 3 roundings of numbers
// below 1, plus those of e ln 2 and of the sum, which are relative.
template <class Doubles, bool are_light>
typename Doubles::Reg log_ratio(typename Doubles::Reg all, typename Doubles::Reg part) {
    using Reg = typename Doubles::Reg;
    const Scaled<Doubles> scaled = Doubles::scaled(part, all);
    const Reg sum = Doubles::add(all, scaled.value);
    const Reg over_sum = are_light ? Doubles::reciprocal_of_light(sum) : Doubles::reciprocal(sum);
    const Reg s = Doubles::mul(Doubles::sub(all, scaled.value), over_sum);
    const Reg square = Doubles::mul(s, s);
    Reg series = Doubles::broadcast(1.0 / 21);
    for (int odd = 19; odd >= 3; odd -= 2)
        series = Doubles::add(Doubles::mul(series, square), Doubles::broadcast(1.0 / odd));
    const Reg atanh = Doubles::add(s, Doubles::mul(s, Doubles::mul(series, square)));
    return Doubles::add(Doubles::mul(scaled.exponent, Doubles::broadcast(0x1.62e42fefa39efp-1)),
                        Doubles::add(atanh, atanh));
}

// The terms of an impurity, and a last factor.
template <class Doubles, bool are_light>
struct GiniTerms {
    using Reg = typename Doubles::Reg;

    static Reg term(Reg part, Reg all) { return Doubles::mul(part, Doubles::sub(all, part)); }
    static Reg finished(Reg terms, Reg all) {
        const Reg some = Doubles::max(all, Doubles::broadcast(1));
        return Doubles::mul(
            terms, are_light ? Doubles::reciprocal_of_light(some) : Doubles::reciprocal(some));
    }
};

template <class Doubles, bool are_light>
struct LogTerms {
    using Reg = typename Doubles::Reg;

    static Reg term(Reg part, Reg all) {
        const Reg one = Doubles::broadcast(1);
        return Doubles::mul(
            part, log_ratio<Doubles, are_light>(Doubles::max(all, one), Doubles::max(part, one)));
    }
    static Reg finished(Reg terms, Reg /*all*/) { return terms; }
};

// A leaf, from its weight and then the weights of all of its classes but one.
template <class Doubles, class Terms>
class ImpureLeaf {
  public:
    using Reg = typename Doubles::Reg;

    explicit ImpureLeaf(Reg weight)
        : all_(weight),
          rest_(weight),
          heaviest_(Doubles::broadcast(0)),
          terms_(Doubles::broadcast(0)) {}

    void add(Reg part) {
        rest_ = Doubles::sub(rest_, part);
        see(part);
    }

    // The last class is the rest. - unit x impurity, rounded up, - per_error x misclassified
    // weight.
    Reg value(double unit, double per_error) {
        const Reg impurity = total_impurity();
        return Doubles::sub(Doubles::rounded_up(Doubles::mul(impurity, Doubles::broadcast(-unit))),
                            Doubles::mul(errors(), Doubles::broadcast(per_error)));
    }

    // The same without rounding, as a cost.
    Reg unrounded(double unit, double per_error) {
        const Reg impurity = total_impurity();
        return Doubles::add(Doubles::mul(impurity, Doubles::broadcast(unit)),
                            Doubles::mul(errors(), Doubles::broadcast(per_error)));
    }

  private:
    Reg total_impurity() {
        see(rest_);
        return Terms::finished(terms_, all_);
    }
    Reg errors() const { return Doubles::sub(all_, heaviest_); }
    void see(Reg part) {
        heaviest_ = Doubles::max(heaviest_, part);
        terms_ = Doubles::add(terms_, Terms::term(part, all_));
    }

    Reg all_;
    Reg rest_;  // the weight of the classes that have not been added
    Reg heaviest_;
    Reg terms_;
};

}  // namespace murtree::kernels
