// Facade of this folder: data and a question in, a front with checked trees out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "data/dataset.hpp"
#include "pareto/front_search.hpp"
#include "pareto/labelled_tree.hpp"
#include "search/task.hpp"

namespace murtree::pareto {

struct FrontQuestion {
    Budget budget;
    LeastSizes least_sizes;
    double seconds = Limits::forever;
    std::size_t memory = 0;  // bytes; 0: a default
    // Told the seconds so far and the share of the root's features done; true ends the search.
    std::function<bool(double, double)> wants_to_stop;
};

struct FrontAnswer {
    std::vector<LabelledTree> points;
    bool is_complete = false;
    bool was_interrupted = false;
    Stats stats;
    std::size_t cache_entries = 0;
    std::size_t cache_bytes = 0;
    double seconds = 0;
};

class FrontSolver {
  public:
    // Labels are 0 and 1.
    FrontSolver(const Table01& table,
                std::span<const std::int32_t> labels,
                std::span<const std::int64_t> weights,
                const Keys& keys);

    FrontAnswer solve(const FrontQuestion& question);
    const Dataset& data() const { return data_; }

  private:
    const Dataset& data_for(const LeastSizes& least);

    Dataset data_;
    std::unique_ptr<Dataset> sized_;  // with the sizes of groups of rows; made when first asked for
    std::once_flag sized_once_;
};

}  // namespace murtree::pareto
