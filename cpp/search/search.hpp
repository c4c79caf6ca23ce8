// The search: Algorithms 1 to 3 of the paper over a node at a time.
//
// A node is a set of rows with a limit on depth and one or more limits on the number of nodes: each
// of these is a *request*, and all requests to a node are answered in one go, for they share the
// counting and most of the bounds. A tree with a given number of nodes is one request, the whole
// frontier is many.
//
// A node is worked on in passes of growing depth (iterative deepening): the optimum at depth k is
// an incumbent for depth k + 1, a bound for every part, and orders the features. From depth three
// on a pass tries every feature as the root; at depth three the parts are solved by DepthTwo, below
// that by recursion.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "depth_two/depth_two.hpp"
#include "depth_two/stump.hpp"
#include "depth_two/summed.hpp"
#include "requests/limits.hpp"
#include "requests/request.hpp"
#include "requests/task.hpp"
#include "requests/techniques.hpp"
#include "requests/tree.hpp"
#include "search/cache.hpp"
#include "search/similarity.hpp"

namespace murtree {

class Search {
  public:
    static constexpr std::int64_t unlimited = std::int64_t{1} << 60;
    using Costs = std::vector<std::int64_t>;
    using Outcomes = std::vector<Outcome>;

    Search(const Dataset& data,
           const Techniques& techniques,
           const Task& task,
           std::size_t pair_bytes,  // see DepthTwoRules
           Cache& cache,
           Limits& limits,
           SearchStats& stats);

    // For each request of the range the optimum if its cost is at most `upper`, otherwise a lower
    // bound. Costs are beyond the unavoidable.
    Outcomes solve(Range range, const Costs& upper);

    // What solve() knows of each request, also while it runs or after the limits stopped it: a
    // lower bound, and the root of the best tree found (unsolved: none).
    const Costs& proven_lower() const { return proven_lower_; }
    const Outcomes& incumbents() const { return incumbents_; }
    // The share of the root's features that the pass of the whole depth has dealt with.
    double share_done() const { return share_done_; }

    // The tree of a solved outcome of the whole data. If the limits stop a part that had been
    // forgotten, that part is greedy.
    Tree reconstruct(const Outcome& outcome, Budget budget);

    // A quick good tree: greedy, with the depth-two algorithm as look-ahead. Once the limits have
    // stopped the search it goes no deeper, and where even that takes long there is a single node.
    Tree greedy_tree(Budget budget);

    // A better one: each root is that of the optimal tree of depth `ahead`, and the last `ahead`
    // levels are optimal. Where the limits stop it, it goes on greedily.
    Tree look_ahead_tree(Budget budget, std::uint32_t ahead);

  private:
    // A set of rows as part of another.
    struct Subset {
        const Rows* source = nullptr;
        std::vector<std::uint32_t> row_numbers;
        Part part;
        Fingerprint branch;  // of the literals that lead here, in any order

        // By request and feature of the source: no tree within the budget that has it at the root
        // costs less. Empty: nothing is known or wanted. solve_subset() raises them.
        Costs root_bounds = {};
    };

    // Work space of one node. A slot is a request: slot s asks for at most first + s nodes.
    template <class Lane>
    struct Node {
        DepthTwo<Lane> two;
        Range range{};
        Fingerprint branch;
        std::int64_t leaf_cost = 0;
        Costs known;                        // by slot: a lower bound
        Costs upper;                        // by slot: what the tree may cost
        Outcomes best;                      // by slot: the incumbent; its `lower` is its cost
        std::uint32_t shallower_depth = 0;  // of the last pass, and ...
        Costs shallower;                    // ... by slot a lower bound for that depth ...
        std::size_t shallower_last = 0;     // ... which dealt with the slots up to this one
        std::size_t last_score = 0;         // the slot whose scores order the features

