#include "thresholds/solver.hpp"

#include <algorithm>
#include <utility>

#include "thresholds/labelled_tree.hpp"
#include "thresholds/prune.hpp"
#include "thresholds/run.hpp"

namespace murtree::thresholds {
namespace {

// The share of the time that the largest of several sizes gets first.
constexpr double share_of_largest = 0.4;

// The largest of several sizes is searched first: its lower bound holds for all, and the parts of
// its tree are trees for the others, which follow in increasing order.
class Sizes {
  public:
    Sizes(const Table& table, const CutRequest& request)
        : table_(table), rows_(all_rows(table)), limits_(request.time_limit, [this, &request] {
              return request.watch && request.watch(runs_.back().progress(limits_.seconds()));
          }) {
        for (std::uint32_t nodes = request.range.first; nodes <= request.range.last; ++nodes)
            runs_.emplace_back(
                table, request, Budget{request.range.depth, nodes}, rows_, answers_.stats);
    }

    CutAnswers solve() {
        if (runs_.size() > 1) {
            search(runs_.back(), share_of_largest);
            offer_pruned();
        }
        for (std::size_t k = 0; k < runs_.size(); ++k)
            search(runs_[k], 1.0 / static_cast<double>(runs_.size() - k));
        // A lower bound for more nodes also holds for fewer.
        for (std::size_t k = runs_.size() - 1; k-- > 0;)
            runs_[k].raise_bound(runs_[k + 1].lower_bound());
        for (const Run& run : runs_)
            answers_.by_nodes.push_back(run.answer(limits_.was_interrupted()));
        answers_.seconds = limits_.seconds();
        return std::move(answers_);
    }

  private:
    void search(Run& run, double share) {
        run.raise_bound(runs_.back().lower_bound());
        limits_.start_share(share * limits_.seconds_left());
        // Once time is up there are trees of all sizes.
        if (!limits_.is_over() || !has_searched_) run.search(limits_);
        has_searched_ = true;
        run.polish();
        offer(CutTree(run.tree()), run.cost());
    }

    // A tree is one for all sizes that allow its tests.
    void offer(const CutTree& tree, Cost cost) {
        for (Run& run : runs_)
            if (tree.n_tests() <= run.max_nodes()) run.offer(tree, cost);
    }

    void offer_pruned() {
        const Run& largest = runs_.back();
        for (const PrunedTree& one : pruned(largest.tree(), table_, rows_, largest.prices()))
            offer(one.tree, one.cost);
    }

    const Table& table_;
    const std::vector<std::uint32_t> rows_;  // all
    CutAnswers answers_;
    std::vector<Run> runs_;  // by nodes
    Limits limits_;
    bool has_searched_ = false;
};

}  // namespace

CutAnswers solve(const Table& table, const CutRequest& request) {
    return Sizes(table, request).solve();
}

}  // namespace murtree::thresholds
