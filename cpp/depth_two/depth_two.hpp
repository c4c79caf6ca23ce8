// The specialised algorithm for trees of depth two (paper: "Specialised Algorithm for Trees of
// Depth Two").
//
// The pair counts of a set of rows D (phase one, see PairCounts) give the optimal trees of depth
// two for D (phase two). They also give those for D(f) and D(not f), for any feature f, at the cost
// of counting only the smaller of the two parts.
//
// If leaves have minimum sizes, each size is counted like an additional class, and a split is valid
// only if its leaves are large enough.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "counts/pair_counts.hpp"
#include "data/rows.hpp"
#include "depth_two/small_tree.hpp"
#include "depth_two/split_sums.hpp"
#include "objectives/classification.hpp"
#include "objectives/sums.hpp"
#include "requests/limits.hpp"
#include "requests/techniques.hpp"

namespace murtree {

// Requirements on a tree. Minimum sizes need size rows (see Rows).
struct DepthTwoRules {
    Classification objective;
    Counting counting = Counting::automatic;
    LeastSizes least_sizes;
    const Sums* sums = nullptr;                // replaces the objective in a summed problem
    std::size_t pair_bytes = ~std::size_t{0};  // of pair matrices; strips above
};

// A subset of another set of rows: its identity, and the costs known without a search.
struct Part {
    Fingerprint fingerprint;
    std::int64_t leaf_cost = 0;
};

template <class Lane>
class DepthTwo {
  public:
    explicit DepthTwo(const kernels::Table& table = *kernels::active())
        : kernels_(&kernels::lane_kernels<Lane>(table)), counts_(table) {}

    // Counts all pairs of features in these rows, which must outlive the use of this object. If the
    // limits stop it, the counts must not be used. Rows that are already loaded are not counted
    // again; the rules must not change between calls.
    void load(const Rows& rows, const DepthTwoRules& rules, Limits& limits);

    // Approximate time of load(), and of solving the parts of one split, in units of Limits.
    static std::int64_t load_work(const Rows& rows) { return PairCounts<Lane>::load_work(rows); }
    std::int64_t work() const { return counts_.work(); }

    bool is_loaded() const { return counts_.is_loaded(); }
    bool holds(const Rows& rows) const { return counts_.holds(rows); }
    std::size_t n_features() const { return counts_.n_features(); }
    std::size_t stride() const { return counts_.stride(); }

    // Whether both parts of a split by this feature are large enough to be leaves.
    bool may_split(std::size_t feature) const {
        return sums_of(n_features(), stride(), counts_.singles().data(), counts_.totals().data())
            .may_split(feature);
    }

    // Whether pairs are counted in strips.
    bool is_in_strips() const { return counts_.is_in_strips(); }

    // Optimal costs for the rows themselves, and for each root feature the cost of its best tree
    // with at most three nodes; an invalid root costs all attainable weight. If the limits stop it,
    // is_solved() is false and these are the costs of the best trees so far; the next call
    // continues from there.
    DepthTwoCosts solve(Limits& limits);
    bool is_solved() const { return next_root_ >= n_features(); }
    std::span<const Lane> root_costs() const { return {root_costs_.data(), n_features()}; }

    // The best tree with at most this many nodes; call solve() first. Ties are broken by fewer
    // nodes, then by the lowest feature.
    DepthTwoTree tree(std::size_t nodes);
    std::uint32_t best_child(std::size_t root, bool with);

    // Attainable weights of the rows with a feature, with two features, and of all rows.
    PartWeights<Lane> weights() const { return counts_.weights(); }
    const Lane* weights_with_both(std::size_t feature) {
        return counts_.weights_with_both(feature);
    }

    // Leaf costs of D(not f) (side 0) and D(f) (side 1).
    std::int64_t leaf_cost(int side, std::size_t feature) const {
        return leaf_costs_[static_cast<std::size_t>(side)][feature];
    }

    // The cost of the best tree with at most one node for D(not f) (side 0) or D(f) (side 1); call
    // solve() first. Never above the leaf cost.
    std::int64_t split_cost(int side, std::size_t feature) const {
        return objective_.cost(weight_of(side, feature),
                               side == 1 ? right_[feature] : left_[feature]);
    }

    // The dataset column of a feature.
    std::uint32_t column(std::size_t feature) const { return counts_.rows().features[feature]; }

