#include "thresholds/class_stumps.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace murtree::thresholds {
namespace {

constexpr std::size_t no_edge = ~std::size_t{0};

}  // namespace

ClassStumps::ClassStumps(RowSet& rows, const LeastLeaf& least_leaf)
    : Stumps(rows, least_leaf),
      kernels_(kernels::active()->stumps.classes),
      labels_(rows.table().n_rows() + 1, max_labels),
      sorted_(rows.n_chains()),
      states_(n_labels_),
      chosen_(n_labels_ + 1) {
    sums_.clear();  // costs are counted when they are asked for
    for (std::size_t row = 0; row + 1 < labels_.size(); ++row)
        labels_[row] = static_cast<std::uint8_t>(rows.table().free_label(row));
}

void ClassStumps::sum_totals() {
    using kernels::rows_of_word;
    std::array<std::uint32_t, max_labels + 1> counts[2] = {};
    const std::span<const std::uint32_t> order = rows_.order(0);
    for (std::size_t k = 0; k < order.size(); ++k) ++counts[k % 2][labels_[order[k]]];
    present_.clear();
    for (std::size_t label = 0; label < n_labels_; ++label) {
        const std::uint32_t count = counts[0][label] + counts[1][label];
        totals_[label] = static_cast<Cost>(order.size()) - count;
        if (count > 0) present_.push_back(static_cast<std::uint8_t>(label));
    }
    for (Sorted& one : sorted_) one.is_known = false;
    const std::size_t group = kernels_.lanes * rows_of_word;
    n_words_ = (order.size() + group - 1) / group * kernels_.lanes;
    if (const std::size_t size = n_words_ * rows_of_word; zeros_.size() < size) {
        zeros_.assign(size, 0);
        row_labels_.assign(size, 0);
        row_ranks_.assign(size + 1, 0);
    }
    const std::size_t part = std::min(n_words_, kernels::words_of_part);
    const std::size_t size = kernels::words_of_part * n_labels_ + kernels_.lanes * n_labels_;
    if (lefts_of_words_.size() < part) {
        lefts_of_words_.resize(part);
        bounds_.resize(6 * part);
        counts_.resize(size);
    }
    counted_edge_ = no_edge;
}

void ClassStumps::set_edges(std::size_t chain, std::span<const std::uint32_t> edges) {
    Stumps::set_edges(chain, edges);
    edges_chain_ = chain;
    counted_edge_ = no_edge;
}

void ClassStumps::mark(std::span<const std::uint32_t> rows, std::uint8_t code, Cost* /*to*/) {
    std::uint8_t* const codes = codes_.data();
    for (const std::uint32_t row : rows) codes[row] = code;
}

auto ClassStumps::sorted(std::size_t chain) -> const Sorted& {
    Sorted& sorted = sorted_[chain];
    if (sorted.is_known) return sorted;
    const std::size_t size = n_words_ * kernels::rows_of_word;
    const std::size_t n_parts = (n_words_ + kernels::words_of_part - 1) / kernels::words_of_part;
    const std::size_t n_members = n_words_ * present_.size();
    if (sorted.ends.size() < n_words_) {
        sorted.ends.assign(n_words_, UINT16_MAX);
        sorted.codes.assign(size, 0);
    }
    if (sorted.members.size() < n_members) {
        sorted.members.resize(n_members);
        sorted.before.resize(n_members);
    }
    sorted.parts.resize((n_parts + 1) * present_.size());
    const std::span<const std::uint32_t> order = rows_.order(chain);
    std::uint8_t* const labels = row_labels_.data();
    for (std::size_t k = 0; k < order.size(); ++k) labels[k] = labels_[order[k]];
    std::fill(row_labels_.begin() + static_cast<std::ptrdiff_t>(order.size()),
              row_labels_.begin() + static_cast<std::ptrdiff_t>(size),
              max_labels);
    kernels_.mark(labels,
                  present_.data(),
                  present_.size(),
                  n_words_,
                  sorted.members.data(),
                  sorted.before.data(),
                  sorted.parts.data());
    find_ends(chain, sorted.ends);
    sorted.is_known = true;
    sorted.codes_version = 0;
    return sorted;
}

void ClassStumps::find_ends(std::size_t chain, AlignedVector<std::uint16_t>& ends) {
    if (!rows_.table().chains()[chain].has_ties) return;  // they are everywhere
    std::ranges::copy(rows_.ranks(chain), row_ranks_.begin());
    kernels_.mark_ends(row_ranks_.data(), n_words_, ends.data());
}

kernels::Agreement ClassStumps::scan(const Sorted& sorted,
                                     const std::uint16_t* ends,
                                     const std::uint8_t* codes,
                                     std::uint8_t first_right) {
    const kernels::ClassRows rows{n_words_,
                                  present_.size(),
                                  sorted.members.data(),
                                  sorted.before.data(),
                                  ends,
                                  sorted.parts.data()};
    return kernels_.scan(
        rows,
        codes,
        first_right,
        {states_.data(), lefts_of_words_.data(), chosen_.data(), bounds_.data(), counts_.data()});
}

Cost ClassStumps::whole(std::size_t chain) {
    return whole(chain, sorted(chain).ends.data());
}

