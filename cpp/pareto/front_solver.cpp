#include "pareto/front_solver.hpp"

#include <algorithm>
#include <limits>

#include "pareto/front_search.hpp"
#include "pareto/labelled_tree.hpp"

namespace murtree::pareto {
namespace {

constexpr std::size_t default_cache_bytes = std::size_t{1} << 30;
constexpr std::size_t default_pair_bytes = std::size_t{1} << 29;

template <class Lane>
FrontPtr search(const Dataset& data,
                const FrontRequest& request,
                Limits& limits,
                double& share_done,
                FrontAnswer& answer) {
    // Half of the memory is reserved for the pairs of all levels.
    const std::size_t half = (request.memory + 1) / 2;
    const std::size_t n_levels = std::clamp(request.budget.depth, 2u, 5u) - 1;
    FrontSearch<Lane> search(data,
                             request.least_sizes,
                             half == 0 ? default_cache_bytes : half,
                             half == 0 ? default_pair_bytes : half / n_levels,
                             limits,
                             share_done);
    FrontPtr front = search.solve(request.budget);
    answer.stats = search.stats();
    answer.stats.cache_entries = search.cache().size();
    answer.stats.cache_bytes = search.cache().bytes();
    return front;
}

// The largest count a lane must hold: the weight of a class, or the number of rows.
std::int64_t largest_count(const Dataset& data) {
    std::int64_t weights[2] = {0, 0};
    for (std::size_t row = 0; row < data.n_rows(); ++row)
        weights[data.label(row)] += data.weight(row);
    return std::max({weights[0], weights[1], static_cast<std::int64_t>(data.n_rows())});
}

}  // namespace

const Dataset& FrontSolver::data_for(const LeastSizes& least) {
    if (least.of[n_original_rows] == 0) return data_;
    std::call_once(sized_once_, [&] {
        Reductions reductions = data_.reductions();
        reductions.keep_sizes[n_original_rows] = true;
        sized_ = std::make_unique<Dataset>(data_, reductions, std::span<const std::int64_t>{});
    });
    return *sized_;
}

FrontAnswer FrontSolver::solve(const FrontRequest& request) {
    double share_done = 0;
    Limits* clock = nullptr;
    Limits limits(request.seconds, [&] {
        return request.wants_to_stop && request.wants_to_stop(clock->seconds(), share_done);
    });
    clock = &limits;
    const Dataset& data = data_for(request.least_sizes);
    const std::int64_t largest = largest_count(data);
    FrontAnswer answer;
    FrontPtr front;
    if (largest <= std::numeric_limits<std::uint16_t>::max())
        front = search<std::int16_t>(data, request, limits, share_done, answer);
    else if (largest <= std::numeric_limits<std::uint32_t>::max())
        front = search<std::int32_t>(data, request, limits, share_done, answer);
    else
        front = search<std::int64_t>(data, request, limits, share_done, answer);
    answer.is_complete = !limits.stopped();
    answer.was_interrupted = limits.was_interrupted();
    Recount recount(data_);
    for (std::size_t k = 0; k < front->size(); ++k)
        answer.points.push_back(recount(front->tree(k), (*front)[k]));
    answer.stats.seconds = limits.seconds();
    return answer;
}

}  // namespace murtree::pareto
