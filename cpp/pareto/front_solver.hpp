// The facade of this folder: data and a request in, a front with verified trees out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "data/dataset.hpp"
#include "requests/front_request.hpp"

namespace murtree::pareto {

class FrontSolver {
  public:
    // Data of two classes whose weights are not cancelled (see Reductions).
    explicit FrontSolver(Dataset data) : data_(std::move(data)) {}

    FrontAnswer solve(const FrontRequest& request);
    const Dataset& data() const { return data_; }

  private:
    const Dataset& data_for(const LeastSizes& least);

    Dataset data_;
    std::unique_ptr<Dataset> sized_;  // with the sizes of groups of rows; created on first use
    std::once_flag sized_once_;
};

}  // namespace murtree::pareto
