#include "thresholds/run.hpp"

#include <algorithm>
#include <stdexcept>

#include "thresholds/greedy.hpp"
#include "thresholds/hard_rows.hpp"
#include "thresholds/labelled_tree.hpp"
#include "thresholds/polish.hpp"

namespace murtree::thresholds {
namespace {

// The share of the time limit that first trees may take.
constexpr double share_of_first_trees = 0.2;
// The share that may go to raising the lower bound, and the first number of rows used for that.
constexpr double share_of_refutation = 0.4;
constexpr std::size_t fewest_hard_rows = 512;
// Without a time limit: the seconds of the first turn of the search, and by how much turns grow.
constexpr double first_turn = 1.0, growth_of_turns = 4.0;

Prices prices_of(const Task& task, const Table& table) {
    return {task.price_of_error * table.unit(),
            task.price_of_node,
            {std::max<std::int64_t>(task.least_sizes.of[n_original_rows], 1),
             task.least_sizes.of[leaf_weight]}};
}

}  // namespace

Run::Run(const Table& table,
         const CutRequest& request,
         Budget budget,
         std::span<const std::uint32_t> rows,
         Stats& stats)
    : table_(table),
      budget_(budget),
      rows_(rows),
      stats_(stats),
      depth_(std::min(budget.depth, budget.nodes)),
      prices_(prices_of(request.task, table)),
      unavoidable_(request.task.price_of_error * table.unavoidable()),
      is_anytime_(request.anytime),
      tree_(CutTree::leaf()),
      cost_(cost_of(tree_)) {
    if (request.upper_bound >= 0) wanted_ = request.upper_bound - unavoidable_ + 1;
    if (depth_ == 0 || table.chains().empty()) lower_ = cost_;
}

bool Run::is_better(const CutTree& tree, Cost cost) const {
    return cost < cost_ || (cost == cost_ && tree.n_tests() < tree_.n_tests());
}

void Run::offer(const CutTree& tree, Cost cost) {
    if (!is_better(tree, cost)) return;
    tree_ = tree;
    cost_ = cost;
}

void Run::polish() {
    tree_ = polished(std::move(tree_), table_, prices_);
    cost_ = cost_of(tree_);
}

void Run::search(Limits& limits) {
    if (is_proven()) return;
    limits_ = &limits;
    const double seconds = limits.share_left();
    Search search(table_, prices_, depth_, limits, stats_);
    const bool is_limited = seconds < Limits::forever;
    is_anytime_ |= is_limited;
    if ((is_deep() && is_anytime_) || is_limited) try_greedy(search);
    running_ = &search;
    if (is_limited)
        take_turn(search, std::clamp(seconds / 10, 0.05, 1.0), seconds);
    else if (is_deep() && is_anytime_)
        search_by_turns(search);
    if (!is_proven()) attempt(search);
    running_ = nullptr;
}

Cost Run::lower_bound() const {
    const Cost lower = std::max(lower_, running_ != nullptr ? running_->lower_bound() : 0);
    return std::min(lower, cost_);
}

CutProgress Run::progress(double seconds) const {
    CutProgress known{seconds, &tree_, unavoidable_ + lower_bound(), 0};
    if (running_ == nullptr) return known;
    if (running_->tree() != nullptr) known.tree = running_->tree();
    known.share_done = running_->share_done();
    return known;
}

CutAnswer Run::answer(bool was_interrupted) const {
    CutAnswer answer;
    const bool is_wanted = cost_ < wanted_;
    answer.lower_bound = unavoidable_ + lower_bound();
    if (is_wanted) answer.tree = tree_;
    if (lower_ < cost_) answer.status = was_interrupted ? Status::interrupted : Status::time_limit;
    if (!is_wanted && is_proven()) answer.status = Status::infeasible;
    return answer;
}

// A quick try for the proof, and shares of some seconds for first trees and the lower bound.
void Run::take_turn(Search& search, double quick, double seconds) {
    during(quick, [&] { attempt(search); });
    if (is_deep()) during(share_of_first_trees * seconds, [&] { try_trees(search); });
    const double share = share_of_refutation * seconds;
    during(share, [&] { refute(search, share); });
}

// Without a limit, for a user who looks at the bound and may stop the search: longer and longer
// turns. Each starts from the bounds of those before.
void Run::search_by_turns(Search& search) {
    for (double turn = first_turn; !is_proven() && !limits_->is_over(); turn *= growth_of_turns)
        take_turn(search, turn, turn);
}

// Does something for at most so many seconds, unless there is a proof already.
template <class Action>
void Run::during(double seconds, const Action& action) {
    if (is_proven() || limits_->is_over()) return;
    limits_->start_slice(seconds);
    action();
    limits_->end_slices();
}

void Run::try_greedy(Search& search, std::optional<std::uint32_t> root) {
    const CutTree tree = greedy_tree(table_, prices_, budget_, *limits_, root);
    offer(tree, cost_of(tree));
    // A complete search is as long with a better first tree (benchmarks/NOTES.md).
    if (is_anytime_ && is_deep() && !is_proven()) improve(search, tree, 2);
}

// By local search. It may leave tests that no row needs.
void Run::improve(Search& search, const CutTree& tree, std::uint32_t depth) {
    const CutTree better = search.improved(tree, budget_, depth);
    const Cost cost = cost_of(better);
    if (!is_better(better, cost)) return;
    offer(better, cost);
    polish();
}

// For a search that may end early: greedy trees with each chain at the root, and a longer local
// search from the best of them.
void Run::try_trees(Search& search) {
    for (std::uint32_t root = 0; root < table_.chains().size() && !limits_->stopped(); ++root)
        try_greedy(search, root);
    for (std::uint32_t depth = 3; depth < depth_ && !limits_->stopped(); ++depth)
        improve(search, CutTree(tree_), depth);
}

// Raises the lower bound by that of a few hard rows, then of more and more of them, and of all.
void Run::refute(Search& search, double seconds) {
    const double end = limits_->seconds() + seconds;
    const LabelledTree labelled(tree_, table_, rows_);
    const auto is_late = [&] { return limits_->is_over() || limits_->seconds() >= end; };
    for (std::size_t n = fewest_hard_rows; n < rows_.size() / 2 && !is_proven() && !is_late();
         n *= 4) {
        const Table part = table_.part(hard_rows(labelled, rows_, n));
        const Prices prices{prices_.error * part.unit(), prices_.node, {}};
        Search some(part, prices, depth_, *limits_, stats_);
        raise(some, (limits_->seconds() + end) / 2, [](const Outcome&) {});
    }
    raise(search, end, [&](const Outcome& outcome) { take(outcome); });
}

// Usually there is no tree that costs little more than the lower bound, and that is proven
// quickly. The steps get longer until one takes too long.
template <class Take>
void Run::raise(Search& search, double end, const Take& take_outcome) {
    Cost step = std::max(prices_.error, lower_ / 2);
    bool is_found = false;  // the optimum for the rows of the search
    while (!is_found && !is_proven() && !limits_->is_over() && limits_->seconds() < end) {
        limits_->start_slice(end - limits_->seconds());
        const Cost target = std::min(best_target(), lower_ + step);
        const Outcome outcome = search.solve(budget_, target);
        take_outcome(outcome);
        raise_bound(search.lower_bound());
        is_found = outcome.is_found() && !limits_->stopped();
        step *= 2;
    }
}

void Run::attempt(Search& search) {
    take(search.solve(budget_, best_target()));
    raise_bound(search.lower_bound());
}

void Run::take(const Outcome& outcome) {
    if (!outcome.is_found()) return;
    if (cost_of(outcome.tree) != outcome.cost)
        throw std::logic_error(
            "murtree: the recount of the tree differs from the search; please report this");
    offer(outcome.tree, outcome.cost);
    if (running_ != nullptr) running_->forget_tree();
}

Cost Run::cost_of(const CutTree& tree) const {
    return thresholds::cost_of(tree, table_, rows_, prices_);
}

}  // namespace murtree::thresholds
