#include "thresholds/solver.hpp"

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

// The search for one number of nodes.
class Run {
  public:
    Run(const Table& table, const CutRequest& request, Budget budget, Limits& limits, Stats& stats)
        : table_(table),
          request_(request),
          budget_(budget),
          limits_(limits),
          stats_(stats),
          rows_(all_rows(table)),
          depth_(std::min(budget.depth, budget.nodes)) {
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
        const Cost cost = cost_of(tree, table_, rows_, prices_);
        if (tree_ && cost >= cost_) return;
        tree_ = tree;
        cost_ = cost;
    }

    void find() {
        if (tree_ == std::nullopt) offer(CutTree::leaf());
        if (budget_.depth > 0 && budget_.nodes > 0 && !table_.chains().empty()) {
            search_all();
        } else {
            lower_ = cost_;
        }
    }

    CutProgress progress() const {
        const Cost lower = std::max(lower_, running_ != nullptr ? running_->lower_bound() : 0);
        const CutTree* tree = tree_ ? &*tree_ : nullptr;
        if (running_ != nullptr && running_->tree() != nullptr) tree = running_->tree();
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
    void search_all() {
        Search search(table_, prices_, depth_, limits_, stats_);
        const double limit = request_.time_limit;
        if (is_deep() || limit < Limits::forever) try_greedy(search);
        running_ = &search;
        if (limit < Limits::forever) {
            during(std::clamp(limit / 10, 0.05, 1.0), [&] { attempt(search, best_target()); });
            if (is_deep()) during(share_of_first_trees * limit, [&] { try_trees(search); });
            during(share_of_refutation * limit,
                   [&] { refute(search, share_of_refutation * limit); });
        }
        if (!is_proven()) attempt(search, best_target());
        running_ = nullptr;
    }

    // Does something for at most so many seconds, unless there is a proof already.
    template <class Action>
    void during(double seconds, const Action& action) {
        if (is_proven() || limits_.is_over()) return;
        limits_.start_slice(seconds);
        action();
        limits_.end_slices();
    }

    void try_greedy(Search& search, std::optional<std::uint32_t> root = {}) {
        const CutTree tree = greedy_tree(table_, prices_, budget_, limits_, root);
        offer(tree);
        if (is_deep() && !is_proven()) offer(search.improved(tree, budget_, 2));
    }

    // For a search that may end early: greedy trees with each chain at the root, and a longer local
    // search from the best of them.
    void try_trees(Search& search) {
        for (std::uint32_t root = 0; root < table_.chains().size() && !limits_.stopped(); ++root)
            try_greedy(search, root);
        for (std::uint32_t depth = 3; depth < depth_ && !limits_.stopped(); ++depth)
            offer(search.improved(*tree_, budget_, depth));
    }

    // Raises the lower bound by that of a few hard rows, then of more and more of them, and of all.
    void refute(Search& search, double seconds) {
        const double end = limits_.seconds() + seconds;
        const LabelledTree labelled(*tree_, table_, rows_);
        for (std::size_t n = fewest_hard_rows; n < rows_.size() / 2 && !is_proven(); n *= 4) {
            const Table part = table_.part(hard_rows(labelled, rows_, n));
            const Prices prices{prices_.error * part.unit(), prices_.node, {}};
            Search some(part, prices, depth_, limits_, stats_);
            raise(some, (limits_.seconds() + end) / 2, [](const Outcome&) {});
        }
        raise(search, end, [&](const Outcome& outcome) { take(outcome); });
    }

    // Usually there is no tree that costs little more than the lower bound, and that is proven
    // quickly. The steps get longer until one takes too long.
    template <class Take>
    void raise(Search& search, double end, const Take& take_outcome) {
        Cost step = std::max(prices_.error, lower_ / 2);
        bool is_found = false;  // the optimum for the rows of the search
        while (!is_found && !is_proven() && !limits_.is_over() && limits_.seconds() < end) {
            limits_.start_slice(end - limits_.seconds());
            const Cost target = std::min(best_target(), lower_ + step);
            const Outcome outcome = search.solve(budget_, target);
            take_outcome(outcome);
            lower_ = std::max(lower_, search.lower_bound());
            is_found = outcome.is_found() && !limits_.stopped();
            step *= 2;
        }
    }

    void attempt(Search& search, Cost target) {
        take(search.solve(budget_, target));
        lower_ = std::max(lower_, search.lower_bound());
    }

    void take(const Outcome& outcome) {
        if (!outcome.is_found()) return;
        if (cost_of(outcome.tree, table_, rows_, prices_) != outcome.cost)
            throw std::logic_error(
                "murtree: the recount of the tree differs from the search; please report this");
        offer(outcome.tree);
    }

    bool is_deep() const { return depth_ > 2 && budget_.nodes > 3; }
    bool is_proven() const { return lower_ >= best_target(); }
    Cost best_target() const { return std::min(cost_, wanted_); }

    const Table& table_;
    const CutRequest& request_;
    Budget budget_;
    Limits& limits_;
    Stats& stats_;
    std::vector<std::uint32_t> rows_;  // all
    std::uint32_t depth_;              // of the deepest useful tree
    Prices prices_;
    Cost unavoidable_ = 0;
    Cost wanted_ = infeasible;  // trees must cost less
    std::optional<CutTree> tree_;
    Cost cost_ = infeasible;
    Cost lower_ = 0;
    Search* running_ = nullptr;
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
