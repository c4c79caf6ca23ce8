#include "thresholds/solver.hpp"

#include <algorithm>
#include <stdexcept>

#include "thresholds/greedy.hpp"
#include "thresholds/polish.hpp"

namespace murtree::thresholds {
namespace {

// The numbers of cuts of a chain in the searches for first trees. A better first tree saves little
// of the whole search, so more cuts are tried only if it may end early.
constexpr std::size_t few_cuts[] = {3, 8, 16};
// The share of the time limit that each of them may take.
constexpr double share_of_first_trees = 0.2;
// The share that may go to raising the lower bound.
constexpr double share_of_refutation = 0.3;

// The search for one number of nodes.
class Run {
  public:
    Run(const Table& table, const CutRequest& request, Budget budget, Limits& limits, Stats& stats)
        : table_(table), request_(request), budget_(budget), limits_(limits), stats_(stats) {
        const Task& task = request.task;
        // Costs below are beyond the unavoidable.
        unavoidable_ = task.price_of_error * table.unavoidable();
        prices_ = {task.price_of_error * table.unit(),
                   task.price_of_node,
                   {std::max<std::int64_t>(task.least_sizes.of[n_original_rows], 1),
                    task.least_sizes.of[leaf_weight]}};
        wanted_ = request.upper_bound < 0 ? infeasible : request.upper_bound - unavoidable_ + 1;
    }

    // Takes a tree that keeps to the budget.
    void offer(const CutTree& tree) {
        const Cost cost = cost_of(tree, table_, prices_);
        if (tree_ && cost >= cost_) return;
        tree_ = tree;
        cost_ = cost;
    }

    void find() {
        if (tree_ == std::nullopt) offer(CutTree::leaf());
        if (budget_.depth > 0 && budget_.nodes > 0 && !table_.chains().empty()) {
            if (budget_.depth > 2 && budget_.nodes > 3) find_first_trees();
            search_all();
        } else {
            lower_ = cost_;
        }
    }

    CutProgress progress() const {
        const Cost lower = std::max(lower_, running_ != nullptr ? running_->lower_bound() : 0);
        const CutTree* tree = tree_ ? &*tree_ : nullptr;
        if (running_ != nullptr && running_->tree()) tree = &*running_->tree();
        return {limits_.seconds(),
                tree,
                unavoidable_ + std::min(lower, cost_),
                running_ != nullptr ? running_->share_done() : 0.0};
    }

    const std::optional<CutTree>& tree() const { return tree_; }

    CutAnswer answer() const {
        CutAnswer answer;
        const bool is_proven = lower_ >= cost_, is_wanted = tree_ && cost_ < wanted_;
        answer.lower_bound = unavoidable_ + std::min(lower_, cost_);
        if (is_wanted) answer.tree = polished(*tree_, table_, prices_);
        if (!is_proven) answer.status = Status::time_limit;
        if (!is_wanted && (is_proven || lower_ >= wanted_)) answer.status = Status::infeasible;
        if (answer.status == Status::time_limit && limits_.was_interrupted())
            answer.status = Status::interrupted;
        return answer;
    }

  private:
    void find_first_trees() {
        offer(greedy_tree(table_, prices_, budget_, limits_));
        for (const std::size_t n_cuts : few_cuts) {
            const bool is_limited = request_.time_limit < Limits::forever;
            if (limits_.is_over() || cost_ == 0 || (!is_limited && n_cuts > few_cuts[0])) break;
            if (is_limited) limits_.start_slice(share_of_first_trees * request_.time_limit);
            search_coarse(table_.coarse(n_cuts));
            limits_.end_slices();
        }
    }

    // The whole search. If it may end early, some of the time goes to the lower bound.
    void search_all() {
        Search search(table_, prices_, std::min(budget_.depth, budget_.nodes), limits_, stats_);
        running_ = &search;
        const double limit = request_.time_limit;
        if (limit < Limits::forever) {
            limits_.start_slice(std::clamp(limit / 20, 0.1, 1.0));
            attempt(search, best_target());
            refute(search, limits_.seconds() + share_of_refutation * limit);
            limits_.end_slices();
        }
        if (!is_proven()) attempt(search, best_target());
        running_ = nullptr;
    }

    // Raises the lower bound: usually there is no tree that costs little more than it, and that is
    // proven quickly. The steps get longer until one takes too long.
    void refute(Search& search, double end) {
        Cost step = std::max(prices_.error, (best_target() - lower_) / 64);
        while (!is_proven() && !limits_.is_over() && limits_.seconds() < end) {
            limits_.start_slice(end - limits_.seconds());
            const Cost target = std::min(best_target(), lower_ + step);
            attempt(search, target);
            step = lower_ >= target ? 2 * step : std::max(prices_.error, step / 4);
        }
    }

    void attempt(Search& search, Cost target) {
        take(search.solve(budget_, target), table_);
        lower_ = std::max(lower_, search.lower_bound());
    }

    void search_coarse(const Table& coarse) {
        Search search(coarse, prices_, std::min(budget_.depth, budget_.nodes), limits_, stats_);
        take(search.solve(budget_, best_target()), coarse);
    }

    void take(const Outcome& outcome, const Table& table) {
        if (!outcome.tree) return;
        const CutTree tree = &table == &table_ ? *outcome.tree : table.refined(*outcome.tree);
        if (cost_of(tree, table_, prices_) != outcome.cost && !limits_.stopped())
            throw std::logic_error(
                "murtree: the recount of the tree differs from the search; please report this");
        offer(tree);
    }

    bool is_proven() const { return lower_ >= best_target(); }
    Cost best_target() const { return std::min(cost_, wanted_); }

    const Table& table_;
    const CutRequest& request_;
    Budget budget_;
    Limits& limits_;
    Stats& stats_;
    Prices prices_;
    Cost unavoidable_ = 0;
    Cost wanted_ = infeasible;  // trees must cost less
    std::optional<CutTree> tree_;
    Cost cost_ = infeasible;
    Cost lower_ = 0;
    const Search* running_ = nullptr;
};

}  // namespace

CutAnswers solve(const Table& table, const CutRequest& request) {
    CutAnswers answers;
    const Run* running = nullptr;
    Limits limits(request.time_limit, [&] {
        if (!request.watch) return false;
        return request.watch(running != nullptr ? running->progress()
                                                : CutProgress{limits.seconds()});
    });
    std::optional<CutTree> last;
    for (std::uint32_t nodes = request.range.first; nodes <= request.range.last; ++nodes) {
        Run run(table, request, {request.range.depth, nodes}, limits, answers.stats);
        running = &run;
        if (last) run.offer(*last);
        run.find();
        last = run.tree();
        answers.by_nodes.push_back(run.answer());
        running = nullptr;
    }
    // A lower bound for more nodes also holds for fewer.
    for (std::size_t k = answers.by_nodes.size() - 1; k-- > 0;) {
        CutAnswer& one = answers.by_nodes[k];
        one.lower_bound = std::max(one.lower_bound, answers.by_nodes[k + 1].lower_bound);
    }
    answers.seconds = limits.seconds();
    return answers;
}

}  // namespace murtree::thresholds
