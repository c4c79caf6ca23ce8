// Groups of rows with equal features, found by hashing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "data/aligned.hpp"
#include "data/rows.hpp"

namespace murtree {

template <class Word>
std::uint64_t hash_words(const Word* words, std::size_t n) {
    std::uint64_t hash = n;
    for (std::size_t k = 0; k < n; ++k) hash = mixed(hash ^ words[k]) + k;
    return hash;
}

// The rows of a table of bits, grouped: rows with equal bits together, or each row alone.
class RowGroups {
  public:
    RowGroups(const AlignedVector<std::uint32_t>& bits,
              std::size_t row_words,
              std::size_t n_rows,
              bool merge_rows)
        : row_words_(row_words), slots_(merge_rows ? std::bit_ceil(2 * n_rows + 1) : 0, -1) {
        std::vector<std::uint32_t> group_of(n_rows);
        for (std::uint32_t row = 0; row < n_rows; ++row)
            group_of[row] = merge_rows ? group_with_bits_of(bits, row) : row;
        starts_.assign((merge_rows ? first_rows_.size() : n_rows) + 1, 0);
        for (const std::uint32_t group : group_of) ++starts_[group + 1];
        for (std::size_t group = 1; group < starts_.size(); ++group)
            starts_[group] += starts_[group - 1];
        std::vector<std::uint32_t> next = starts_;
        rows_.resize(n_rows);
        for (std::uint32_t row = 0; row < n_rows; ++row) rows_[next[group_of[row]]++] = row;
    }

    std::size_t size() const { return starts_.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t group) const {
        return {rows_.data() + starts_[group], rows_.data() + starts_[group + 1]};
    }

  private:
    // Groups are numbered by their first row, and found by hashing.
    std::uint32_t group_with_bits_of(const AlignedVector<std::uint32_t>& bits, std::uint32_t row) {
        const std::uint32_t* words = bits.data() + row * row_words_;
        std::size_t slot = hash_words(words, row_words_) & (slots_.size() - 1);
        while (slots_[slot] >= 0) {
            const auto group = static_cast<std::uint32_t>(slots_[slot]);
            const std::uint32_t* other = bits.data() + first_rows_[group] * row_words_;
            if (std::equal(words, words + row_words_, other)) return group;
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = static_cast<std::int64_t>(first_rows_.size());
        first_rows_.push_back(row);
        return static_cast<std::uint32_t>(first_rows_.size() - 1);
    }

    std::size_t row_words_;
    std::vector<std::int64_t> slots_;
    std::vector<std::uint32_t> first_rows_;
    std::vector<std::uint32_t> starts_;  // of each group in rows_
    std::vector<std::uint32_t> rows_;
};

}  // namespace murtree
