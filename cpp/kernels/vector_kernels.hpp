// The kernels of kernels.hpp over a vector type V, shared by AVX2 and AVX-512. V provides the lane
// type, the number of lanes, a time and the operations named below; each including file defines its
// own V, and append_rows().
//
// Everything is in an unnamed namespace and does not call the standard library: a function shared
// with another file could be linked into code that runs on older processors.
//
// Phase two assigns one root feature to each lane and iterates over the child features i. For two
// classes the signed counts make it cheap: with S = S11 + S10 fixed, |S11| + |S10| = max(|S|, |2
// S11 - S|), so the best child of a root needs only the maximum and minimum of S11 over i, and no
// absolute value in the loop. Likewise S01 = S(i) - S11 on the other side.
#pragma once

#include "kernels/kernels.hpp"
#include "kernels/similarity_bounds.hpp"
#include "kernels/sized_phase_two.hpp"
#include "kernels/strip_phase_two.hpp"

namespace murtree::kernels {
namespace {

// Appends first + b for every set bit b of a 16-bit mask; may write 16 numbers regardless of their
// count.
std::uint32_t* append_rows(std::uint32_t* next, std::uint32_t first, std::uint32_t bits16);

template <class V>
struct VectorKernels {
    using Lane = typename V::Lane;
    using Reg = typename V::Reg;
    using Words = kernels::Word<Lane>;
    using Splats = kernels::Splat<Lane>;
    static constexpr std::size_t lanes = V::lanes;
    static constexpr std::size_t bits = rows_per_word<Lane>;

    static void pack(const RowBits& rows, Words* words, Splats* splats) {
        const std::size_t stride = rows.row_words * feature_block;
        for (std::size_t first = 0; first < rows.n_rows; first += bits) {
            const std::size_t n = rows.n_rows - first < bits ? rows.n_rows - first : bits;
            for (std::size_t j = 0; j < stride; j += lanes) {
                Reg word = V::zero();
                for (std::size_t b = 0; b < n; ++b)
                    word = V::set_bit(word, rows[first + b][j / 32] >> (j % 32), b);
                V::store(words + j, word);
                V::store_splats(splats + j, word);
            }
            words += stride;
            splats += stride;
        }
    }

    static std::size_t list_rows(const Column<Lane>& column,
                                 bool with,
                                 std::uint32_t* row_numbers) {
        std::uint32_t* next = row_numbers;
        for (std::size_t w = 0; w < column.n_words; ++w) {
            const Words word = column.words[w * column.stride];
            const auto wanted = static_cast<std::uint32_t>(with ? word : ~word & column.valid[w]);
            for (std::uint32_t b = 0; b < bits; b += 16)
                next = append_rows(next, column.first_rows[w] + b, wanted >> b & 0xFFFFu);
        }
        return static_cast<std::size_t>(next - row_numbers);
    }

    static void count_singles(const PackedRows<Lane>& rows, Lane* counts) {
        const Words* words = rows.words;
        for (std::size_t s = 0; s < rows.n_segments; ++s) {
            const Segment& segment = rows.segments[s];
            for (std::size_t j = 0; j < rows.stride; j += lanes) {
                Reg sum = V::zero();
                for (std::size_t w = 0; w < segment.n_words; ++w)
                    sum = V::add(sum, V::popcount(V::load(words + w * rows.stride + j)));
                Lane* column = counts + segment.column * rows.stride + j;
                V::store(column, accumulate(V::load(column), sum, segment));
            }
            words += segment.n_words * rows.stride;
        }
    }

    static void count_pairs(const PackedRows<Lane>& rows,
                            std::size_t n_counts,
                            const PairBlock& block,
                            Lane* counts,
                            bool add) {
        const std::size_t stride = rows.stride;
        for (std::size_t j = block.from; j < stride; j += lanes)
            for (std::size_t i = block.first; i < block.last; i += 4) {
                Cursor cursor(rows, i, j);
                for (std::size_t column = 0; column < n_counts; ++column) {
                    Reg pairs[4];
                    count_column<4>(cursor, stride, column, pairs);
                    for (std::size_t a = 0; a < 4; ++a) {
                        Lane* const to = counts + column * block.matrix_size +
                                         (i - block.first + a) * stride + j;
                        V::store(to, add ? V::add(V::load(to), pairs[a]) : pairs[a]);
                    }
                }
            }
    }

