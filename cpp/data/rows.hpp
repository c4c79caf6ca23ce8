// A set of rows as the search sees it: the bits of the remaining features, row by row, in segments
// whose rows share one class and one weight. Also the 128-bit fingerprint by which the cache
// identifies a set of rows.
//
// If leaves have a minimum size, there are also size rows: rows without a class, whose weights are
// the number, or the total weight, of the original rows with these features. The rows with a class
// do not contain this information, since equal rows are merged and opposite ones cancel.
//
// Rows of a summed problem have no classes: they form one segment and carry values, the last of
// which are their sizes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "data/aligned.hpp"
#include "objectives/leaf_sizes.hpp"

namespace murtree {

using kernels::Fingerprint;  // the XOR of the keys of a set of rows: see Keys

// A well-mixed hash of a number, for uses where collisions are harmless.
std::uint64_t mixed(std::uint64_t number);

struct RowSegment {
    static constexpr std::uint16_t first_size = 0x10000 - n_size_kinds;

    std::uint32_t n_rows;
    std::uint16_t shift;  // every row of the segment weighs 2^shift
    std::uint16_t label;  // class; first_size + kind: size rows
    bool attainable;      // see Dataset: whether the weight counts as attainable

    bool is_size() const { return label >= first_size; }
    std::size_t size_kind() const { return static_cast<std::size_t>(label - first_size); }
};

struct Rows {
    std::size_t n_features = 0;
    std::size_t row_words = 0;  // 32-bit words per row: n_features rounded up to a multiple of 32
    std::vector<std::uint32_t> features;   // n_features: the dataset column of each
    std::vector<std::uint32_t> positions;  // n_features: the index of each in the source rows
    AlignedVector<std::uint32_t> bits;     // n_rows x row_words, plus one padding word
    std::vector<Fingerprint> keys;         // n_rows; see Keys
    std::vector<RowSegment> segments;  // in the order of the rows; classes ascend, size rows last
    std::size_t n_values = 0;          // per row of a summed problem; 0: rows are counted
    std::vector<double> values;        // n_rows x n_values
    std::size_t first_size = 0;        // index of the first size in the values, by kind

    std::size_t n_rows() const { return keys.size(); }
    Fingerprint fingerprint() const {
        Fingerprint all;
        for (const Fingerprint& key : keys) all ^= key;
        return all;
    }
    std::size_t stride() const { return row_words * kernels::feature_block; }
    std::size_t value(std::size_t row, std::size_t feature) const {
        return bits[row * row_words + feature / 32] >> feature % 32 & 1u;
    }
    // Calls the action with the index of each feature of a row, in ascending order.
    template <class Action>
    void for_each_feature(std::size_t row, Action action) const {
        for (std::size_t k = 0; k < row_words; ++k)
            for (std::uint32_t rest = bits[row * row_words + k]; rest != 0; rest &= rest - 1)
                action(k * kernels::feature_block +
                       static_cast<std::size_t>(std::countr_zero(rest)));
    }
};

// Selects the rows of `from` with these numbers (ascending). Drops columns that are constant among
// them or, given minimum leaf sizes (which need size rows), too uneven to split them or any part of
// them.
void select_rows(const Rows& from,
                 std::span<const std::uint32_t> row_numbers,
                 Rows& to,
                 const LeastSizes& least = {});

}  // namespace murtree
