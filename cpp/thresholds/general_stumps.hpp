// Best stumps for any number of labels and with a minimum size of leaves, by plain loops.
#pragma once

#include <vector>

#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

class GeneralStumps : public Stumps {
  public:
    GeneralStumps(RowSet& rows, const LeastLeaf& least_leaf);

    Cost whole(std::size_t chain) override;
    Sides stumps(std::size_t chain, std::size_t edge) override;
    std::int64_t effort() const override {
        return static_cast<std::int64_t>(rows_.n_rows() * (2 + n_labels_) / 16);
    }

  private:
    // The rows of one side: costs by label, of all rows and of those already passed.
    struct Side {
        std::vector<Cost> all, left;
        std::int64_t n_all = 0, n_left = 0;
        std::int64_t weight_all = 0, weight_left = 0;  // of leaves
        Cost best = infeasible;
    };

    void pass(std::size_t chain, std::uint8_t first_right);
    void close(Side& side) const;

    LeastLeaf least_leaf_;
    Side left_, right_;
};

}  // namespace murtree::thresholds
