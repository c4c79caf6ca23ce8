// The bi-objective depth-two solver: fronts of all trees of depth at most two, from pair counts
// (paper: "Specialised Algorithm for Trees of Depth Two" and "Optimising Nonlinear Metrics").
//
// For the rows on one side of a root, n0 of class 0 and n1 of class 1, a leaf gives the points (0,
// n1) and (n0, 0). A split by a feature with in0 and in1 of them adds only two points, (in0, n1 -
// in1) and (n0 - in0, in1): two leaves with the same label are equivalent to one. The front of a
// root is the Minkowski sum of the fronts of its two sides.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pareto/class_counts.hpp"
#include "pareto/front_builder.hpp"

namespace murtree::pareto {

template <class Lane>
class DepthTwoFront {
  public:
    // The fronts of trees with at most `first`, ..., at most `last` nodes (0 to 3) of depth at most
    // two; `from` is the source of the view. If the limits stop it, they contain the points found
    // so far.
    std::vector<Front> solve(const CountsView<Lane>& counts,
                             ClassCounts<Lane>& from,
                             std::uint32_t first,
                             std::uint32_t last,
                             Limits& limits);

  private:
    using Count = typename CountsView<Lane>::Count;

    struct Weights {
        std::int64_t n0;
        std::int64_t n1;
    };

    void start(std::uint32_t first, std::uint32_t last);
    void choose_features();
    bool is_perfect() const;
    bool is_wanted(std::uint32_t nodes) const { return first_ <= nodes && nodes <= last_; }
    FrontBuilder& builder(std::uint32_t nodes) { return builders_[nodes - first_]; }

    void add_single_splits();
    void add_root(std::uint32_t root);
    void find_side(std::uint32_t root, int side, std::vector<Candidate>& front);
    void find_dense_side(std::uint32_t root,
                         int side,
                         const Weights& weights,
                         std::vector<Candidate>& front);
    void add_sums(std::uint32_t root,
                  std::span<const Candidate> left,
                  std::span<const Candidate> right,
                  FrontBuilder& to) const;

    Front trees_of(std::span<const Candidate> candidates) const;
    void append_child(std::uint32_t code, Front& front) const;

    CountsView<Lane> counts_{};
    std::uint32_t first_ = 0;
    std::uint32_t last_ = 0;
    std::array<FrontBuilder, 4> builders_;       // by number of nodes, from first_ on
    std::vector<std::uint32_t> splitting_;       // the features that may split the rows
    std::array<std::vector<Count>, 2> singles_;  // by class and feature
    FrontBuilder side_builder_;
    std::vector<std::uint64_t> slots_;  // used by find_dense_side; all free between calls
    std::array<std::vector<Candidate>, 2> sides_;
};

}  // namespace murtree::pareto
