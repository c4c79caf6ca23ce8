#include "search/solve.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace murtree {
namespace {

constexpr std::size_t cache_bytes = std::size_t{32} << 20;

// How often a thread that waits for its turn looks at its own limits.
constexpr auto patience = std::chrono::milliseconds(10);

// Keeps the better of two trees.
void improve(std::optional<CountedTree>& best, CountedTree candidate) {
    if (!best || candidate.misclassified < best->misclassified) best = std::move(candidate);
}

}  // namespace

Solver::Solver(const Table01& table,
               std::span<const std::int32_t> labels,
               std::span<const std::int64_t> weights,
               std::size_t n_classes,
               Reductions reductions,
               Techniques techniques)
    : data_(table, labels, weights, n_classes, reductions),
      techniques_(techniques),
      cache_(cache_bytes) {}

Answer Solver::solve(const Question& question) {
    Answer answer{};
    Limits limits(question.time_limit, question.interrupted);
    std::unique_lock<std::timed_mutex> turn(one_at_a_time_, std::defer_lock);
    while (!turn.try_lock_for(patience) && limits.keep_going()) continue;
    Search search(data_, techniques_, cache_, limits, answer.stats);
    const Budget budget{question.max_depth, question.max_num_nodes};
    const std::int64_t unavoidable = data_.unavoidable();
    const std::int64_t wanted =
        question.upper_bound < 0 ? Search::unlimited : question.upper_bound - unavoidable;

    std::optional<CountedTree> best;
    if (techniques_.first_tree) best = recount(search.greedy_tree(budget), data_);
    const std::int64_t upper =
        best ? std::min(wanted, best->misclassified - unavoidable - 1) : wanted;
    const Outcome outcome = turn.owns_lock() ? search.solve(budget, upper) : Outcome{};

    const bool is_optimum = outcome.is_solved() && outcome.lower <= upper;
    const Outcome& root = is_optimum ? outcome : search.incumbent();
    if (is_optimum || (limits.stopped() && root.is_solved())) {
        improve(best, recount(search.reconstruct(root, budget), data_));
        if (!limits.stopped() && best->misclassified != root.lower + unavoidable)
            throw std::logic_error(
                "murtree: the recount of the tree differs from the search; please report this");
    }
    if (!best && limits.stopped()) best = recount(search.greedy_tree(budget), data_);

    const bool answered = outcome.is_solved() || !limits.stopped();
    answer.lower_bound = unavoidable + (answered ? outcome.lower : search.proven_lower());
    // Time may run out while a part that had been forgotten is solved again for the tree.
    const bool proven = !limits.stopped() || (best && best->misclassified == answer.lower_bound);
    answer.status = proven ? Status::optimal : Status::time_limit;
    if (best && best->misclassified - unavoidable > wanted) best.reset();
    if (!best && proven) answer.status = Status::infeasible;
    if (limits.was_interrupted()) answer.status = Status::interrupted;
    answer.tree = std::move(best);
    answer.cache_entries = cache_.size();
    answer.cache_bytes = cache_.bytes();
    return answer;
}

}  // namespace murtree
