// The search: Algorithms 1 to 3 of the paper over a node at a time.
//
// A node is a set of rows with a limit on depth and on the number of nodes. It is worked on in
// passes of growing depth (iterative deepening): the optimum at depth k is an incumbent for depth k
// + 1, a bound for every part, and orders the features. From depth three on a pass tries every
// feature as the root; at depth three the parts are solved by DepthTwo, below that by recursion.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

#include "search/bounds.hpp"
#include "search/cache.hpp"
#include "search/depth_two.hpp"
#include "search/limits.hpp"
#include "search/tree.hpp"

namespace murtree {

// Every technique can be switched off; the optimum is the same.
struct Techniques {
    bool cache = true;             // memory of solved subproblems, by set of rows
    bool similarity_bound = true;  // parts bound each other
    bool refined_bound = true;     // a failed node keeps the least sum of its parts' bounds
    bool dynamic_order = true;     // the part with the larger leaf cost first, not the left one
    bool sibling_bound = true;     // a part's upper bound allows for its sibling's lower bound
    bool first_tree = true;        // a greedy tree as the first upper bound
    bool deepening = true;         // passes of growing depth
};

struct SearchStats {
    std::int64_t nodes = 0;            // nodes whose features were tried as roots
    std::int64_t depth_two_calls = 0;  // parts solved by the depth-two algorithm
    std::int64_t cache_hits = 0;
    std::int64_t roots_pruned = 0;   // features not tried: what similar nodes taught about them
    std::int64_t splits = 0;         // features tried, of which ...
    std::int64_t splits_pruned = 0;  // ... were discarded by the bounds of their parts
};

struct Budget {
    std::uint32_t depth;
    std::uint32_t nodes;

    static constexpr std::uint32_t most_nodes(std::uint32_t depth) { return (1u << depth) - 1; }
};

class Search {
  public:
    static constexpr std::int64_t unlimited = std::int64_t{1} << 60;

    Search(const Dataset& data,
           const Techniques& techniques,
           Cache& cache,
           Limits& limits,
           SearchStats& stats);

    // The optimum within the budget if its cost is at most `upper`, otherwise a lower bound. Costs
    // are beyond the unavoidable.
    Outcome solve(Budget budget, std::int64_t upper);

    // When the limits stopped solve(): what is proven, and the best tree's root found so far
    // (unsolved: none).
    std::int64_t proven_lower() const { return proven_lower_; }
    const Outcome& incumbent() const { return incumbent_; }

    // The tree of a solved outcome of the whole data. If the limits stop a part that had been
    // forgotten, that part is greedy.
    Tree reconstruct(const Outcome& outcome, Budget budget);

    // A quick good tree: greedy, with the depth-two algorithm as look-ahead. Once the limits have
    // stopped the search it goes no deeper, and where even that takes long there is a single node.
    Tree greedy_tree(Budget budget);

  private:
    // A set of rows as part of another.
    struct Subset {
        const Rows* source;
        std::vector<std::uint32_t> row_numbers;
        Part part;

        // By feature of the source: no tree within the budget that has it at the root costs less.
        // Empty: nothing is known or wanted. solve_subset() raises them.
        std::vector<std::int64_t> root_bounds = {};
    };

    // Work space of one node.
    template <class Lane>
    struct Node {
        DepthTwo<Lane> two;
        Budget budget{};                           // of the current pass
        std::uint32_t fewest = 0;                  // a part has at least this many nodes, and ...
        std::array<AlignedVector<Lane>, 2> lower;  // bounds of the parts: nodes - fewest, feature
        std::array<std::vector<std::uint8_t>, 2> solved;  // whether the bound is the optimum
        std::vector<std::int64_t> root_lower;             // by feature: bound with it at the root
        RootBounds<Lane> root_bounds;                     // the same for the parts
        std::vector<std::int64_t> scores;                 // by feature: the order of the next pass
        std::vector<std::uint32_t> order;
        std::int64_t shallower = 0;  // lower bound of the node itself for depth - 1
        Outcome best;                // best.lower is the cost of the incumbent

