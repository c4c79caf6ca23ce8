#include "search/solver.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "search/anytime.hpp"

namespace murtree {
namespace {

constexpr std::size_t default_cache_bytes = std::size_t{1} << 30;
constexpr std::size_t default_pair_bytes = std::size_t{1} << 29;

// How often a waiting thread checks its own limits.
constexpr auto patience = std::chrono::milliseconds(10);

}  // namespace

Solver::Solver(Dataset data, const Techniques& techniques)
    : data_(std::move(data)), techniques_(techniques), cache_(default_cache_bytes) {}

// The rows of a summed problem always include their sizes.
const Dataset& Solver::data_for(const Request& request) {
    Reductions reductions = data_.reductions();
    std::size_t choice = 0;
    for (std::size_t kind = 0; kind < n_size_kinds; ++kind) {
        if (request.task.least_sizes.of[kind] == 0) continue;
        if (kind == n_original_rows && data_.sums() != nullptr) continue;
        reductions.keep_sizes[kind] = true;
        choice |= std::size_t{1} << kind;
    }
    if (choice == 0) return data_;
    std::call_once(sized_once_[choice], [&] {
        sized_[choice] = std::make_unique<Dataset>(data_, reductions, request.leaf_weights);
    });
    return *sized_[choice];
}

// The memory of the rows and matrices of the levels is taken from the cache, up to half of the
// total.
Solver::Memory Solver::memory_for(const Request& request) const {
    const std::size_t limit = request.memory_limit;
    if (limit == 0) return {default_cache_bytes, default_pair_bytes};
    const Rows& rows = data_.reduced();
    const std::size_t stride = rows.stride();
    const std::size_t n_levels = std::clamp(request.range.depth, 2u, 5u) - 1;
    // Summed problems have matrices of doubles: for pairs, for a part, and two for weights.
    const Sums* const sums = data_.sums();
    const std::size_t of_pair = sums == nullptr ? 12 : 16 * (sums->n_paired() + 2);
    const std::size_t pairs = limit / 2 / n_levels;
    const std::size_t of_level = rows.n_rows() * rows.row_words * 8 +
                                 std::min(stride * stride * of_pair, pairs) +
                                 (std::size_t{1} << 19);
    const std::size_t others = n_levels * of_level;
    return {limit > 2 * others ? limit - others : limit / 2, pairs};
}

Answers Solver::solve(const Request& request) {
    Answers answers;
    Anytime* running = nullptr;
    Limits limits(request.time_limit, [&] {
        if (!request.watch) return false;
        return request.watch(running != nullptr ? running->progress() : Progress{limits.seconds()});
    });
    std::unique_lock<std::timed_mutex> turn(one_at_a_time_, std::defer_lock);
    while (!turn.try_lock_for(patience) && limits.keep_going()) continue;
    const Memory memory = memory_for(request);
    if (turn.owns_lock()) {
        cache_.limit(memory.cache);
        answers.stats.cache_entries_before = cache_.size();
    }
    Anytime anytime(
        data_for(request), techniques_, request, memory.pairs, cache_, limits, answers.stats);
    running = &anytime;
    answers.by_nodes = anytime.run(turn.owns_lock());
    if (turn.owns_lock()) {
        answers.stats.cache_entries = cache_.size();
        answers.stats.cache_bytes = cache_.bytes();
    }
    answers.stats.seconds = limits.seconds();
    return answers;
}

}  // namespace murtree