    static void two_class(const PhaseTwo<Lane>& task) {
        if (task.rows.n_segments == 0 && task.own.right == nullptr)
            two_class_counted(task);
        else if (task.own.right != nullptr && task.sibling.right != nullptr)
            two_class_sides<true, true>(task);
        else if (task.own.right != nullptr)
            two_class_sides<true, false>(task);
        else
            two_class_sides<false, true>(task);
    }

    static void multi_class(const PhaseTwo<Lane>& task) {
        if (task.own.right != nullptr && task.sibling.right != nullptr)
            multi_class_sides<true, true>(task);
        else if (task.own.right != nullptr)
            multi_class_sides<true, false>(task);
        else
            multi_class_sides<false, true>(task);
    }

  private:
    // Position in the counting of one block of features: the segments are sorted by column.
    struct Cursor {
        const Words* words;
        const Splats* splats;
        const Segment* segment;
        const Segment* last;

        Cursor(const PackedRows<Lane>& rows, std::size_t i, std::size_t j)
            : words(rows.words + j),
              splats(rows.splats + i),
              segment(rows.segments),
              last(rows.segments + rows.n_segments) {}
    };

    static Reg accumulate(Reg total, Reg sum, const Segment& segment) {
        if (segment.shift != 0) sum = V::shift_left(sum, segment.shift);
        if (segment.sign == 0) return total;
        return segment.sign > 0 ? V::add(total, sum) : V::sub(total, sum);
    }

    // Signed pair counts of N features (the splats) with one vector of features (the words), over
    // the segments of one column; advances the cursor to the next column.
    template <std::size_t N>
    static void count_column(Cursor& cursor,
                             std::size_t stride,
                             std::size_t column,
                             Reg (&pairs)[N]) {
        for (std::size_t a = 0; a < N; ++a) pairs[a] = V::zero();
        for (; cursor.segment != cursor.last && cursor.segment->column == column;
             ++cursor.segment) {
            Reg sum[N];
            for (std::size_t a = 0; a < N; ++a) sum[a] = V::zero();
            for (std::size_t w = 0; w < cursor.segment->n_words; ++w) {
                const Reg word = V::load(cursor.words);
                for (std::size_t a = 0; a < N; ++a)
                    sum[a] = V::add(
                        sum[a],
                        V::popcount(V::bit_and(word, V::broadcast_splat(cursor.splats + a))));
                cursor.words += stride;
                cursor.splats += stride;
            }
            for (std::size_t a = 0; a < N; ++a)
                pairs[a] = accumulate(pairs[a], sum[a], *cursor.segment);
        }
    }

    // Maximum and minimum of S11 and S01 over the child features so far. Zero represents a child
    // that does not split: it gives |S|, the leaf.
    struct Extremes {
        Reg high11 = V::zero(), low11 = V::zero(), high01 = V::zero(), low01 = V::zero();

        void update(Reg both, Reg single_i) {
            const Reg only_i = V::sub(single_i, both);
            high11 = V::max(high11, both);
            low11 = V::min(low11, both);
            high01 = V::max(high01, only_i);
            low01 = V::min(low01, only_i);
        }

        void write(const Side<Lane>& side, std::size_t j) const {
            const Reg with = V::load(side.singles + j);
            const Reg without = V::sub(V::broadcast(side.totals[0]), with);
            V::store(side.right + j, widest(high11, low11, with));
            V::store(side.left + j, widest(high01, low01, without));
        }

        static Reg widest(Reg high, Reg low, Reg sum) {
            return V::max(V::sub(V::add(high, high), sum), V::sub(sum, V::add(low, low)));
        }
    };

    template <bool Own, bool Sibling>
    static void two_class_sides(const PhaseTwo<Lane>& task) {
        const PackedRows<Lane>& rows = task.rows;
        const std::size_t stride = rows.stride;
        for (std::size_t j = 0; j < stride; j += lanes) {
            Extremes own;
            Extremes sibling;
            for (std::size_t i = 0; i < rows.n_features; i += 4) {
                Cursor cursor(rows, i, j);
                Reg pairs[4];
                count_column<4>(cursor, stride, 0, pairs);
                for (std::size_t a = 0; a < 4; ++a) {
                    if constexpr (Own) own.update(pairs[a], V::broadcast(task.own.singles[i + a]));
                    if constexpr (Sibling) {
                        const Reg parent = V::load(task.parent + (i + a) * stride + j);
                        sibling.update(V::sub(parent, pairs[a]),
                                       V::broadcast(task.sibling.singles[i + a]));
                    }
                }
            }
            if constexpr (Own) own.write(task.own, j);
            if constexpr (Sibling) sibling.write(task.sibling, j);
        }
    }