        // Of the current pass.
        std::uint32_t depth = 0;
        std::size_t first_slot = 0;
        std::size_t last_slot = 0;
        Costs pass_upper;  // by slot, as `upper` and `known` but for the depth of the pass
        Costs pass_known;
        bool completed = false;    // every feature has been tried
        bool learns = false;       // whether bounds by root are kept for the parts
        bool learned = false;      // whether `scores` has bounds for every root
        Costs limit;               // by slot: worth finding up to this cost; negative: closed
        Costs refined;             // by slot: the least bound over the features tried
        Costs bound;               // by slot: the bound with the present feature at the root
        std::uint32_t fewest = 0;  // a part has at least this many nodes, and ...
        std::uint32_t most = 0;    // ... at most this many
        std::array<AlignedVector<kernels::Cost<Lane>>, 2>
            lower;                                        // of parts: nodes - fewest, feature
        std::array<std::vector<std::uint8_t>, 2> solved;  // whether the bound is the optimum
        std::array<Costs, 2>
            two_costs;  // of the parts, by feature: of two and three nodes in two levels
        std::array<Costs, 2> wanted;  // by nodes - fewest: up to which cost a part is worth solving
        Costs root_lower;             // by slot and feature: a bound with it at the root
        Costs scores;                 // the same as the pass finds it; orders the next pass
        RootBounds<kernels::Weight<Lane>> root_bounds;  // the same for the parts
        std::vector<std::uint32_t> order;
        std::vector<std::pair<std::int64_t, std::uint32_t>> ranking;  // to sort the features by
        std::array<std::vector<std::uint32_t>, 2> twins;              // see find_twins()

        std::uint32_t nodes_of(std::size_t slot) const {
            return std::min(range.first + static_cast<std::uint32_t>(slot),
                            Budget::most_nodes(depth));
        }
        // For the two parts together: a full budget is two full ones.
        std::uint32_t below(std::size_t slot) const {
            const std::uint32_t nodes = nodes_of(slot);
            return nodes == Budget::most_nodes(depth) ? 2 * Budget::most_nodes(depth - 1)
                                                      : nodes - 1;
        }
        std::size_t slot_of(std::uint32_t nodes) const {
            return nodes <= range.first
                       ? 0
                       : std::min(std::size_t{nodes - range.first}, range.size() - 1);
        }
        // Whether the current pass has the last word on a request: no later one goes deeper, or
        // has the nodes for it.
        bool is_final(std::size_t slot) const {
            return depth == range.depth || range.first + slot <= depth;
        }
        // A tree for fewer nodes is one for more.
        void share_best() {
            for (std::size_t slot = 1; slot < best.size(); ++slot)
                if (best[slot - 1].lower < best[slot].lower) best[slot] = best[slot - 1];
        }
        std::int64_t shallower_bound(std::uint32_t nodes) const {
            return shallower[std::min(slot_of(nodes), shallower_last)];
        }
        std::size_t index(std::uint32_t nodes, std::size_t feature) const {
            return (nodes - fewest) * two.stride() + feature;
        }
        std::size_t at(std::size_t slot, std::size_t feature) const {
            return slot * two.stride() + feature;
        }
    };

    struct Level {
        Rows rows;
        Subset child;
        Outcomes child_outcomes;
        std::tuple<Node<std::int16_t>, Node<std::int32_t>, Node<std::int64_t>, Node<Summed>> nodes;
    };

