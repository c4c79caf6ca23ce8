// Assigns each segment of rows to a count: first the counts of the classes, then those of the sizes
// for which leaves have a minimum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/rows.hpp"
#include "objectives/classification.hpp"
#include "objectives/leaf_sizes.hpp"

namespace murtree {

class CountLayout {
  public:
    // As the objective requires: two classes share one signed count.
    explicit CountLayout(const Classification& objective, const LeastSizes& least = {})
        : CountLayout(objective.n_counts(), objective.is_signed(), least) {}

    // One count per class.
    static CountLayout by_class(std::size_t n_classes, const LeastSizes& least) {
        return {n_classes, false, least};
    }
    // The same layout with two classes separated, class 0 first, if they share one signed count
    // here.
    CountLayout apart() const {
        CountLayout layout = *this;
        layout.n_class_counts_ += is_signed_ ? 1 : 0;
        layout.is_signed_ = false;
        return layout;
    }

    bool is_signed() const { return is_signed_; }
    std::size_t n_class_counts() const { return n_class_counts_; }
    std::size_t n_sizes() const { return n_sizes_; }
    std::size_t n_counts() const { return n_class_counts_ + n_sizes_; }

    bool counts(const RowSegment& segment) const {
        return !segment.is_size() || size_numbers_[segment.size_kind()] < n_sizes_;
    }
    // Segments that are not counted have sign 0; their column still ascends.
    kernels::Segment segment(const RowSegment& segment, std::uint32_t n_words) const {
        const auto to = [&](std::size_t count, int sign) -> kernels::Segment {
            return {n_words, segment.shift, static_cast<std::uint16_t>(count), sign};
        };
        if (!counts(segment)) return to(n_class_counts_ - 1, 0);
        if (segment.is_size()) return to(n_class_counts_ + size_numbers_[segment.size_kind()], 1);
        return is_signed_ ? to(0, segment.label == 1 ? 1 : -1) : to(segment.label, 1);
    }

  private:
    CountLayout(std::size_t n_class_counts, bool is_signed, const LeastSizes& least)
        : n_class_counts_(n_class_counts), is_signed_(is_signed) {
        for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
            size_numbers_[kind] = least.of[kind] == 0 ? n_size_kinds : n_sizes_++;
    }

    std::size_t n_class_counts_;
    bool is_signed_;
    std::size_t n_sizes_ = 0;
    std::array<std::size_t, n_size_kinds> size_numbers_{};  // by kind; n_size_kinds: not counted
};

}  // namespace murtree
