// The kernels of class_kernels.hpp over two vector types of unsigned 16-bit numbers: V has one for
// each word of a group, W one for each row of a word. Each including file defines its own.
//
// Let P_c be the rows of class c on one side before a threshold, and R_c those behind it. The
// leaves agree with max P_c + max R_c rows. Within a word P_c only grows and R_c only falls, so P_c
// at its end and R_c at its start bound all its thresholds. The values between the words are known
// at once; only words whose bound is higher than the best so far are scanned row by row.
//
// In a part, counts are relative to the class with the most rows. A class that is behind by more
// than the part has rows cannot catch up, so its count may be cut off.
//
// Everything is in an unnamed namespace: a function shared with another file could be linked into
// code that runs on older processors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/class_kernels.hpp"

namespace murtree::kernels {
namespace {

template <class V, class W>
struct ClassScan {
    using Reg = typename V::Reg;
    static constexpr std::size_t lanes = V::lanes;
    static constexpr std::int64_t most_first = rows_of_word * words_of_part;
    static constexpr std::int64_t most_rest = 2 * most_first - 2 * rows_of_word;

    // How the numbers of a part, left + right of a threshold, are made from agreements.
    struct Offsets {
        std::int64_t left;
        std::int64_t right;
    };

    static std::size_t part_end(std::size_t first, std::size_t n_words) {
        return first + words_of_part < n_words ? first + words_of_part : n_words;
    }

    static void mark(const std::uint8_t* classes,
                     const std::uint8_t* values,
                     std::size_t n_classes,
                     std::size_t n_words,
                     std::uint16_t* members,
                     std::uint16_t* before,
                     std::uint32_t* parts) {
        for (std::size_t word = 0; word < n_words; word += lanes)
            for (std::size_t c = 0; c < n_classes; ++c)
                V::mark_equal(classes + word * rows_of_word,
                              values[c],
                              members + word * n_classes + c * lanes);
        for (std::size_t c = 0; c < n_classes; ++c) parts[c] = 0;
        for (std::size_t first = 0; first < n_words; first += words_of_part, parts += n_classes)
            for (std::size_t c = 0; c < n_classes; ++c) {
                Reg count = V::zero();
                for (std::size_t word = first; word < part_end(first, n_words); word += lanes) {
                    const std::size_t at = word * n_classes + c * lanes;
                    const Reg one = V::popcounts(V::load(members + at));
                    const Reg to = V::add(V::prefix_sums(one), count);
                    V::store(before + at, V::subtract(to, one));
                    count = V::last(to);
                }
                parts[n_classes + c] = parts[c] + V::first_lane(count);
            }
    }

    static void mark_ends(const std::uint32_t* ranks, std::size_t n_words, std::uint16_t* ends) {
        for (std::size_t word = 0; word < n_words; ++word)
            ends[word] = W::differing(ranks + word * rows_of_word);
    }

    static Agreement scan(const ClassRows& rows,
                          const std::uint8_t* codes,
                          std::uint8_t first_right,
                          const ClassScratch& scratch) {
        Agreement best{0, 0};  // at first without any test
        const std::size_t n_parts = (rows.n_words + words_of_part - 1) / words_of_part;
        const std::uint32_t* const totals = rows.parts + n_parts * rows.n_classes;
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
            ClassState& state = scratch.states[c];
            state.left_before = 0;
            raise(best.left, state.left_total);
            raise(best.right, totals[c] - state.left_total);
        }
        for (std::size_t part = 0; part < n_parts; ++part) {
            const std::size_t first = part * words_of_part;
            const std::size_t last = part_end(first, rows.n_words);
            const Offsets offsets =
                start_part(rows, rows.parts + part * rows.n_classes, totals, scratch.states);
            Agreement known = bound_words(rows, codes, first_right, first, last, scratch);
            raise(known.left, best.left - offsets.left);
            raise(known.right, best.right - offsets.right);
            scan_words<true>(rows, first, last, scratch, known.left);
            scan_words<false>(rows, first, last, scratch, known.right);
            raise(best.left, known.left + offsets.left);
            raise(best.right, known.right + offsets.right);
        }
        return best;
    }