    // search.cpp: Algorithm 1 and what is known of a set of rows.
    std::int64_t cost_of(std::int64_t errors) const { return errors * task_.price_of_error; }
    std::int64_t leaf_cost_of(const Rows& rows, std::span<const std::uint32_t> row_numbers) const;
    // Of a branching node that tests this column.
    std::int64_t price_of(std::uint32_t column) const {
        if (rules_.sums == nullptr) return task_.price_of_node;
        return task_.price_of_node +
               cost_of(static_cast<std::int64_t>(rules_.sums->feature_cost(column)));
    }
    std::optional<Stump> stump_of(const Rows& rows) const;
    std::uint32_t useful_nodes(std::size_t n_rows, std::int64_t leaf_cost) const;
    Budget normalise(Budget budget, std::size_t n_rows, std::int64_t leaf_cost) const;
    Level& level(std::size_t number);
    Subset whole() const;
    void select(const Subset& subset, Rows& rows) const;
    Subset subset_of(const Rows& source, std::vector<std::uint32_t> row_numbers) const;
    static std::int64_t total_weight(const Rows& rows);
    Fingerprint literal(std::uint32_t column, int side) const;
    Fingerprint key_of(const Part& part, const Fingerprint& branch) const {
        return (techniques_.cache == CacheKind::branch ? branch : part.fingerprint) ^ salt_;
    }
    bool uses_cache() const { return techniques_.cache != CacheKind::none; }
    bool uses_similarity() const {
        return techniques_.similarity_bound && !task_.least_sizes.any() && weighs_;
    }
    Fingerprint task_key(const Fingerprint& key) const { return key ^ task_salt_; }
    void remember(const Fingerprint& key, Budget budget, const Outcome& outcome);
    Outcome look_up(const Fingerprint& key,
                    Budget budget,
                    std::size_t n_rows,
                    std::int64_t leaf_cost) const;
    Outcome look_up_others(const Fingerprint& key, Budget budget, Outcome known) const;
    Outcome look_up_any_depth(const Fingerprint& key,
                              Budget budget,
                              Budget any_depth,
                              Outcome known) const;

    // Calls the action with a lane wide enough for every count and cost of these rows; the sum of
    // two costs must fit as well.
    static constexpr std::int64_t max_narrow_cost = std::int64_t{1} << 30;
    template <class Action>
    auto with_lane(const Rows& rows, Action action) const {
        if (rules_.sums != nullptr) return action(Summed{});
        const std::int64_t weight = total_weight(rows);
        if (cost_of(weight) > max_narrow_cost) return action(std::int64_t{});
        if (weight <= std::numeric_limits<std::int16_t>::max()) return action(std::int16_t{});
        return action(std::int32_t{});
    }

    void solve_subset(
        std::size_t number, Subset& subset, Range range, const Costs& upper, Outcomes& outcomes);
    bool recall_all(const Subset& subset, Range range, const Costs& upper, Outcomes& outcomes);
    bool bound_by_clusters(const Subset& subset,
                           Range range,
                           const Costs& upper,
                           Outcomes& outcomes) const;
    void store_all(const Subset& subset, Range range, const Outcomes& outcomes, bool any_depth);
    Outcome solve_one(std::size_t number, Subset& subset, Budget budget);
    Outcome solve_stump(const Rows& rows, const Part& part) const;

    // node.cpp: the passes over one node (Algorithm 2).
    template <class Lane>
    bool solve_node(
        std::size_t number, Subset& subset, Range asked, const Costs& upper, Outcomes& outcomes);
    template <class Lane>
    void prepare(Node<Lane>& node,
                 const Subset& subset,
                 Range asked,
                 const Costs& upper,
                 const Outcomes& outcomes) const;
    template <class Lane>
    std::uint32_t next_depth(const Node<Lane>& node, std::uint32_t depth) const;
    template <class Lane>
    void try_depth_two(Node<Lane>& node, const Part& part);
    template <class Lane>
    void take_root_bounds(std::size_t number, Node<Lane>& node, const Subset& subset, Range asked);
    template <class Lane>
    bool is_dominated(const Node<Lane>& node, std::size_t feature) const;
    template <class Lane>
    void give_root_bounds(std::size_t number,
                          const Node<Lane>& node,
                          Subset& subset,
                          Range asked) const;
    template <class Lane>
    bool start_pass(Node<Lane>& node, const Part& part, std::uint32_t depth);
    template <class Lane>
    void arrange(Node<Lane>& node, const Part& part);
    template <class Lane>
    void sort_features(Node<Lane>& node, const Part& part);
    template <class Lane>
    void pass(std::size_t number, Node<Lane>& node);
    template <class Lane>
    bool close_slots(Node<Lane>& node) const;
    template <class Lane>
    void finish_pass(Node<Lane>& node, const Part& part);
    template <class Lane>
    void report_root(Node<Lane>& node);
    template <class Lane>
    void bound_root(Node<Lane>& node);

