// One request to a solver, from the first quick tree to the proof or the end of the time (paper:
// "Anytime Behaviour").
#pragma once

#include <optional>
#include <vector>

#include "requests/request.hpp"
#include "search/problem.hpp"
#include "search/search.hpp"
#include "search/tree_builder.hpp"

namespace murtree {

class Anytime {
  public:
    Anytime(const Dataset& data,
            const Techniques& techniques,
            const Request& request,
            std::size_t pair_bytes,  // see DepthTwoRules
            Cache& cache,
            Limits& limits,
            SearchStats& stats);

    // `may_search`: whether the cache may be used; otherwise only a quick tree is built.
    std::vector<Answer> run(bool may_search);
    Progress progress() const;

  private:
    // Costs here include the unavoidable errors.
    struct Best {
        std::optional<CountedTree> tree;
        std::int64_t cost = unlimited;
        std::int64_t lower = 0;

        bool is_proven() const { return lower >= cost; }
    };

    void find_first_trees(std::uint32_t depth);
    bool search_on(const Costs& upper, bool is_whole = true);
    void search_in_slices();
    bool climb(double seconds);
    std::uint32_t last_ahead() const;
    bool refute(double seconds);
    void take(std::size_t slot, const Outcome& outcome, bool is_optimum);
    void take_all(const Outcomes& outcomes, const Costs& upper);
    void offer(std::size_t slot, const Tree& tree);
    std::int64_t rounding(const CountedTree& tree) const;
    Costs uppers() const;
    std::size_t last_open() const;
    Answer answer(std::size_t slot) const;
    Budget budget(std::size_t slot) const;
    std::int64_t wanted() const;

    const Dataset& data_;
    const Request& request_;
    const Techniques& techniques_;
    Limits& limits_;
    Problem problem_;
    Search search_;
    TreeBuilder trees_;
    std::int64_t unavoidable_;  // as a cost
    std::vector<Best> best_;
    double share_done_ = 0;  // the largest fraction reached by a search for the whole request
    bool is_whole_ = true;  // whether the current search is for the whole request, not a refutation
    std::uint32_t ahead_ = 3;  // depth of the next look-ahead tree
    std::int64_t step_ = 0;    // distance of the next threshold from the bound
};

}  // namespace murtree