    // Without rows the sibling's counts are those of the parent. A large table of counts does not
    // fit the cache, so several vectors are processed at a time to read longer contiguous pieces.
    static void two_class_counted(const PhaseTwo<Lane>& task) {
        constexpr std::size_t n = sizeof(Reg) == 64 ? 4 : 2;  // limited by the number of registers
        std::size_t j = 0;
        for (; j + n * lanes <= task.rows.stride; j += n * lanes) two_class_roots<n>(task, j);
        for (; j < task.rows.stride; j += lanes) two_class_roots<1>(task, j);
    }

    template <std::size_t N>
    static void two_class_roots(const PhaseTwo<Lane>& task, std::size_t j) {
        const std::size_t stride = task.rows.stride;
        Extremes extremes[N];
        for (std::size_t i = 0; i < task.rows.n_features; ++i) {
            const Lane* const counts = task.parent + i * stride + j;
            const Reg single = V::broadcast(task.sibling.singles[i]);
            for (std::size_t a = 0; a < N; ++a)
                extremes[a].update(V::load(counts + a * lanes), single);
        }
        for (std::size_t a = 0; a < N; ++a) extremes[a].write(task.sibling, j + a * lanes);
    }

    // The weight of the heaviest class in each of the four leaves of a root and one child, updated
    // class by class.
    struct Leaves {
        Reg best11 = V::zero(), best10 = V::zero(), best01 = V::zero(), best00 = V::zero();

        void update(Reg both,
                    const Side<Lane>& side,
                    std::size_t k,
                    std::size_t stride,
                    std::size_t i,
                    std::size_t j) {
            const Lane* singles = side.singles + k * stride;
            const Reg single_i = V::broadcast(singles[i]);
            const Reg only_j = V::sub(V::load(singles + j), both);
            const Reg without_i = V::sub(V::broadcast(side.totals[k]), single_i);
            best11 = V::max(best11, both);
            best10 = V::max(best10, only_j);
            best01 = V::max(best01, V::sub(single_i, both));
            best00 = V::max(best00, V::sub(without_i, only_j));
        }

        void update(Reg& right, Reg& left) const {
            right = V::max(right, V::add(best11, best10));
            left = V::max(left, V::add(best01, best00));
        }
    };

    template <bool Own, bool Sibling>
    static void multi_class_sides(const PhaseTwo<Lane>& task) {
        const PackedRows<Lane>& rows = task.rows;
        const std::size_t stride = rows.stride;
        for (std::size_t j = 0; j < stride; j += lanes) {
            Reg right[2] = {V::zero(), V::zero()};
            Reg left[2] = {V::zero(), V::zero()};
            for (std::size_t i = 0; i < rows.n_features; i += 2) {
                Cursor cursor(rows, i, j);
                Leaves own[2];
                Leaves sibling[2];
                for (std::size_t k = 0; k < task.n_counts; ++k) {
                    Reg pairs[2];
                    count_column<2>(cursor, stride, k, pairs);
                    for (std::size_t a = 0; a < 2; ++a) {
                        if constexpr (Own) own[a].update(pairs[a], task.own, k, stride, i + a, j);
                        if constexpr (Sibling) {
                            const Reg parent =
                                V::load(task.parent + (k * stride + i + a) * stride + j);
                            sibling[a].update(
                                V::sub(parent, pairs[a]), task.sibling, k, stride, i + a, j);
                        }
                    }
                }
                for (std::size_t a = 0; a < 2; ++a) {
                    if constexpr (Own) own[a].update(right[0], left[0]);
                    if constexpr (Sibling) sibling[a].update(right[1], left[1]);
                }
            }
            if constexpr (Own) {
                V::store(task.own.right + j, right[0]);
                V::store(task.own.left + j, left[0]);
            }
            if constexpr (Sibling) {
                V::store(task.sibling.right + j, right[1]);
                V::store(task.sibling.left + j, left[1]);
            }
        }
    }
};

template <class V>
constexpr LaneKernels<typename V::Lane> vector_kernels() {
    using K = VectorKernels<V>;
    return {V::pair_picoseconds,
            K::pack,
            K::list_rows,
            K::count_singles,
            K::count_pairs,
            K::two_class,
            K::multi_class,
            sized_two_class<typename V::Lane>,
            sized_multi_class<typename V::Lane>,
            strip_two_class<typename V::Lane>,
            strip_multi_class<typename V::Lane>,
            similarity_bounds<typename V::Lane>,
            raise_bounds<typename V::Lane>};
}

}  // namespace
}  // namespace murtree::kernels
