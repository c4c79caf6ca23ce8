// The facade of this folder: data and a request in, a front with verified trees out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "data/dataset.hpp"
#include "requests/front_request.hpp"

namespace murtree::pareto {

class FrontSolver {
  public:
    // Labels are 0 and 1.
    FrontSolver(const Table01& table,
                std::span<const std::int32_t> labels,
                std::span<const std::int64_t> weights,
                const Keys& keys);

    FrontAnswer solve(const FrontRequest& request);
    const Dataset& data() const { return data_; }

  private:
    const Dataset& data_for(const LeastSizes& least);

    Dataset data_;
    std::unique_ptr<Dataset> sized_;  // with the sizes of groups of rows; created on first use
    std::once_flag sized_once_;
};

}  // namespace murtree::pareto
