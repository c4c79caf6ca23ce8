#include "search/cache.hpp"

#include <algorithm>
#include <bit>

namespace murtree {
namespace {

constexpr std::size_t first_buckets = 256;

// While a table grows, the old one, half its size, is kept until the entries are moved.
std::size_t buckets_within(std::size_t bytes, std::size_t bucket_bytes) {
    return std::bit_floor(std::max(bytes / 3 * 2 / bucket_bytes, first_buckets));
}

constexpr int lower_bits = 48;

// Depth-two entries: three costs of 36 bits, stored in `lower` (48) and the last 64 bits.
constexpr int cost_bits = 36;
constexpr std::uint64_t unknown_cost = (std::uint64_t{1} << cost_bits) - 1;
constexpr Budget depth_two_budget{2, 0};

std::uint64_t encode(std::int64_t cost) {
    return cost < 0 ? unknown_cost : static_cast<std::uint64_t>(cost);
}

std::int64_t decode(std::uint64_t bits) {
    return bits == unknown_cost ? Cache::unknown : static_cast<std::int64_t>(bits);
}

}  // namespace

Cache::Cache(std::size_t max_bytes)
    : max_buckets_(buckets_within(max_bytes, sizeof(Bucket))), buckets_(first_buckets, Bucket{}) {}

void Cache::limit(std::size_t max_bytes) {
    max_buckets_ = buckets_within(max_bytes, sizeof(Bucket));
    if (buckets_.size() <= max_buckets_) return;
    size_ = 0;
    decltype(buckets_)(first_buckets, Bucket{}).swap(buckets_);
}

Fingerprint Cache::key_of(const Fingerprint& rows, Budget budget) {
    // The fingerprint is already random; depth and nodes only need to change the key. The bit that
    // is set keeps it from being zero, which is the key of an empty slot.
    const std::uint64_t limits =
        (std::uint64_t{budget.nodes} << 8 | budget.depth) * 0x9E3779B97F4A7C15u;
    return {(rows.high ^ limits) | 1u, rows.low + (limits ^ limits >> 32)};
}

Outcome Cache::outcome_of(const Entry& entry) {
    return {static_cast<std::int64_t>(entry.lower),
            static_cast<std::uint32_t>(entry.feature),
            static_cast<std::uint32_t>(entry.used_depth),
            static_cast<std::uint32_t>(entry.left_nodes),
            static_cast<std::uint32_t>(entry.right_nodes)};
}

const Cache::Entry* Cache::find_entry(const Fingerprint& key) const {
    for (const Entry& entry : bucket_of(key))
        if (entry.key == key) return &entry;
    return nullptr;
}

std::optional<Outcome> Cache::find(const Fingerprint& key, Budget budget) const {
    const Entry* const entry = find_entry(key_of(key, budget));
    if (entry == nullptr) return std::nullopt;
    return outcome_of(*entry);
}

void Cache::store(const Fingerprint& key, Budget budget, const Outcome& outcome) {
    if (outcome.lower >> lower_bits != 0) return;  // too large for an entry
    Entry fresh{};
    fresh.key = key_of(key, budget);
    fresh.lower =
        static_cast<std::uint64_t>(outcome.lower) & ((std::uint64_t{1} << lower_bits) - 1);
    fresh.depth = budget.depth & 255u;
    fresh.used_depth = outcome.used_depth & 255u;
    fresh.feature = outcome.feature & 0xFFFFFFu;
    fresh.left_nodes = outcome.left_nodes & 0xFFFFFu;
    fresh.right_nodes = outcome.right_nodes & 0xFFFFFu;
    put(fresh);
}

void Cache::note(Budget budget) {
    const auto is_same = [&](const Budget& other) {
        return other.depth == budget.depth && other.nodes == budget.nodes;
    };
    if (std::none_of(budgets_.begin(), budgets_.end(), is_same)) budgets_.push_back(budget);
}

std::optional<DepthTwoCosts> Cache::find_depth_two(const Fingerprint& key) const {
    const Entry* const entry = find_entry(key_of(key, depth_two_budget));
    if (entry == nullptr) return std::nullopt;
    constexpr std::uint64_t mask = unknown_cost;
    const std::uint64_t middle = entry->lower >> cost_bits | std::uint64_t{entry->feature} << 12;
    const std::uint64_t last = entry->left_nodes | std::uint64_t{entry->right_nodes} << 20;
    return DepthTwoCosts{
        unknown, decode(entry->lower & mask), decode(middle & mask), decode(last & mask)};
}

void Cache::store_depth_two(const Fingerprint& key, const DepthTwoCosts& costs) {
    if (costs[1] >= static_cast<std::int64_t>(unknown_cost) ||
        costs[3] >= static_cast<std::int64_t>(unknown_cost))
        return;  // too large for an entry
    // A cost of three nodes alone must not replace all three costs.
    if (costs[2] < 0 && find_entry(key_of(key, depth_two_budget)) != nullptr) return;
    const std::uint64_t middle = encode(costs[2]);
    const std::uint64_t last = encode(costs[3]);
    Entry fresh{};
    fresh.key = key_of(key, depth_two_budget);
    fresh.depth = 2;
    fresh.used_depth = 2;
    fresh.lower = (encode(costs[1]) | middle << cost_bits) & ((std::uint64_t{1} << lower_bits) - 1);
    fresh.feature = middle >> 12 & 0xFFFFFFu;
    fresh.left_nodes = last & 0xFFFFFu;
    fresh.right_nodes = last >> 20 & 0xFFFFFu;
    put(fresh);
}

// Whether an entry has more information than another one with the same key.
bool Cache::is_better(const Entry& entry, const Entry& than) {
    if (entry.depth == 2 && entry.used_depth == 2) return true;  // of depth two: never worse
    if (outcome_of(than).is_solved()) return false;
    return outcome_of(entry).is_solved() || than.lower < entry.lower;
}

void Cache::put(const Entry& fresh) {
    for (Entry& entry : bucket_of(fresh.key))
        if (entry.key == fresh.key) {
            if (is_better(fresh, entry)) entry = fresh;
            return;
        }
    if (2 * size_ > 4 * buckets_.size() && buckets_.size() < max_buckets_) grow();
    place(fresh);
}

// Inserts the entry into its bucket; a full bucket drops its shallowest entry.
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
                  &victim);  // drops the oldest among ties
        bucket.back() = entry;
    }
}

void Cache::grow() {
    std::vector<Bucket, AlignedAllocator<Bucket>> old(2 * buckets_.size(), Bucket{});
    old.swap(buckets_);
    size_ = 0;
    // Each old bucket is divided into two new ones, so every entry finds a free slot.
    for (const Bucket& bucket : old)
        for (const Entry& entry : bucket)
            if (entry.key != Fingerprint{}) place(entry);
}

}  // namespace murtree
