// Construction of trees for the whole data: from outcomes (paper: "Recovering the Optimal Decision
// Tree"), and quickly without a search.
//
// An outcome contains only the root of its tree: the parts are requested again, which the cache
// answers, and the last two levels are solved again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "requests/limits.hpp"
#include "requests/tree.hpp"
#include "search/search.hpp"

namespace murtree {

class TreeBuilder {
  public:
    explicit TreeBuilder(Search& search)
        : search_(search), problem_(search.problem()), limits_(search.limits()) {}

    // Allows the following trees some extra time after the limits stopped the search.
    void renew_grace() { grace_.reset(); }

    // The tree of a solved outcome of the whole data. If the limits stop a part that the cache has
    // dropped, that part is greedy.
    Tree reconstruct(const Outcome& outcome, Budget budget);

    // A quick, good tree: greedy, with the depth-two algorithm as look-ahead. Once the limits have
    // stopped the search it is not deeper than two, and if even that takes long it has a single
    // node.
    Tree greedy_tree(Budget budget);

    // A better tree: each root is that of the optimal tree of depth `ahead`, and the last `ahead`
    // levels are optimal. If the limits stop it, the rest is greedy.
    Tree look_ahead_tree(Budget budget, std::uint32_t ahead);

  private:
    using Parts = std::array<Subset, 2>;

    void build(std::size_t number, Subset& subset, Budget budget, const Outcome* known, Tree& tree);
    template <class Lane>
    std::optional<DepthTwoTree> depth_two_tree(std::size_t number, std::uint32_t nodes);
    void build_greedy(std::size_t number, Subset& subset, Budget budget, Tree& tree);
    template <class Lane>
    bool build_greedy_node(std::size_t number, Budget budget, Tree& tree);
    Parts parts_of(std::size_t number, std::size_t feature, const Fingerprint& branch);
    template <class AddPart>
    void add_parts(std::uint32_t column, Parts& parts, Tree& tree, AddPart add_part);
    void build_ahead(
        std::size_t number, Subset& subset, Budget budget, std::uint32_t ahead, Tree& tree);
    std::uint32_t root_of(std::size_t number, const Outcome& outcome, Budget budget);
    static std::uint32_t share_out(Budget budget, const Parts& parts);
    void add_stump(const Rows& rows, Tree& tree);
    void add_depth_two(const DepthTwoTree& two, Tree& tree);
    void set_split(std::size_t node,
                   std::uint32_t column,
                   std::array<std::int32_t, 2> children,
                   Tree& tree);

    Search& search_;
    const Problem& problem_;
    Limits& limits_;
    std::optional<Limits> grace_;  // extra time for trees built after the time is up
};

}  // namespace murtree
