// The dynamic program: the front of a set of rows within a depth and a number of nodes consists of
// its leaves and, over all features and all ways to distribute the nodes, the Minkowski sums of the
// fronts of its two parts (paper: "Optimising Nonlinear Metrics").
//
// A front contains all non-dominated points, not only those on its convex hull: any metric that is
// monotone in false positives and false negatives has its best tree on the front.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "pareto/class_counts.hpp"
#include "pareto/depth_two_front.hpp"
#include "pareto/front_builder.hpp"
#include "pareto/front_cache.hpp"
#include "requests/front_request.hpp"

namespace murtree::pareto {

template <class Lane>
class FrontSearch {
  public:
    // `data` must be built without cancellation, and with the numbers of rows if leaves have a
    // minimum. `share_done` is updated with the fraction of the root's features that are done.
    FrontSearch(const Dataset& data,
                const LeastSizes& least,
                std::size_t cache_bytes,
                std::size_t pair_bytes,
                Limits& limits,
                double& share_done)
        : rows_(data.reduced()),
          least_(least),
          cache_(cache_bytes),
          pair_bytes_(pair_bytes),
          limits_(limits),
          share_done_(share_done) {}

    // If the limits stop it, returns the points found so far.
    FrontPtr solve(Budget budget);

    const SearchStats& stats() const { return stats_; }
    const FrontCache& cache() const { return cache_; }

  private:
    // Sources of the points of a node: sums of two fronts, or the left front alone if there is no
    // right one.
    struct Source {
        std::uint32_t column;
        FrontPtr left;
        FrontPtr right;
    };

    // The state of a node being searched; one for each level of the recursion.
    struct Level {
        Rows rows;  // of the node; the root's are the dataset's
        ClassCounts<Lane> counts;
        FrontBuilder builder;
        std::vector<Source> sources;
    };

    // A part of a node, and the range of node limits for which its fronts are needed.
    struct Part {
        std::size_t feature;
        int side;
        std::uint32_t depth;
        std::uint32_t first;
        std::uint32_t last;
    };

    Level& level(std::size_t number);
    FrontPtr merged(const FrontPtr& one, const FrontPtr& other);
    FrontPtr solve_small(const Rows& rows, Budget budget, Level& here);
    FrontPtr solve_node(const Rows& rows, Budget budget, std::size_t number);
    void try_split(std::size_t feature, Budget budget, std::size_t number);
    std::vector<FrontPtr> part_fronts(const Part& part, bool& is_counted, std::size_t number);
    void solve_parts_of_depth_two(const Part& part,
                                  bool& is_counted,
                                  Level& here,
                                  std::vector<FrontPtr>& fronts);
    void solve_deep_parts(const Part& part, std::size_t number, std::vector<FrontPtr>& fronts);
    void add_source(Source source, Level& here);
    FrontPtr collect(Level& here);

    const Rows& rows_;
    LeastSizes least_;
    FrontCache cache_;
    std::size_t pair_bytes_;  // of one level; see CountRules
    Limits& limits_;
    double& share_done_;
    SearchStats stats_;
    DepthTwoFront<Lane> depth_two_front_;
    std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace murtree::pareto
