// The sizes of a leaf, and their minima.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace murtree {

// The number of original rows of a leaf, and their weight in whole units.
enum SizeKind : std::size_t { n_original_rows, leaf_weight, n_size_kinds };

// The minimum sizes of a leaf; 0: no minimum.
struct LeastSizes {
    std::array<std::int64_t, n_size_kinds> of{};

    // Only the minimum number of rows: class counts also give the weights.
    LeastSizes rows_only() const { return {{of[n_original_rows], 0}}; }
    bool any() const { return of[n_original_rows] > 0 || of[leaf_weight] > 0; }
    // Whether a split into two leaves is allowed, given the size of one and of both together.
    bool allow(std::size_t kind, std::int64_t with, std::int64_t all) const {
        return with >= of[kind] && all - with >= of[kind];
    }
};

}  // namespace murtree