Cost ClassStumps::sized_whole(std::size_t chain) {
    return whole(chain, ends_within(sorted(chain), allowed(chain, 0, UINT8_MAX)));
}

Cost ClassStumps::whole(std::size_t chain, const std::uint16_t* ends) {
    const auto n_rows = static_cast<Cost>(rows_.n_rows());
    for (std::size_t c = 0; c < present_.size(); ++c)
        states_[c].left_total = static_cast<std::uint32_t>(n_rows - totals_[present_[c]]);
    counted_edge_ = no_edge;
    return n_rows - scan(sorted(chain), ends, zeros_.data(), 1).left;
}

// Counts the rows left of an edge, by the words of the edges' chain.
void ClassStumps::count_left(std::size_t edge) {
    if (counted_edge_ == edge) return;
    const Sorted& rows = sorted(edges_chain_);
    const std::size_t n_classes = present_.size(), lanes = kernels_.lanes, end = edge_rows_[edge];
    // The edge is within this word, or the number of words is full.
    const std::size_t word = std::min(end / kernels::rows_of_word, n_words_ - 1);
    const std::size_t n_bits = end - word * kernels::rows_of_word;
    const auto mask = static_cast<std::uint16_t>((1u << n_bits) - 1);
    const std::size_t first = word / lanes * lanes * n_classes + word % lanes;
    const std::uint32_t* const before =
        rows.parts.data() + word / kernels::words_of_part * n_classes;
    left_most_ = right_most_ = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const std::size_t at = first + c * lanes;
        const auto inside = static_cast<std::uint16_t>(rows.members[at] & mask);
        const std::uint32_t left =
            before[c] + rows.before[at] + static_cast<std::uint32_t>(std::popcount(inside));
        const auto all = static_cast<Cost>(rows_.n_rows()) - totals_[present_[c]];
        states_[c].left_total = left;
        left_most_ = std::max<Cost>(left_most_, left);
        right_most_ = std::max<Cost>(right_most_, all - left);
    }
    counted_edge_ = edge;
}

Sides ClassStumps::leaves(std::size_t edge) {
    count_left(edge);
    const Cost n_left = edge_rows_[edge];
    return {n_left - left_most_, static_cast<Cost>(rows_.n_rows()) - n_left - right_most_};
}

// The rows with the codes of the edges.
auto ClassStumps::coded(std::size_t chain) -> const Sorted& {
    sorted(chain);
    Sorted& sorted = sorted_[chain];
    if (sorted.codes_version == codes_version_) return sorted;
    const std::span<const std::uint32_t> order = rows_.order(chain);
    const std::uint8_t* const codes = codes_.data();
    std::uint8_t* const to = sorted.codes.data();
#pragma GCC unroll 8
    for (std::size_t k = 0; k < order.size(); ++k) to[k] = codes[order[k]];
    sorted.codes_version = codes_version_;
    return sorted;
}

Sides ClassStumps::stumps(std::size_t chain, std::size_t edge) {
    count_left(edge);
    const Sorted& rows = coded(chain);
    const kernels::Agreement most =
        scan(rows, rows.ends.data(), rows.codes.data(), static_cast<std::uint8_t>(edge + 1));
    const Cost n_left = edge_rows_[edge];
    return {n_left - most.left, static_cast<Cost>(rows_.n_rows()) - n_left - most.right};
}

Cost ClassStumps::sized_stump(std::size_t chain, std::size_t edge, bool is_left) {
    const auto code = static_cast<std::uint8_t>(edge);
    const auto first_right = static_cast<std::uint8_t>(edge + 1);
    count_left(edge);
    const Sorted& rows = coded(chain);
    const std::uint16_t* const ends = ends_within(
        rows, is_left ? allowed(chain, 0, code) : allowed(chain, first_right, UINT8_MAX));
    const kernels::Agreement most = scan(rows, ends, rows.codes.data(), first_right);
    const Cost n_left = edge_rows_[edge];
    return is_left ? n_left - most.left : static_cast<Cost>(rows_.n_rows()) - n_left - most.right;
}

// The ends of a chain without thresholds outside a range.
const std::uint16_t* ClassStumps::ends_within(const Sorted& sorted, const Thresholds& range) {
    using kernels::rows_of_word;
    if (range.first >= range.last) {
        sized_ends_.assign(n_words_, 0);
        return sized_ends_.data();
    }
    sized_ends_.assign(sorted.ends.begin(),
                       sorted.ends.begin() + static_cast<std::ptrdiff_t>(n_words_));
    const std::size_t first = range.first - 1, last = range.last - 1;  // rows before thresholds
    const auto begin = sized_ends_.begin();
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(first / rows_of_word), std::uint16_t{0});
    sized_ends_[first / rows_of_word] &= static_cast<std::uint16_t>(~0u << first % rows_of_word);
    sized_ends_[last / rows_of_word] &= static_cast<std::uint16_t>((1u << last % rows_of_word) - 1);
    std::fill(begin + static_cast<std::ptrdiff_t>(last / rows_of_word) + 1,
              sized_ends_.end(),
              std::uint16_t{0});
    return sized_ends_.data();
}

}  // namespace murtree::thresholds
