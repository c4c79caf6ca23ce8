// The reference kernels: plain, readable loops. The vector variants must return the same numbers,
// and use the 64-bit lanes of this file.
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/kernels.hpp"
#include "kernels/scalar_doubles.hpp"
#include "kernels/similarity_bounds.hpp"
#include "kernels/sized_phase_two.hpp"
#include "kernels/strip_phase_two.hpp"
#include "kernels/sum_phase_two.hpp"

namespace murtree::kernels {
namespace {

template <class Lane>
Splat<Lane> splat(Word<Lane> word) {
    if constexpr (sizeof(Lane) == 2)
        return static_cast<std::uint32_t>(word) * 0x10001u;
    else
        return word;
}

template <class Lane>
void pack(const RowBits& rows, Word<Lane>* words, Splat<Lane>* splats) {
    const std::size_t stride = rows.row_words * feature_block;
    const std::size_t n_words = (rows.n_rows + rows_per_word<Lane> - 1) / rows_per_word<Lane>;
    for (std::size_t k = 0; k < n_words * stride; ++k) words[k] = 0;
    for (std::size_t r = 0; r < rows.n_rows; ++r) {
        Word<Lane>* word = words + r / rows_per_word<Lane> * stride;
        for (std::size_t block = 0; block < rows.row_words; ++block)
            for (std::uint32_t rest = rows[r][block]; rest != 0; rest &= rest - 1) {
                const auto j =
                    block * feature_block + static_cast<std::size_t>(std::countr_zero(rest));
                word[j] =
                    static_cast<Word<Lane>>(word[j] | Word<Lane>{1} << r % rows_per_word<Lane>);
            }
    }
    for (std::size_t k = 0; k < n_words * stride; ++k) splats[k] = splat<Lane>(words[k]);
}

template <class Lane>
std::size_t list_rows(const Column<Lane>& column, bool with, std::uint32_t* row_numbers) {
    std::size_t n = 0;
    for (std::size_t w = 0; w < column.n_words; ++w) {
        const Word<Lane> word = column.words[w * column.stride];
        Word<Lane> rest = with ? word : static_cast<Word<Lane>>(~word & column.valid[w]);
        for (; rest != 0; rest = static_cast<Word<Lane>>(rest & (rest - 1)))
            row_numbers[n++] =
                column.first_rows[w] + static_cast<std::uint32_t>(std::countr_zero(rest));
    }
    return n;
}

// Number of ones, by sums of increasingly wide fields. Not std::popcount: without a hardware
// instruction that is a function call, while compilers can vectorise this.
template <class Word>
Word count_ones(Word x) {
    constexpr auto all = static_cast<Word>(~Word{0});
    constexpr auto pairs = static_cast<Word>(all / 3);    // 01 01 …
    constexpr auto nibbles = static_cast<Word>(all / 5);  // 0011 0011 …
    constexpr auto bytes = static_cast<Word>(all / 17);   // 00001111 …
    x = static_cast<Word>(x - (x >> 1 & pairs));
    x = static_cast<Word>((x & nibbles) + (x >> 2 & nibbles));
    x = static_cast<Word>((x + (x >> 4)) & bytes);
    for (unsigned width = 8; width < 8 * sizeof(Word); width *= 2)
        x = static_cast<Word>(x + (x >> width));
    return static_cast<Word>(x & 0x7F);
}

// counts[j] += signed, shifted number of a segment's rows with feature j and, unless i is `none`,
// feature i. Arithmetic is modulo the lane, so that unsigned lanes can use all bits.
constexpr std::size_t none = ~std::size_t{0};

template <class Lane>
void count_segment(const Word<Lane>* words,
                   const Segment& segment,
                   std::size_t stride,
                   std::size_t i,
                   std::size_t from,
                   Lane* counts) {
    if (segment.sign == 0) return;
    for (std::size_t first = from; first < stride; first += feature_block) {
        Word<Lane> sums[feature_block] = {};
        for (std::size_t w = 0; w < segment.n_words; ++w) {
            const Word<Lane>* word = words + w * stride;
            const auto mask = i == none ? static_cast<Word<Lane>>(~Word<Lane>{0}) : word[i];
            for (std::size_t j = 0; j < feature_block; ++j)
                sums[j] = static_cast<Word<Lane>>(
                    sums[j] + count_ones(static_cast<Word<Lane>>(word[first + j] & mask)));
        }
        for (std::size_t j = 0; j < feature_block; ++j) {
            const auto weight = static_cast<Word<Lane>>(sums[j] << segment.shift);
            const auto count = static_cast<Word<Lane>>(counts[first + j]);
            counts[first + j] =
                static_cast<Lane>(segment.sign < 0 ? count - weight : count + weight);
        }
    }
}

template <class Lane>
void count_singles(const PackedRows<Lane>& rows, Lane* counts) {
    const Word<Lane>* words = rows.words;
    for (std::size_t s = 0; s < rows.n_segments; ++s) {
        const Segment& segment = rows.segments[s];
        count_segment(words, segment, rows.stride, none, 0, counts + segment.column * rows.stride);
        words += segment.n_words * rows.stride;
    }
}

template <class Lane>
void count_pairs(const PackedRows<Lane>& rows,
                 std::size_t n_counts,
                 const PairBlock& block,
                 Lane* counts,
                 bool add) {
    const std::size_t stride = rows.stride;
    const std::size_t n_rows = block.last - block.first;
    for (std::size_t column = 0; column < n_counts && !add; ++column)
        for (std::size_t k = 0; k < n_rows * stride; ++k)
            counts[column * block.matrix_size + k] = 0;
    const Word<Lane>* words = rows.words;
    for (std::size_t s = 0; s < rows.n_segments; ++s) {
        const Segment& segment = rows.segments[s];
        Lane* const matrix = counts + segment.column * block.matrix_size;
        for (std::size_t i = 0; i < n_rows && block.first + i < rows.n_features; ++i)
            count_segment(words, segment, stride, block.first + i, block.from, matrix + i * stride);
        words += segment.n_words * stride;
    }
}

// Counts the pairs of the task's own rows and, by subtraction, of the sibling, then runs phase two
// from these counts.
template <class Lane>
void phase_two(const PhaseTwo<Lane>& task, void (*from_counts)(const SizedPhaseTwo<Lane>&)) {
    const std::size_t stride = task.rows.stride;
    std::vector<Lane> pairs(task.n_counts * stride * stride);
    count_pairs<Lane>(task.rows, task.n_counts, PairBlock::whole(stride), pairs.data(), false);
    const auto solve = [&](const Side<Lane>& side) {
        from_counts({pairs.data(), task.n_counts, task.rows.n_features, stride, side, 0, nullptr});
    };
    if (task.own.right != nullptr) solve(task.own);
    if (task.sibling.right == nullptr) return;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        pairs[k] = static_cast<Lane>(task.parent[k] - pairs[k]);
    solve(task.sibling);
}

template <class Lane>
void two_class(const PhaseTwo<Lane>& task) {
    phase_two(task, sized_two_class<Lane>);
}

template <class Lane>
void multi_class(const PhaseTwo<Lane>& task) {
    phase_two(task, sized_multi_class<Lane>);
}

void compress(const RowBits& rows,
              const std::uint32_t* mask,
              std::uint32_t* out,
              std::size_t out_words) {
    for (std::size_t r = 0; r < rows.n_rows; ++r) {
        const std::uint32_t* bits = rows[r];
        std::size_t position = 0;
        for (std::size_t k = 0; k < out_words; ++k) out[k] = 0;
        for (std::size_t k = 0; k < rows.row_words; ++k)
            for (std::uint32_t rest = mask[k]; rest != 0; rest &= rest - 1, ++position) {
                const std::uint32_t bit = bits[k] >> std::countr_zero(rest) & 1u;
                out[position / 32] |= bit << position % 32;
            }
        out += out_words;
    }
}

// For each feature that a row has besides i.
void sum_pairs(const SummedRows& rows, std::size_t first, std::size_t last, double* sums) {
    for (std::size_t c = 0; c < rows.n_columns; ++c)
        for (std::size_t i = first; i < last; ++i) {
            const auto row_of = [&](std::size_t feature) {
                return sums + c * rows.matrix_size + (feature - rows.first_row) * rows.stride;
            };
            double* const of_i = row_of(i);
            const std::size_t* const starts = rows.starts + (i - rows.first_row);
            const std::size_t first_block = i / feature_block;
            const double* const before =
                rows.before[i] == SummedRows::none ? nullptr : row_of(rows.before[i]);
            for (std::size_t j = first_block * feature_block; j < rows.stride; ++j)
                of_i[j] = before == nullptr ? 0 : before[j];
            for (std::size_t k = starts[0]; k < starts[1]; ++k) {
                const std::size_t row = rows.rows[k];
                const double value = rows.values[row * rows.n_columns + c];
                for (std::size_t block = first_block; block < rows.row_words; ++block)
                    for (std::uint32_t rest = rows.bits[row * rows.row_words + block]; rest != 0;
                         rest &= rest - 1)
                        of_i[block * feature_block +
                             static_cast<std::size_t>(std::countr_zero(rest))] += value;
            }
        }
}

template <class Lane>
constexpr LaneKernels<Lane> kernels_for() {
    return {sizeof(Lane) == 2 ? 300 : 1800,
            pack<Lane>,
            list_rows<Lane>,
            count_singles<Lane>,
            count_pairs<Lane>,
            two_class<Lane>,
            multi_class<Lane>,
            sized_two_class<Lane>,
            sized_multi_class<Lane>,
            strip_two_class<Lane>,
            strip_multi_class<Lane>,
            similarity_bounds<Lane>,
            raise_bounds<Lane>};
}

}  // namespace

void plain_fingerprints(const std::uint32_t* row_bits,
                        std::size_t row_words,
                        std::size_t n_rows,
                        const Fingerprint* keys,
                        Fingerprint* by_feature) {
    for (std::size_t j = 0; j < row_words * feature_block; ++j) by_feature[j] = {};
    for (std::size_t r = 0; r < n_rows; ++r)
        for (std::size_t block = 0; block < row_words; ++block)
            for (std::uint32_t rest = row_bits[r * row_words + block]; rest != 0; rest &= rest - 1)
                by_feature[block * feature_block +
                           static_cast<std::size_t>(std::countr_zero(rest))] ^= keys[r];
}

extern const LaneKernels<std::int64_t> lane64 = kernels_for<std::int64_t>();

extern const Table portable{"portable",
                            kernels_for<std::int16_t>(),
                            kernels_for<std::int32_t>(),
                            plain_fingerprints,
                            compress,
                            {sum_pairs, sum_phase_two<ScalarDoubles>},
                            stumps_portable};

}  // namespace murtree::kernels
