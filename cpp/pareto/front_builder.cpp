#include "pareto/front_builder.hpp"

#include <algorithm>

namespace murtree::pareto {

void FrontBuilder::start(std::int64_t max_fp, std::int64_t max_fn) {
    is_dense_ = max_fp < max_slots && max_fn < none;
    is_perfect_ = false;
    candidates_.clear();
    next_purge_ = first_purge;
    if (!is_dense_) return;
    const auto n_slots = static_cast<std::size_t>(max_fp) + 1;
    n_words_ = (n_slots + 63) / 64;
    if (least_fn_.size() < n_slots) {
        least_fn_.resize(n_slots, none);
        origins_.resize(n_slots);
        used_.resize(n_words_, 0);
    }
}

// Sorts the candidates (stable) and drops the dominated ones.
void FrontBuilder::purge() {
    std::stable_sort(
        candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
            return a.fp != b.fp ? a.fp < b.fp : a.fn < b.fn;
        });
    std::size_t kept = 0;
    for (const Candidate& candidate : candidates_)
        if (kept == 0 || candidate.fn < candidates_[kept - 1].fn) candidates_[kept++] = candidate;
    candidates_.resize(kept);
    next_purge_ = std::max(first_purge, 2 * kept);
}

std::span<const Candidate> FrontBuilder::finish() {
    if (!is_dense_) {
        purge();
        return candidates_;
    }
    candidates_.clear();
    std::int32_t least = none;
    for (std::size_t w = 0; w < n_words_; ++w) {
        for (std::uint64_t rest = used_[w]; rest != 0; rest &= rest - 1) {
            const std::size_t slot = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            if (least_fn_[slot] < least) {
                least = least_fn_[slot];
                candidates_.push_back(
                    {static_cast<std::int64_t>(slot), std::int64_t{least}, origins_[slot]});
            }
            least_fn_[slot] = none;
        }
        used_[w] = 0;
    }
    return candidates_;
}

}  // namespace murtree::pareto
