// Best stumps for any number of labels, by plain loops.
#pragma once

#include <vector>

#include "thresholds/stumps.hpp"

namespace murtree::thresholds {

class GeneralStumps : public Stumps {
  public:
    GeneralStumps(RowSet& rows, const LeastLeaf& least_leaf);

    Cost whole(std::size_t chain) override { return whole(chain, {}); }
    Cost sized_whole(std::size_t chain) override { return whole(chain, least_leaf_); }
    Sides stumps(std::size_t chain, std::size_t edge) override { return stumps(chain, edge, {}); }
    Cost sized_stump(std::size_t chain, std::size_t edge, bool is_left) override {
        const Sides sides = stumps(chain, edge, least_leaf_);
        return is_left ? sides.left : sides.right;
    }

  private:
    std::int64_t scan_effort() const override {
        return static_cast<std::int64_t>(rows_.n_rows() * (2 + n_labels_) / 16);
    }
    // The rows of one side: costs by label, of all rows and of those already passed.
    struct Side {
        std::vector<Cost> all, left;
        std::int64_t n_all = 0, n_left = 0;
        std::int64_t weight_all = 0, weight_left = 0;  // of leaves
        Cost best = infeasible;
    };

    Cost whole(std::size_t chain, const LeastLeaf& least_leaf);
    Sides stumps(std::size_t chain, std::size_t edge, const LeastLeaf& least_leaf);
    void pass(std::size_t chain, std::uint8_t first_right, const LeastLeaf& least_leaf);
    static void close(Side& side, const LeastLeaf& least_leaf);

    Side left_, right_;
};

}  // namespace murtree::thresholds
