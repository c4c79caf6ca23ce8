// What a search did.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murtree {

struct SearchStats {
    std::int64_t nodes = 0;            // nodes whose features were tried as roots
    std::int64_t depth_two_calls = 0;  // parts solved by the depth-two algorithm
    std::int64_t cache_hits = 0;
    std::int64_t roots_pruned = 0;   // features skipped because of bounds from similar nodes
    std::int64_t splits = 0;         // features tried, of which ...
    std::int64_t splits_pruned = 0;  // ... were discarded by the bounds of their parts
    std::size_t cache_entries_before = 0;
    std::size_t cache_entries = 0;
    std::size_t cache_bytes = 0;
    double seconds = 0;
};

}  // namespace murtree
