// Collects candidate points and keeps the non-dominated ones.
//
// Where weights are moderate the least fn for each fp stands in an array, and a bitmap tells which
// places are in use: an addition is one comparison, and reading the front costs a bit a place. Else
// the candidates are sorted. Of equal points the first one added stays, so that the trees do not
// depend on how the points are kept.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pareto/front.hpp"

namespace murtree::pareto {

// How a candidate came about; what the numbers mean is up to the user.
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
    // Begins an empty front of points with at most these coordinates.
    void start(std::int64_t max_fp, std::int64_t max_fn);

    void add(std::int64_t fp, std::int64_t fn, Origin origin) {
        if (!is_dense_) {
            is_perfect_ |= fp == 0 && fn == 0;
            candidates_.push_back({fp, fn, origin});
            if (candidates_.size() >= next_purge_) purge();
            return;
        }
        const auto place = static_cast<std::size_t>(fp);
        if (fn >= least_fn_[place]) return;
        least_fn_[place] = static_cast<std::int32_t>(fn);
        origins_[place] = origin;
        is_perfect_ |= fp == 0 && fn == 0;
        used_[place / 64] |= std::uint64_t{1} << place % 64;
    }

    // Whether a point without errors is among them, which dominates all others.
    bool is_perfect() const { return is_perfect_; }

    // The front so far; ends the collection.
    std::span<const Candidate> finish();

  private:
    static constexpr std::int64_t max_places = std::int64_t{1} << 20;
    static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
    static constexpr std::size_t first_purge = 4096;

    void purge();

    bool is_dense_ = true;
    bool is_perfect_ = false;
    std::vector<std::int32_t> least_fn_;  // by fp; `none` wherever the place is not in use
    std::vector<Origin> origins_;         // by fp
    std::vector<std::uint64_t> used_;
    std::size_t n_words_ = 0;  // of `used_`
    std::vector<Candidate> candidates_;
    std::size_t next_purge_ = first_purge;
};

}  // namespace murtree::pareto
