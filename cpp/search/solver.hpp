// The facade: one problem, many requests to it. Holds the data and the cache; every answer is
// recounted on the original data before it is returned.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "data/dataset.hpp"
#include "requests/request.hpp"
#include "requests/techniques.hpp"
#include "search/cache.hpp"

namespace murtree {

class Solver {
  public:
    Solver(Dataset data, const Techniques& techniques);

    Answers solve(const Request& request);
    const Dataset& data() const { return data_; }

  private:
    const Dataset& data_for(const Request& request);
    // The distribution of memory for a request, in bytes.
    struct Memory {
        std::size_t cache;
        std::size_t pairs;  // of one level, see DepthTwoRules
    };
    Memory memory_for(const Request& request) const;

    Dataset data_;
    // With the sizes of groups of rows, for each choice of kinds; created on first use, also by a
    // thread whose time ends while it waits.
    std::array<std::unique_ptr<Dataset>, 1u << n_size_kinds> sized_;
    std::array<std::once_flag, 1u << n_size_kinds> sized_once_;
    Techniques techniques_;
    Cache cache_;
    std::timed_mutex one_at_a_time_;  // the requests share the cache, so threads must take turns
};

}  // namespace murtree