    // The weighted Gini impurity of the two parts of a split; lower is purer.
    double gini(std::size_t feature) const;

    // Sets the feature that splits the rows; the methods below refer to its two parts.
    void split(std::size_t feature) { counts_.split(feature); }
    std::size_t feature() const { return counts_.feature(); }
    std::size_t n_rows(int side) const { return counts_.n_rows(side); }
    Part part(int side) const { return {counts_.fingerprint(side), leaf_cost(side, feature())}; }
    void row_numbers(int side, std::vector<std::uint32_t>& numbers) const {
        counts_.row_numbers(side, numbers);
    }

    // Optimal depth-two costs of one part (wanted: without the feature, with it), or of both. If
    // the limits stop it, the costs must not be used. If `all_budgets` is false, only the last
    // cost, for three nodes, has to be filled in: a full budget needs no other.
    void solve_parts(std::array<bool, 2> wanted,
                     bool all_budgets,
                     Limits& limits,
                     std::array<DepthTwoCosts, 2>& costs);

  private:
    // A set of rows in phase two: its counts of single features and of all rows, and the results.
    struct SideView {
        std::size_t n_features;
        std::size_t stride;
        kernels::Side<Lane> side;
    };
    struct SideArrays {
        std::size_t n_features = 0;
        std::size_t stride = 0;
        AlignedVector<Lane> singles, totals, right, left;

        SideView view() {
            right.resize(stride);
            left.resize(stride);
            return {n_features, stride, {singles.data(), totals.data(), right.data(), left.data()}};
        }
    };
    static constexpr kernels::Side<Lane> no_side{nullptr, nullptr, nullptr, nullptr};

    bool is_sized() const { return counts_.layout().n_sizes() > 0; }
    SplitSums<Lane> sums_of(std::size_t n_features,
                            std::size_t stride,
                            const Lane* singles,
                            const Lane* totals) const {
        return {singles, totals, n_features, stride, objective_.n_counts(), min_sizes_};
    }
    SplitSums<Lane> sums_of(const SideView& view) const {
        return sums_of(view.n_features, view.stride, view.side.singles, view.side.totals);
    }
    // Attainable weight of the rows with a feature (side 1) or without it.
    std::int64_t weight_of(int side, std::size_t feature) const {
        const Lane with = counts_.weight_with(feature);
        return side == 1 ? with : counts_.weight() - with;
    }

    // depth_two.cpp: the node.
    SideView whole() {
        return {n_features(),
                stride(),
                {counts_.singles().data(), counts_.totals().data(), right_.data(), left_.data()}};
    }
    void choose_sizes(const LeastSizes& least);
    std::array<Lane, 2> leaf_values(const SideView& view, std::size_t root) const;
    void run(const kernels::PhaseTwo<Lane>& task) const;
    void solve_from_counts(const Lane* counts, const SideView& view) const;
    void start_roots(const SideView& view) const;
    void solve_strips(const Packed<Lane>& packed,
                      const SideView& view,
                      std::size_t& next_root,
                      Limits& limits);
    DepthTwoCosts costs_of(const SideView& view, std::int64_t attainable, bool all_budgets) const;

    // depth_two_parts.cpp
    void solve_parts_in_strips(std::array<bool, 2> wanted, Limits& limits);
    void solve_dense_parts(std::array<bool, 2> wanted, Limits& limits);
    void solve_sparse_parts(std::array<bool, 2> wanted, Limits& limits);
    void solve_sparse_smaller();
    void choose_features(const SideArrays& side);

    const kernels::LaneKernels<Lane>* kernels_;
    PairCounts<Lane> counts_;
    Classification objective_{2};
    std::vector<Lane> min_sizes_;  // minimum leaf sizes, of the sizes that have one
    std::size_t next_root_ = 0;    // solve() has processed the roots before this one

    std::array<std::vector<std::int64_t>, 2> leaf_costs_;
    AlignedVector<Lane> right_;  // results of phase two for the node
    AlignedVector<Lane> left_;
    AlignedVector<Lane> root_costs_;

    std::array<SideArrays, 2> sides_;  // the parts
    FeatureChoice choice_;             // the features that can split the smaller part
    SideArrays chosen_;                // the smaller part, restricted to them
};

}  // namespace murtree
