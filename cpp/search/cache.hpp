// Cache of solved subproblems (paper: "Caching of Optimal Subtrees").
//
// The key is the set of rows, or the branch that leads to it, depending on the search, with a depth
// and a number of nodes. Results of the depth-two algorithm have separate entries, one for all
// numbers of nodes, which do not depend on the prices.
//
// A hash table with buckets of four entries. It grows when half full, up to a limit. A full bucket
// drops its shallowest entry, which is the cheapest to recompute. Dropping entries costs time,
// never correctness. The cache is independent of the search.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/rows.hpp"
#include "depth_two/small_tree.hpp"
#include "requests/task.hpp"

namespace murtree {

// Result of a subproblem. If a search ends within its upper bound, this is the optimum,
// `is_solved`; otherwise `lower` is only a lower bound. The two must never be confused.
struct Outcome {
    static constexpr std::uint32_t none = (1u << 24) - 1;  // not solved
    static constexpr std::uint32_t leaf = (1u << 24) - 2;  // the optimum is a leaf

    std::int64_t lower = 0;
    std::uint32_t feature = none;  // column of the dataset at the root of the optimal tree
    std::uint32_t used_depth = 0;  // the children are optimal trees of depth used_depth - 1
    std::uint32_t left_nodes = 0;  // ... with these numbers of nodes
    std::uint32_t right_nodes = 0;

    bool is_solved() const { return feature != none; }
};

class Cache {
  public:
    explicit Cache(std::size_t max_bytes);

    std::optional<Outcome> find(const Fingerprint& key, Budget budget) const;

    // Keeps the better of the stored and the new outcome.
    void store(const Fingerprint& key, Budget budget, const Outcome& outcome);

    // Results of the depth-two algorithm; unknown costs are negative.
    static constexpr std::int64_t unknown = -1;
    std::optional<DepthTwoCosts> find_depth_two(const Fingerprint& key) const;
    void store_depth_two(const Fingerprint& key, const DepthTwoCosts& costs);

    // The distinct budgets noted so far: other entries for a set of rows may exist for them.
    void note(Budget budget);
    const std::vector<Budget>& budgets() const { return budgets_; }

    // Limits the size of the table from now on; if it is larger already, it shrinks and is cleared.
    void limit(std::size_t max_bytes);

    std::size_t size() const { return size_; }
    std::size_t bytes() const { return buckets_.size() * sizeof(Bucket); }

  private:
    struct Entry {
        Fingerprint key;  // of rows, depth and nodes together; zero: empty
        std::uint64_t lower : 48;
        std::uint64_t depth : 8;
        std::uint64_t used_depth : 8;
        std::uint64_t feature : 24;
        std::uint64_t left_nodes : 20;
        std::uint64_t right_nodes : 20;
    };
    using Bucket = std::array<Entry, 4>;

    static Fingerprint key_of(const Fingerprint& rows, Budget budget);
    static Outcome outcome_of(const Entry& entry);
    static bool is_better(const Entry& entry, const Entry& than);
    const Entry* find_entry(const Fingerprint& key) const;
    void put(const Entry& fresh);
    Bucket& bucket_of(const Fingerprint& key) { return buckets_[key.low & (buckets_.size() - 1)]; }
    const Bucket& bucket_of(const Fingerprint& key) const {
        return buckets_[key.low & (buckets_.size() - 1)];
    }
    void grow();
    void place(const Entry& entry);

    std::size_t max_buckets_;
    std::size_t size_ = 0;
    std::vector<Bucket, AlignedAllocator<Bucket>> buckets_;
    std::vector<Budget> budgets_;
};

}  // namespace murtree
