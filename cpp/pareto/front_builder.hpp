// Collects candidate points and keeps the non-dominated ones.
//
// If weights are moderate, the least fn for each fp is stored in an array, with a bitmap of the
// slots in use: an addition is one comparison, and reading the front costs one bit per slot.
// Otherwise the candidates are sorted. Among equal points the first one added is kept, so that the
// trees do not depend on the representation.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pareto/front.hpp"

namespace murtree::pareto {

// The origin of a candidate; the meaning of the numbers is up to the user.
struct Origin {
    std::uint32_t root;
    std::uint32_t left;
    std::uint32_t right;
};

struct Candidate {
    std::int64_t fp;
    std::int64_t fn;
    Origin origin;
};

class FrontBuilder {
  public:
    // Starts an empty front of points with at most these coordinates.
    void start(std::int64_t max_fp, std::int64_t max_fn);

    void add(std::int64_t fp, std::int64_t fn, Origin origin) {
        if (!is_dense_) {
            is_perfect_ |= fp == 0 && fn == 0;
            candidates_.push_back({fp, fn, origin});
            if (candidates_.size() >= next_purge_) purge();
            return;
        }
        const auto slot = static_cast<std::size_t>(fp);
        if (fn >= least_fn_[slot]) return;
        least_fn_[slot] = static_cast<std::int32_t>(fn);
        origins_[slot] = origin;
        is_perfect_ |= fp == 0 && fn == 0;
        used_[slot / 64] |= std::uint64_t{1} << slot % 64;
    }

    // Whether a point without errors, which dominates all others, has been added.
    bool is_perfect() const { return is_perfect_; }

    // Returns the front and ends the collection.
    std::span<const Candidate> finish();

  private:
    static constexpr std::int64_t max_slots = std::int64_t{1} << 20;
    static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    static constexpr std::size_t first_purge = 4096;

    void purge();

    bool is_dense_ = true;
    bool is_perfect_ = false;
    std::vector<std::int32_t> least_fn_;  // by fp; `none` if the slot is not in use
    std::vector<Origin> origins_;         // by fp
    std::vector<std::uint64_t> used_;
    std::size_t n_words_ = 0;  // of `used_`
    std::vector<Candidate> candidates_;
    std::size_t next_purge_ = first_purge;
};

}  // namespace murtree::pareto