    static void raise(std::int64_t& value, std::int64_t other) {
        if (value < other) value = other;
    }

    static std::uint16_t cut_off(std::int64_t value) {
        return static_cast<std::uint16_t>(value < 0 ? 0 : value);
    }

    static Offsets start_part(const ClassRows& rows,
                              const std::uint32_t* before,
                              const std::uint32_t* totals,
                              ClassState* states) {
        std::int64_t left_first = 0, left_rest = 0, right_first = 0, right_rest = 0;
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
            const ClassState& state = states[c];
            raise(left_first, state.left_before);
            raise(left_rest, state.left_total - state.left_before);
            raise(right_first, before[c] - state.left_before);
            raise(right_rest, (totals[c] - state.left_total) - (before[c] - state.left_before));
        }
        const Offsets offsets{left_first - most_first + left_rest - most_rest,
                              right_first - most_first + right_rest - most_rest};
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
            ClassState& state = states[c];
            const std::int64_t left = state.left_before, right = before[c] - left;
            const std::int64_t all_left = state.left_total, all_right = totals[c] - all_left;
            state.left_first = cut_off(left - left_first + most_first);
            state.right_first = cut_off(right - right_first + most_first);
            state.left_last = static_cast<std::uint16_t>(
                state.left_first + cut_off(all_left - left - left_rest + most_rest));
            state.right_last = static_cast<std::uint16_t>(
                state.right_first + cut_off(all_right - right - right_rest + most_rest));
        }
        return offsets;
    }

    // Writes the bounds of all words of a part and the counts on the left before them; returns the
    // best values between words.
    static Agreement bound_words(const ClassRows& rows,
                                 const std::uint8_t* codes,
                                 std::uint8_t first_right,
                                 std::size_t first,
                                 std::size_t last,
                                 const ClassScratch& scratch) {
        const std::size_t n_classes = rows.n_classes;
        std::uint16_t* const running = scratch.counts + words_of_part * n_classes;
        for (std::size_t c = 0; c < n_classes; ++c)
            V::store(running + c * lanes, V::broadcast(scratch.states[c].left_first));
        for (std::size_t word = first; word < last; word += lanes)
            V::mark_below(codes + word * rows_of_word, first_right, scratch.lefts + (word - first));
        Reg left_best = V::zero(), right_best = V::zero();
        for (std::size_t word = first; word < last; word += lanes) {
            const Reg is_left = V::load(scratch.lefts + (word - first));
            const std::uint16_t* const members = rows.members + word * n_classes;
            const std::uint16_t* const before = rows.before + word * n_classes;
            std::uint16_t* const counts = scratch.counts + (word - first) * n_classes;
            Reg left_end = V::zero(), left_rest = V::zero();
            Reg right_start = V::zero(), right_rest = V::zero();
            for (std::size_t c = 0; c < n_classes; ++c) {
                const ClassState& state = scratch.states[c];
                const Reg here = V::popcounts(V::both(V::load(members + c * lanes), is_left));
                const Reg end = V::add(V::prefix_sums(here), V::load(running + c * lanes));
                V::store(running + c * lanes, V::last(end));
                const Reg left = V::subtract(end, here);
                V::store(counts + c * lanes, left);
                const Reg right = V::subtract(
                    V::add(V::load(before + c * lanes), V::broadcast(both_first(state))), left);
                left_end = V::max(left_end, end);
                left_rest =
                    V::max(left_rest, V::subtract_to_zero(V::broadcast(state.left_last), left));
                right_start = V::max(right_start, right);
                right_rest =
                    V::max(right_rest, V::subtract_to_zero(V::broadcast(state.right_last), right));
            }
            // The end of a word is the start of the next one. The next group is not known yet: the
            // last word gets the most that is possible as a bound, and no value.
            const Reg ends = V::load(rows.ends + word);
            const Reg right_end = V::next_lane(right_start);
            const Reg most = V::add(right_start, V::broadcast(rows_of_word));
            std::uint16_t* const bounds = scratch.bounds + 2 * (word - first);
            V::store(bounds, V::where_any(ends, V::add(left_end, left_rest)));
            V::store(bounds + lanes,
                     V::where_any(ends, V::add(V::max(right_end, V::keep_last(most)), right_rest)));
            left_best =
                V::max(left_best, V::where_top(ends, V::add(left_end, V::next_lane(left_rest))));
            right_best =
                V::max(right_best, V::where_top(ends, V::add(right_end, V::next_lane(right_rest))));
        }
        finish_part(n_classes, running, scratch.states);
        return {V::maximum(left_best), V::maximum(right_best)};
    }

    static std::uint16_t both_first(const ClassState& state) {
        return static_cast<std::uint16_t>(state.left_first + state.right_first);
    }

    static void finish_part(std::size_t n_classes,
                            const std::uint16_t* running,
                            ClassState* states) {
        for (std::size_t c = 0; c < n_classes; ++c)
            states[c].left_before +=
                static_cast<std::uint32_t>(running[c * lanes]) - states[c].left_first;
    }

    template <bool is_left>
    static void scan_words(const ClassRows& rows,
                           std::size_t first,
                           std::size_t last,
                           const ClassScratch& scratch,
                           std::int64_t& best) {
        if (best >= UINT16_MAX) return;  // from another part
        for (std::size_t word = first; word < last; word += lanes) {
            const std::uint16_t* const bounds =
                scratch.bounds + 2 * (word - first) + (is_left ? 0 : lanes);
            std::uint32_t open = V::above(V::load(bounds), static_cast<std::uint16_t>(best));
            for (; open != 0; open &= open - 1) {
                const auto lane = static_cast<std::size_t>(__builtin_ctz(open));
                if (bounds[lane] > best)
                    raise(best, scan_word<is_left>(rows, word, lane, first, scratch));
            }
        }
    }

    template <bool is_left>
    static std::int64_t scan_word(const ClassRows& rows,
                                  std::size_t word,
                                  std::size_t lane,
                                  std::size_t first,
                                  const ClassScratch& scratch) {
        const std::size_t n_classes = rows.n_classes;
        const std::uint16_t lefts = scratch.lefts[word - first + lane];
        const unsigned side = is_left ? lefts : static_cast<std::uint16_t>(~lefts);
        const std::uint16_t* const members = rows.members + word * n_classes + lane;
        const std::uint16_t* const before = rows.before + word * n_classes + lane;
        const std::uint16_t* const counts = scratch.counts + (word - first) * n_classes + lane;
        typename W::Reg most = W::zero(), most_left = W::zero();
        for (std::size_t c = 0; c < n_classes; ++c) {
            const ClassState& state = scratch.states[c];
            const std::uint16_t left = counts[c * lanes];
            const auto count = static_cast<std::uint16_t>(
                is_left ? left : before[c * lanes] + both_first(state) - left);
            const auto here = static_cast<std::uint16_t>(members[c * lanes] & side);
            const typename W::Reg sums = W::add(W::running_counts(here), W::broadcast(count));
            most = W::max(most, sums);
            most_left =
                W::max(most_left,
                       W::subtract_to_zero(
                           W::broadcast(is_left ? state.left_last : state.right_last), sums));
        }
        return W::maximum(W::where_bits(rows.ends[word + lane], W::add(most, most_left)));
    }

    static constexpr ClassKernels table() { return {lanes, mark, mark_ends, scan}; }
};

}  // namespace
}  // namespace murtree::kernels
