// Part of the rows, hard to fit: those on which a good tree makes errors, and as many of the others
// in the same leaves. A lower bound for some of the rows holds for all of them, and it is much
// quicker to raise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thresholds/labelled_tree.hpp"

namespace murtree::thresholds {

// About `n` rows, in increasing order.
std::vector<std::uint32_t> hard_rows(const LabelledTree& tree,
                                     std::span<const std::uint32_t> rows,
                                     std::size_t n);

}  // namespace murtree::thresholds
