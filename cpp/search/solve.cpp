#include "search/solve.hpp"

#include <chrono>
#include <utility>

#include "search/anytime.hpp"

namespace murtree {
namespace {

constexpr std::size_t default_cache_bytes = std::size_t{1} << 30;

// How often a thread that waits for its turn looks at its own limits.
constexpr auto patience = std::chrono::milliseconds(10);

}  // namespace

Solver::Solver(const Table01& table,
               std::span<const std::int32_t> labels,
               std::span<const std::int64_t> weights,
               std::size_t n_classes,
               Reductions reductions,
               Techniques techniques,
               const Keys& keys)
    : data_(table, labels, weights, n_classes, reductions, keys),
      reductions_(reductions),
      techniques_(techniques),
      cache_(default_cache_bytes) {}

Solver::Solver(const Table01& table,
               Sums sums,
               std::span<const double> inputs,
               Reductions reductions,
               Techniques techniques,
               const Keys& keys)
    : data_(table, std::move(sums), inputs, reductions, keys),
      reductions_(reductions),
      techniques_(techniques),
      cache_(default_cache_bytes) {}

const Dataset& Solver::data_for(const Task& task) {
    if (task.min_samples_leaf == 1 || data_.sums() != nullptr) return data_;
    std::call_once(sized_once_, [&] {
        sized_ = std::make_unique<Dataset>(
            data_, Reductions{reductions_.deduplicate, reductions_.merge_rows, true});
    });
    return *sized_;
}

// What the data and the work space of the levels need comes off the cache.
std::size_t Solver::cache_limit(std::size_t memory_limit) const {
    if (memory_limit == 0) return default_cache_bytes;
    const Rows& rows = data_.reduced();
    const std::size_t stride = rows.stride();
    // Summed problems have matrices of doubles: for pairs, for a part, and two of weights.
    const Sums* const sums = data_.sums();
    const std::size_t of_pair = sums == nullptr ? 12 : 16 * (sums->n_paired() + 2);
    const std::size_t of_level =
        rows.n_rows() * rows.row_words * 8 + stride * stride * of_pair + (std::size_t{1} << 19);
    const std::size_t others = 4 * of_level;
    return memory_limit > 2 * others ? memory_limit - others : memory_limit / 2;
}

Answers Solver::solve(const Question& question) {
    Answers answers;
    Anytime* running = nullptr;
    Limits limits(question.time_limit, [&] {
        if (!question.watch) return false;
        return question.watch(running != nullptr ? running->progress()
                                                 : Progress{limits.seconds()});
    });
    std::unique_lock<std::timed_mutex> turn(one_at_a_time_, std::defer_lock);
    while (!turn.try_lock_for(patience) && limits.keep_going()) continue;
    if (turn.owns_lock()) {
        cache_.limit(cache_limit(question.memory_limit));
        answers.cache_entries_before = cache_.size();
    }
    Anytime anytime(data_for(question.task), techniques_, question, cache_, limits, answers.stats);
    running = &anytime;
    answers.by_nodes = anytime.run(turn.owns_lock());
    if (turn.owns_lock()) {
        answers.cache_entries = cache_.size();
        answers.cache_bytes = cache_.bytes();
    }
    answers.seconds = limits.seconds();
    return answers;
}

}  // namespace murtree
