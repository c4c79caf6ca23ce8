// The façade: one problem, many questions to it. Holds the data and the cache; every answer is
// recounted on the original data before it is handed out.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/search.hpp"

namespace murtree {

enum class Status { optimal, time_limit, interrupted, infeasible };

// How far a search has come, for whoever watches it. Costs as in Answer; of a frontier the last
// question counts.
struct Progress {
    double seconds = 0;
    const CountedTree* tree = nullptr;  // the best so far; null: none yet
    std::int64_t lower_bound = 0;
    double share_done = 0;  // of the features at the root, with trees of the whole depth below
};

struct Question {
    Range range;  // one question for each number of nodes
    Task task;
    std::int64_t upper_bound = -1;  // inclusive, as a cost; negative: none
    // Of the rows, for the least weight of a leaf, if one is asked for; always the same ones.
    std::span<const std::int64_t> leaf_weights;
    double time_limit;                           // seconds
    std::size_t memory_limit = 0;                // bytes; 0: the default
    bool anytime = false;                        // spend a share of the time on the lower bound
    std::function<bool(const Progress&)> watch;  // asked a few times a second; true: stop
};

// Costs are in the task's units and include the unavoidable errors.
struct Answer {
    Status status = Status::optimal;
    std::optional<CountedTree> tree;  // none: nothing within the upper bound
    std::int64_t lower_bound = 0;
};

struct Answers {
    std::vector<Answer> by_nodes;  // from range.first on
    SearchStats stats;
    std::size_t cache_entries_before = 0;
    std::size_t cache_entries = 0;
    std::size_t cache_bytes = 0;
    double seconds = 0;
};

class Solver {
  public:
    Solver(const Table01& table,
           std::span<const std::int32_t> labels,
           std::span<const std::int64_t> weights,
           std::size_t n_classes,
           Reductions reductions,
           Techniques techniques,
           const Keys& keys);

    // A summed problem; see Dataset.
    Solver(const Table01& table,
           Sums sums,
           std::span<const double> inputs,
           Reductions reductions,
           Techniques techniques,
           const Keys& keys);

    Answers solve(const Question& question);
    const Dataset& data() const { return data_; }

  private:
    const Dataset& data_for(const Question& question);
    // How the memory for a question is shared out, in bytes.
    struct Memory {
        std::size_t cache;
        std::size_t pairs;  // of one level, see DepthTwoRules
    };
    Memory memory_for(const Question& question) const;

    Dataset data_;
    Reductions reductions_;
    // With the sizes of groups of rows, for each choice of them; made when first asked for, also by
    // a thread whose time is up before its turn.
    std::array<std::unique_ptr<Dataset>, 1u << n_size_kinds> sized_;
    std::array<std::once_flag, 1u << n_size_kinds> sized_once_;
    Techniques techniques_;
    Cache cache_;
    std::timed_mutex
        one_at_a_time_;  // the cache is shared by the questions; threads must take turns
};

}  // namespace murtree
