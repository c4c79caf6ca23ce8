#include "search/solve.hpp"

#include <algorithm>
#include <stdexcept>

namespace murtree {
namespace {

constexpr std::size_t cache_bytes = std::size_t{32} << 20;

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
    const std::lock_guard<std::mutex> turn(one_at_a_time_);
    Answer answer{};
    Limits limits(question.time_limit, question.interrupted);
    Search search(data_, techniques_, cache_, limits, answer.stats);
    const Budget budget{question.max_depth, question.max_num_nodes};
    const std::int64_t unavoidable = data_.unavoidable();
    const std::int64_t wanted =
        question.upper_bound < 0 ? Search::unlimited : question.upper_bound - unavoidable;

    std::optional<CountedTree> best;
    if (techniques_.first_tree) best = recount(search.greedy_tree(budget), data_);
    const std::int64_t upper =
        best ? std::min(wanted, best->misclassified - unavoidable - 1) : wanted;
    const Outcome outcome = search.solve(budget, upper);

    if (outcome.is_solved() && outcome.lower <= upper) {
        const auto tree = search.reconstruct(outcome, budget);
        if (tree) {
            best = recount(*tree, data_);
            if (best->misclassified != outcome.lower + unavoidable)
                throw std::logic_error(
                    "murtree: the recount of the tree differs from the search; please report this");
        }
    } else if (limits.stopped()) {
        if (search.incumbent().is_solved())
            if (const auto tree = search.reconstruct(search.incumbent(), budget))
                improve(best, recount(*tree, data_));
        if (!best) best = recount(search.greedy_tree(budget), data_);
    }

    const bool answered = outcome.is_solved() || !limits.stopped();
    answer.lower_bound = unavoidable + (answered ? outcome.lower : search.proven_lower());
    // A tree that had been forgotten may run out of time when it is asked for again: then its cost
    // is only a bound.
    const bool proven = !limits.stopped() || (best && best->misclassified == answer.lower_bound);
    answer.status = proven                     ? Status::optimal
                    : limits.was_interrupted() ? Status::interrupted
                                               : Status::time_limit;
    if (best && best->misclassified - unavoidable > wanted) best.reset();
    if (!best && proven) answer.status = Status::infeasible;
    answer.tree = std::move(best);
    answer.cache_entries = cache_.size();
    answer.cache_bytes = cache_.bytes();
    return answer;
}

}  // namespace murtree