        std::size_t index(std::uint32_t nodes, std::size_t feature) const {
            return (nodes - fewest) * two.stride() + feature;
        }
        bool has_one_budget() const { return 2 * fewest == budget.nodes - 1; }
    };

    struct Level {
        Rows rows;
        Subset child;
        std::tuple<Node<std::int16_t>, Node<std::int32_t>, Node<std::int64_t>> nodes;
    };

    Budget normalise(Budget budget, std::size_t n_rows) const;
    Level& level(std::size_t number);
    Subset whole() const;
    Subset subset_of(const Rows& source, std::vector<std::uint32_t> row_numbers) const;
    static std::int64_t total_weight(const Rows& rows);

    // Calls the action with a lane wide enough for every count of these rows.
    template <class Action>
    static auto with_lane(const Rows& rows, Action action) {
        const std::int64_t weight = total_weight(rows);
        if (weight <= std::numeric_limits<std::int16_t>::max()) return action(std::int16_t{});
        if (weight <= std::numeric_limits<std::int32_t>::max()) return action(std::int32_t{});
        return action(std::int64_t{});
    }

    Outcome solve_subset(std::size_t number, Subset& subset, Budget budget, std::int64_t upper);
    template <class Lane>
    Outcome solve_node(
        std::size_t number, Subset& subset, Budget budget, Outcome known, std::int64_t upper);
    template <class Lane>
    void try_depth_two(Node<Lane>& node, const Part& part, Budget budget);
    template <class Lane>
    bool recall(Node<Lane>& node, const Part& part, Budget budget);
    template <class Lane>
    void start_pass(Node<Lane>& node, Budget budget);
    template <class Lane>
    std::int64_t pass(std::size_t number,
                      Node<Lane>& node,
                      const Part& part,
                      std::int64_t known,
                      std::int64_t upper);
    template <class Lane>
    std::int64_t try_feature(std::size_t number,
                             Node<Lane>& node,
                             std::size_t feature,
                             std::int64_t upper);
    template <class Lane>
    std::int64_t try_split(std::size_t number,
                           Node<Lane>& node,
                           std::size_t feature,
                           std::array<std::uint32_t, 2> nodes,
                           std::int64_t upper);
    template <class Lane>
    void bound_parts(Node<Lane>& node, std::size_t feature, std::array<std::uint32_t, 2> nodes);
    template <class Lane>
    void look_up_parts(Node<Lane>& node);
    template <class Lane>
    void solve_part(
        std::size_t number, Node<Lane>& node, int side, std::uint32_t nodes, std::int64_t upper);
    template <class Lane>
    void solve_parts_at_depth_two(Node<Lane>& node);
    template <class Lane>
    std::int64_t root_bound(Node<Lane>& node, std::int64_t leaf_cost);

    void build(std::size_t number, Subset& subset, Budget budget, const Outcome* known, Tree& tree);
    void build_greedy(std::size_t number, Subset& subset, Budget budget, Tree& tree);
    template <class Lane>
    bool build_greedy_node(std::size_t number, Budget budget, Tree& tree);
    template <class AddPart>
    void add_parts(std::size_t number, std::size_t feature, Tree& tree, AddPart add_part);
    void add_stump(const Rows& rows, Tree& tree);
    void add_depth_two(const DepthTwoTree& two, Tree& tree);
    void set_split(std::size_t node,
                   std::uint32_t column,
                   std::array<std::int32_t, 2> children,
                   Tree& tree);

    const Dataset& data_;
    Techniques techniques_;
    Classification objective_;
    Cache& cache_;
    Limits& limits_;
    SearchStats& stats_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::int64_t proven_lower_ = 0;
    Outcome incumbent_;
};

}  // namespace murtree
