#include "search/cache.hpp"

#include <algorithm>
#include <bit>

namespace murtree {
namespace {

constexpr std::size_t first_buckets = 256;

}  // namespace

Cache::Cache(std::size_t max_bytes)
    : max_buckets_(std::bit_floor(std::max(max_bytes / sizeof(Bucket), first_buckets))),
      buckets_(first_buckets, Bucket{}) {}

Fingerprint Cache::key_of(const Fingerprint& rows, std::uint32_t depth, std::uint32_t nodes) {
    // The rows are random already; depth and nodes only need to move the key somewhere else.
    const std::uint64_t limits = (std::uint64_t{nodes} << 5 | depth) * 0x9E3779B97F4A7C15u;
    return {rows.high ^ limits, rows.low + (limits ^ limits >> 32)};
}

Outcome Cache::outcome_of(const Entry& entry) {
    return {static_cast<std::int64_t>(entry.lower),
            static_cast<std::uint32_t>(entry.feature),
            static_cast<std::uint32_t>(entry.used_depth),
            static_cast<std::uint32_t>(entry.left_nodes),
            static_cast<std::uint32_t>(entry.right_nodes)};
}

std::optional<Outcome> Cache::find(const Fingerprint& rows,
                                   std::uint32_t depth,
                                   std::uint32_t nodes) const {
    const Fingerprint key = key_of(rows, depth, nodes);
    for (const Entry& entry : bucket_of(key))
        if (entry.key == key) return outcome_of(entry);
    return std::nullopt;
}

void Cache::store(const Fingerprint& rows,
                  std::uint32_t depth,
                  std::uint32_t nodes,
                  const Outcome& outcome) {
    Entry fresh{};
    fresh.key = key_of(rows, depth, nodes);
    fresh.lower = static_cast<std::uint64_t>(outcome.lower) & ((std::uint64_t{1} << 54) - 1);
    fresh.depth = depth & 31u;
    fresh.used_depth = outcome.used_depth & 31u;
    fresh.feature = outcome.feature & 0xFFFFFFu;
    fresh.left_nodes = outcome.left_nodes & 0xFFFFFu;
    fresh.right_nodes = outcome.right_nodes & 0xFFFFFu;
    for (Entry& entry : bucket_of(fresh.key))
        if (entry.key == fresh.key) {
            if (!outcome_of(entry).is_solved() &&
                (outcome.is_solved() || entry.lower < fresh.lower))
                entry = fresh;
            return;
        }
    if (2 * size_ > 4 * buckets_.size() && buckets_.size() < max_buckets_) grow();
    place(fresh);
}

// Puts the entry into its bucket; a full one gives up its shallowest entry.
void Cache::place(const Entry& entry) {
    Bucket& bucket = bucket_of(entry.key);
    for (Entry& slot : bucket)
        if (slot.key == Fingerprint{}) {
            slot = entry;
            ++size_;
            return;
        }
    Entry& victim =
        *std::min_element(bucket.begin(), bucket.end(), [](const Entry& a, const Entry& b) {
            return a.depth < b.depth;
        });
    if (victim.depth <= entry.depth) {
        std::move(&victim + 1,
                  bucket.data() + bucket.size(),
                  &victim);  // the oldest of equals goes first
        bucket.back() = entry;
    }
}

void Cache::grow() {
    std::vector<Bucket, AlignedAllocator<Bucket>> old(2 * buckets_.size(), Bucket{});
    old.swap(buckets_);
    size_ = 0;
    // Each old bucket parts into two new ones, so every entry finds a free slot.
    for (const Bucket& bucket : old)
        for (const Entry& entry : bucket)
            if (entry.key != Fingerprint{}) place(entry);
}

}  // namespace murtree
