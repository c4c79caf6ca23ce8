// The similarity bound for the parts of a node from one another; search/root_bounds.hpp has the
// proof, and the bounds by root. Plain loops that compilers vectorise for the instruction set of
// the including file. In an unnamed namespace and without the standard library for the reason given
// in sized_phase_two.hpp.
#pragma once

#include "kernels/kernels.hpp"

namespace murtree::kernels {
namespace {

template <class Lane>
PartBounds<Lane> similarity_bounds(const SimilarParts<Lane>& parts) {
    using Bound = Cost<Lane>;
    const Bound* const without = parts.lower_without;
    const Bound* const with = parts.lower_with;
    const Lane* const weight_with = parts.weight_with;
    const Lane* const both = parts.weight_with_both;
    const Bound price = parts.price;
    const Bound of_g = parts.weight_with_g;
    const Bound neither = parts.weight - of_g;
    Bound best_without = 0;
    Bound best_with = 0;
    for (std::size_t f = 0; f < parts.n_features; ++f) {
        const Bound common = both[f];
        const Bound only_f = weight_with[f] - common;
        const Bound to_without = with[f] - price * common;
        const Bound from_without = without[f] - price * (of_g - common);
        const Bound to_with = with[f] - price * only_f;
        const Bound from_with = without[f] - price * (neither - only_f);
        const Bound first = to_without < from_without ? from_without : to_without;
        const Bound second = to_with < from_with ? from_with : to_with;
        best_without = best_without < first ? first : best_without;
        best_with = best_with < second ? second : best_with;
    }
    return {best_without, best_with};
}

template <class Lane>
void raise_bounds(Cost<Lane>* bounds, const Cost<Lane>* others, Cost<Lane> lost, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
        const Cost<Lane> other = others[k] - lost;
        bounds[k] = bounds[k] < other ? other : bounds[k];
    }
}

}  // namespace
}  // namespace murtree::kernels