    // split.cpp: one feature at the root (Algorithm 3).
    template <class Lane>
    void try_feature(std::size_t number, Node<Lane>& node, std::size_t feature);
    template <class Lane>
    bool add_up(Node<Lane>& node, std::size_t feature) const;
    template <class Lane>
    bool want(Node<Lane>& node, std::size_t feature, std::size_t side) const;
    template <class Lane>
    void want_less(Node<Lane>& node, std::size_t feature, std::size_t side) const;
    template <class Lane>
    void improve(std::size_t number, Node<Lane>& node, std::size_t feature);
    template <class Lane>
    void bound_parts(Node<Lane>& node, std::size_t feature) const;
    template <class Lane>
    void look_up_parts(Node<Lane>& node);
    template <class Lane>
    void look_up_part(Node<Lane>& node, std::size_t side);
    template <class Lane>
    void find_twins(Node<Lane>& node) const;
    template <class Lane>
    void transfer(Node<Lane>& node, std::size_t feature);
    template <class Lane>
    bool set_part(Node<Lane>& node, std::size_t side, const DepthTwoCosts& costs) const;
    template <class Lane>
    void solve_part(std::size_t number, Node<Lane>& node, std::size_t side);
    template <class Lane>
    void solve_parts_at_depth_two(Node<Lane>& node);

    // reconstruct.cpp
    void build(std::size_t number, Subset& subset, Budget budget, const Outcome* known, Tree& tree);
    template <class Lane>
    std::optional<DepthTwoTree> depth_two_tree(std::size_t number, std::uint32_t nodes);
    void build_greedy(std::size_t number, Subset& subset, Budget budget, Tree& tree);
    template <class Lane>
    bool build_greedy_node(std::size_t number, Budget budget, Tree& tree);
    template <class AddPart>
    void add_parts(std::size_t number,
                   std::size_t feature,
                   const Fingerprint& branch,
                   Tree& tree,
                   AddPart add_part);
    void build_ahead(
        std::size_t number, Subset& subset, Budget budget, std::uint32_t ahead, Tree& tree);
    std::uint32_t root_of(std::size_t number, const Outcome& outcome, Budget budget);
    static std::uint32_t share_out(Budget budget,
                                   std::int64_t left_wrong,
                                   std::int64_t right_wrong);
    void add_stump(const Rows& rows, Tree& tree);
    void add_depth_two(const DepthTwoTree& two, Tree& tree);
    void set_split(std::size_t node,
                   std::uint32_t column,
                   std::array<std::int32_t, 2> children,
                   Tree& tree);

    const Dataset& data_;
    Techniques techniques_;
    Task task_;
    DepthTwoRules rules_;
    bool weighs_ = true;                 // whether sums of weights are small enough to be exact
    std::vector<Fingerprint> literals_;  // of each column, side by side; see literal()
    Fingerprint salt_;                   // of what changes every entry: the sizes of leaves
    Fingerprint task_salt_;  // of what changes all but the depth-two entries: the prices
    Cache& cache_;
    Limits& limits_;
    SearchStats& stats_;
    std::vector<std::unique_ptr<Level>> levels_;
    Costs proven_lower_;
    Outcomes incumbents_;
    double share_done_ = 0;
    Range root_range_{};
    bool is_asked_ = false;        // solve() is at work, not a tree made from its outcomes
    std::optional<Limits> grace_;  // of a tree that is made when the time is up
};

}  // namespace murtree
