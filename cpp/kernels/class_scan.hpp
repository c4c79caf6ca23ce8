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
        const std::size_t n_parts = (rows.n_words + words_of_part - 1) / words_of_part;
        const std::uint32_t* const totals = rows.parts + n_parts * rows.n_classes;
        for (std::size_t c = 0; c < rows.n_classes; ++c) {
            ClassState& state = scratch.states[c];
            state.left_before = 0;
            state.right_total = totals[c] - state.left_total;
        }
        const Largest left = largest<true>(rows.n_classes, scratch.states);
        const Largest right = largest<false>(rows.n_classes, scratch.states);
        const Agreement most{left.count, right.count};
        Agreement best = most;  // without any test
        for (std::size_t part = 0; part < n_parts; ++part) {
            const Part here{
                rows, part * words_of_part, part_end(part * words_of_part, rows.n_words)};
            const Offsets offsets =
                start_part(rows.n_classes, rows.parts + part * rows.n_classes, scratch.states);
            const auto take = [&](const Agreement& found) {  // 0: no threshold
                if (found.left > 0) raise(best.left, found.left + offsets.left);
                if (found.right > 0) raise(best.right, found.right + offsets.right);
            };
            for (std::size_t word = here.first; word < here.last; word += lanes)
                V::mark_below(
                    codes + word * rows_of_word, first_right, scratch.lefts + (word - here.first));
            // What is found with the two largest classes of each side makes most others irrelevant.
            const auto is_large = [&](std::size_t c) {
                return c == left.first || c == left.second || c == right.first || c == right.second;
            };
            const std::size_t n_large =
                choose(rows.n_classes, scratch, [&](std::size_t c, const ClassState&) {
                    return is_large(c);
                });
            take(bound_words<true>(here, n_large, scratch));
            const bool is_last = part + 1 == n_parts;
            const std::size_t n_others =
                choose(rows.n_classes, scratch, [&](std::size_t c, ClassState& state) {
                    state.is_left = state.left_total + most.left > best.left;
                    state.is_right = state.right_total + most.right > best.right;
                    return !is_large(c) && (!is_last || state.is_left || state.is_right);
                });
            if (n_others > 0) take(bound_words<false>(here, n_others, scratch));
            const std::size_t n_left =
                choose(rows.n_classes, scratch, [&](std::size_t, const ClassState& state) {
                    return state.left_total + most.left > best.left;
                });
            take({scan_words<true>(here, n_left, scratch, best.left - offsets.left), 0});
            const std::size_t n_right =
                choose(rows.n_classes, scratch, [&](std::size_t, const ClassState& state) {
                    return state.right_total + most.right > best.right;
                });
            take({0, scan_words<false>(here, n_right, scratch, best.right - offsets.right)});
        }
        return best;
    }

    // The two largest classes of a side.
    struct Largest {
        std::size_t first = 0, second = 0;
        std::int64_t count = 0;
    };

    template <bool is_left>
    static Largest largest(std::size_t n_classes, const ClassState* states) {
        Largest most;
        std::int64_t second = -1;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const std::int64_t count = is_left ? states[c].left_total : states[c].right_total;
            if (c == 0 || count > most.count) {
                second = c == 0 ? -1 : most.count;
                most = {c, most.first, count};
            } else if (count > second) {
                second = count;
                most.second = c;
            }
        }
        return most;
    }

    // Words first, ..., last - 1.
    struct Part {
        const ClassRows& rows;
        std::size_t first, last;
    };

    // Lists the classes that a condition holds for.
    template <class Condition>
    static std::size_t choose(std::size_t n_classes, const ClassScratch& scratch, Condition holds) {
        std::size_t n = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            scratch.chosen[n] = static_cast<std::uint8_t>(c);
            n += holds(c, scratch.states[c]) ? 1 : 0;
        }
        return n;
    }

    static void raise(std::int64_t& value, std::int64_t other) {
        if (value < other) value = other;
    }

    static std::uint16_t cut_off(std::int64_t value) {
        return static_cast<std::uint16_t>(value < 0 ? 0 : value);
    }

    static Offsets start_part(std::size_t n_classes,
                              const std::uint32_t* before,
                              ClassState* states) {
        std::int64_t left_first = 0, left_rest = 0, right_first = 0, right_rest = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            const ClassState& state = states[c];
            const std::int64_t left = state.left_before, right = before[c] - left;
            raise(left_first, left);
            raise(left_rest, state.left_total - left);
            raise(right_first, right);
            raise(right_rest, state.right_total - right);
        }
        for (std::size_t c = 0; c < n_classes; ++c) {
            ClassState& state = states[c];
            const std::int64_t left = state.left_before, right = before[c] - left;
            state.left_first = cut_off(left - left_first + most_first);
            state.right_first = cut_off(right - right_first + most_first);
            state.left_last = static_cast<std::uint16_t>(
                state.left_first + cut_off(state.left_total - left - left_rest + most_rest));
            state.right_last = static_cast<std::uint16_t>(
                state.right_first + cut_off(state.right_total - right - right_rest + most_rest));
        }
        return {left_first - most_first + left_rest - most_rest,
                right_first - most_first + right_rest - most_rest};
    }

    // What is known of the words of a group on one side: the most rows of a class up to the end of
    // the word, and from its start on, and the highest sum of both for two different classes. With
    // the same class a test is no better than a leaf.
    struct Bounds {
        Reg before, behind, sum;

        void load(const std::uint16_t* from) {
            sum = V::load(from);
            before = V::load(from + 2 * lanes);
            behind = V::load(from + 4 * lanes);
        }
        void store(std::uint16_t* to, Reg ends) const {
            V::store(to, V::where_any(ends, sum));
            V::store(to + 2 * lanes, before);
            V::store(to + 4 * lanes, behind);
        }
        void add(Reg end, Reg rest) {
            sum = V::max(sum, V::max(V::add(end, behind), V::add(before, rest)));
            before = V::max(before, end);
            behind = V::max(behind, rest);
        }
        // The values at the ends of the words. That of the last one is not known yet.
        Reg values(Reg ends) const {
            return V::where_top(ends, V::add(before, V::next_lane(behind)));
        }
    };

    // Writes the bounds of all words of a part and the counts on the left before them, for the
    // chosen classes; returns the best values between words.
    template <bool is_first>
    static Agreement bound_words(const Part& part,
                                 std::size_t n_chosen,
                                 const ClassScratch& scratch) {
        const ClassRows& rows = part.rows;
        const std::size_t n_classes = rows.n_classes;
        std::uint16_t* const running = scratch.counts + words_of_part * n_classes;
        for (std::size_t k = 0; k < n_chosen; ++k)
            V::store(running + k * lanes,
                     V::broadcast(scratch.states[scratch.chosen[k]].left_first));
        Reg left_best = V::zero(), right_best = V::zero();
        for (std::size_t word = part.first; word < part.last; word += lanes) {
            const Reg is_left = V::load(scratch.lefts + (word - part.first));
            const std::uint16_t* const members = rows.members + word * n_classes;
            const std::uint16_t* const before = rows.before + word * n_classes;
            std::uint16_t* const counts = scratch.counts + (word - part.first) * n_classes;
            std::uint16_t* const bounds = scratch.bounds + 6 * (word - part.first);
            Bounds left{V::zero(), V::zero(), V::zero()}, right = left;
            if constexpr (!is_first) {
                left.load(bounds);
                right.load(bounds + lanes);
            }
            for (std::size_t k = 0; k < n_chosen; ++k) {
                const std::size_t c = scratch.chosen[k];
                const ClassState& state = scratch.states[c];
                const Reg all = V::load(members + c * lanes);
                const Reg left_here = V::popcounts(V::both(is_left, all));
                const Reg left_end =
                    V::add(V::prefix_sums(left_here), V::load(running + k * lanes));
                V::store(running + k * lanes, V::last(left_end));
                const Reg left_start = V::subtract(left_end, left_here);
                V::store(counts + c * lanes, left_start);
                if (is_first || state.is_left)
                    left.add(left_end,
                             V::subtract_to_zero(V::broadcast(state.left_last), left_start));
                if (!is_first && !state.is_right) continue;
                const Reg right_here = V::popcounts(V::without(is_left, all));
                const Reg right_start = V::subtract(
                    V::add(V::load(before + c * lanes), V::broadcast(both_first(state))),
                    left_start);
                right.add(V::add(right_start, right_here),
                          V::subtract_to_zero(V::broadcast(state.right_last), right_start));
            }
            const Reg ends = V::load(rows.ends + word);
            left.store(bounds, ends);
            right.store(bounds + lanes, ends);
            left_best = V::max(left_best, left.values(ends));
            right_best = V::max(right_best, right.values(ends));
        }
        for (std::size_t k = 0; k < n_chosen; ++k) {
            ClassState& state = scratch.states[scratch.chosen[k]];
            state.left_before += static_cast<std::uint32_t>(running[k * lanes]) - state.left_first;
        }
        return {V::maximum(left_best), V::maximum(right_best)};
    }

    static std::uint16_t both_first(const ClassState& state) {
        return static_cast<std::uint16_t>(state.left_first + state.right_first);
    }

    // The best value of a part if it is higher than the one that is known, which may be from
    // another part; else at most that, or 0.
    template <bool is_left>
    static std::int64_t scan_words(const Part& part,
                                   std::size_t n_chosen,
                                   const ClassScratch& scratch,
                                   std::int64_t best) {
        if (best >= UINT16_MAX) return best;
        raise(best, 0);
        for (std::size_t word = part.first; word < part.last; word += lanes) {
            const std::uint16_t* const bounds =
                scratch.bounds + 6 * (word - part.first) + (is_left ? 0 : lanes);
            std::uint32_t open = V::above(V::load(bounds), static_cast<std::uint16_t>(best));
            for (; open != 0; open &= open - 1) {
                const auto lane = static_cast<std::size_t>(__builtin_ctz(open));
                if (bounds[lane] > best)
                    raise(best, scan_word<is_left>(part, word, lane, n_chosen, scratch));
            }
        }
        return best;
    }

    template <bool is_left>
    static std::int64_t scan_word(const Part& part,
                                  std::size_t word,
                                  std::size_t lane,
                                  std::size_t n_chosen,
                                  const ClassScratch& scratch) {
        const ClassRows& rows = part.rows;
        const std::uint16_t lefts = scratch.lefts[word - part.first + lane];
        const unsigned side = is_left ? lefts : static_cast<std::uint16_t>(~lefts);
        const std::uint16_t* const members = rows.members + word * rows.n_classes + lane;
        const std::uint16_t* const before = rows.before + word * rows.n_classes + lane;
        const std::uint16_t* const counts =
            scratch.counts + (word - part.first) * rows.n_classes + lane;
        typename W::Reg most = W::zero(), most_behind = W::zero();
        for (std::size_t k = 0; k < n_chosen; ++k) {
            const std::size_t c = scratch.chosen[k];
            const ClassState& state = scratch.states[c];
            const std::uint16_t left = counts[c * lanes];
            const auto count = static_cast<std::uint16_t>(
                is_left ? left : before[c * lanes] + both_first(state) - left);
            const auto here = static_cast<std::uint16_t>(members[c * lanes] & side);
            const typename W::Reg sums = W::add(W::running_counts(here), W::broadcast(count));
            const std::uint16_t last = is_left ? state.left_last : state.right_last;
            most = W::max(most, sums);
            most_behind = W::max(most_behind, W::subtract_to_zero(W::broadcast(last), sums));
        }
        return W::maximum(W::where_bits(rows.ends[word + lane], W::add(most, most_behind)));
    }

    static constexpr ClassKernels table() { return {lanes, mark, mark_ends, scan}; }
};

}  // namespace
}  // namespace murtree::kernels
