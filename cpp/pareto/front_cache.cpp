#include "pareto/front_cache.hpp"

namespace murtree::pareto {
namespace {

// Memory of an entry besides its front: hash table node, bucket and reference counts.
constexpr std::size_t entry_bytes = 104;

}  // namespace

FrontPtr FrontCache::find(const Fingerprint& rows, Budget budget) const {
    const auto found = fronts_.find({rows, budget});
    return found == fronts_.end() ? nullptr : found->second;
}

void FrontCache::store(const Fingerprint& rows, Budget budget, FrontPtr front) {
    const std::size_t bytes = front->bytes() + entry_bytes;
    if (bytes > max_bytes_) return;
    if (bytes_ + bytes > max_bytes_) {
        fronts_.clear();
        bytes_ = 0;
    }
    const bool is_new = fronts_.emplace(Key{rows, budget}, std::move(front)).second;
    if (is_new) bytes_ += bytes;
}

}  // namespace murtree::pareto
