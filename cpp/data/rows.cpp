#include "data/rows.hpp"

#include <algorithm>
#include <bit>

namespace murtree {
namespace {

using kernels::feature_block;

void select_segments(const Rows& from, std::span<const std::uint32_t> row_numbers, Rows& to) {
    to.segments.clear();
    std::uint32_t end = 0;
    const std::uint32_t* next = row_numbers.data();
    const std::uint32_t* const last = next + row_numbers.size();
    for (RowSegment segment : from.segments) {
        end += segment.n_rows;
        const std::uint32_t* const beyond = std::lower_bound(next, last, end);
        segment.n_rows = static_cast<std::uint32_t>(beyond - next);
        if (segment.n_rows > 0) to.segments.push_back(segment);
        next = beyond;
    }
}

// A bitmask in which bit j is set if feature j takes both values among the rows.
std::vector<std::uint32_t> varying_columns(const Rows& from,
                                           std::span<const std::uint32_t> row_numbers) {
    std::vector<std::uint32_t> mask(from.row_words);
    for (std::size_t k = 0; k < from.row_words; ++k) {
        std::uint32_t some = 0;
        std::uint32_t all = ~0u;
        for (const std::uint32_t row : row_numbers) {
            const std::uint32_t bits = from.bits[row * from.row_words + k];
            some |= bits;
            all &= bits;
        }
        mask[k] = some & ~all;
    }
    return mask;
}

// The size of this kind that a row contributes; 0 for rows of other kinds.
std::int64_t size_of(const Rows& rows,
                     const RowSegment& segment,
                     std::size_t row,
                     std::size_t kind) {
    if (rows.n_values > 0)
        return static_cast<std::int64_t>(rows.values[row * rows.n_values + rows.first_size + kind]);
    const bool counts = segment.is_size() && segment.size_kind() == kind;
    return counts ? std::int64_t{1} << segment.shift : 0;
}

// Clears the bits of the features that leave less than the minimum of this kind of size on one
// side.
void drop_uneven_columns(const Rows& rows,
                         std::span<const std::uint32_t> row_numbers,
                         const LeastSizes& least,
                         std::size_t kind,
                         std::vector<std::uint32_t>& mask) {
    std::vector<std::int64_t> sizes(rows.stride(), 0);
    std::int64_t size = 0;
    std::uint32_t end = 0;
    auto next = row_numbers.begin();
    for (const RowSegment& segment : rows.segments) {
        end += segment.n_rows;
        for (; next != row_numbers.end() && *next < end; ++next) {
            const std::int64_t weight = size_of(rows, segment, *next, kind);
            if (weight == 0) continue;
            size += weight;
            rows.for_each_feature(*next, [&](std::size_t feature) { sizes[feature] += weight; });
        }
    }
    for (std::size_t j = 0; j < sizes.size(); ++j)
        if (!least.allow(kind, sizes[j], size))
            mask[j / feature_block] &= ~(1u << j % feature_block);
}

void select_features(const Rows& from, const std::vector<std::uint32_t>& mask, Rows& to) {
    to.features.clear();
    to.positions.clear();
    for (std::size_t k = 0; k < mask.size(); ++k)
        for (std::uint32_t rest = mask[k]; rest != 0; rest &= rest - 1) {
            const std::size_t position =
                k * feature_block + static_cast<std::size_t>(std::countr_zero(rest));
            to.features.push_back(from.features[position]);
            to.positions.push_back(static_cast<std::uint32_t>(position));
        }
    to.n_features = to.features.size();
    to.row_words = (to.n_features + feature_block - 1) / feature_block;
}

}  // namespace

std::uint64_t mixed(std::uint64_t x) {  // the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

void select_rows(const Rows& from,
                 std::span<const std::uint32_t> row_numbers,
                 Rows& to,
                 const LeastSizes& least) {
    select_segments(from, row_numbers, to);
    std::vector<std::uint32_t> mask = varying_columns(from, row_numbers);
    for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
        if (least.of[kind] > 0) drop_uneven_columns(from, row_numbers, least, kind, mask);
    select_features(from, mask, to);
    to.keys.resize(row_numbers.size());
    to.bits.resize(row_numbers.size() * to.row_words + 1);
    for (std::size_t r = 0; r < row_numbers.size(); ++r) to.keys[r] = from.keys[row_numbers[r]];
    to.n_values = from.n_values;
    to.first_size = from.first_size;
    to.values.clear();
    if (from.n_values > 0)
        for (const std::uint32_t row : row_numbers) {
            const double* const own = from.values.data() + row * from.n_values;
            to.values.insert(to.values.end(), own, own + from.n_values);
        }
    kernels::active()->compress(
        {from.bits.data(), from.row_words, row_numbers.data(), row_numbers.size()},
        mask.data(),
        to.bits.data(),
        to.row_words);
}

}  // namespace murtree
