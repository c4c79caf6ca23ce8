// The façade: one problem, many questions to it. Holds the data and the cache; every answer is
// recounted on the original data before it is handed out.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "search/search.hpp"

namespace murtree {

struct Question {
    std::uint32_t max_depth;
    std::uint32_t max_num_nodes;
    std::int64_t upper_bound = -1;  // inclusive, in misclassified weight; negative: none
    double time_limit;              // seconds
    std::function<bool()> interrupted;
};

enum class Status { optimal, time_limit, interrupted, infeasible };

struct Answer {
    Status status;
    std::optional<CountedTree> tree;  // none: nothing within the upper bound
    std::int64_t lower_bound = 0;
    SearchStats stats;
    std::size_t cache_entries = 0;
    std::size_t cache_bytes = 0;
};

class Solver {
  public:
    Solver(const Table01& table,
           std::span<const std::int32_t> labels,
           std::span<const std::int64_t> weights,
           std::size_t n_classes,
           Reductions reductions,
           Techniques techniques);

    Answer solve(const Question& question);
    const Dataset& data() const { return data_; }

  private:
    Dataset data_;
    Techniques techniques_;
    Cache cache_;
    std::timed_mutex
        one_at_a_time_;  // the cache is shared by the questions; threads must take turns
};

}  // namespace murtree
