#include "search/anytime.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "search/recount.hpp"
#include "search/simplify.hpp"

namespace murtree {
namespace {

// A search that ends within its first slice is not sliced. Without a time limit there is a
// callback, which needs a result soon.
double first_slice(double time_limit) {
    constexpr double seconds_if_watched = 0.2;
    if (time_limit >= Limits::forever) return seconds_if_watched;
    return std::clamp(time_limit / 20, 0.1, 1.0);
}

// The length of later slices relative to the elapsed time, and of a refutation relative to a slice.
constexpr double slice_growth = 0.5;
constexpr double share_of_refutation = 0.4;

}  // namespace

Anytime::Anytime(const Dataset& data,
                 const Techniques& techniques,
                 const Request& request,
                 std::size_t pair_bytes,
                 Cache& cache,
                 Limits& limits,
                 SearchStats& stats)
    : data_(data),
      request_(request),
      techniques_(techniques),
      limits_(limits),
      problem_(data, techniques, request.task, pair_bytes),
      search_(problem_, cache, limits, stats),
      trees_(search_),
      unavoidable_(data.unavoidable() * request.task.price_of_error),
      best_(request.range.size()) {
    for (Best& best : best_) best.lower = unavoidable_;
}

Budget Anytime::budget(std::size_t slot) const {
    return {request_.range.depth, request_.range.first + static_cast<std::uint32_t>(slot)};
}

std::int64_t Anytime::wanted() const {
    return request_.upper_bound < 0 ? unlimited : request_.upper_bound;
}

Progress Anytime::progress() const {
    const Best& last = best_.back();
    return {limits_.seconds(),
            last.tree ? &*last.tree : nullptr,
            std::min(last.lower, last.cost),
            is_whole_ ? std::max(share_done_, search_.report().share_done) : share_done_};
}

std::vector<Answer> Anytime::run(bool may_search) {
    const std::uint32_t depth = request_.range.depth;
    // The search finds trees of depth two as quickly, so a single node is enough here.
    const bool is_quick = depth == 2 && may_search && techniques_.depth_two;
    if (techniques_.first_tree || !may_search) find_first_trees(is_quick ? 1 : depth);
    if (may_search) {
        if (request_.anytime)
            search_in_slices();
        else
            search_on(uppers());
    }
    limits_.end_slices();
    if (!best_.back().tree && limits_.is_over()) find_first_trees(depth);
    std::vector<Answer> answers;
    for (std::size_t slot = 0; slot < best_.size(); ++slot) answers.push_back(answer(slot));
    return answers;
}

Answer Anytime::answer(std::size_t slot) const {
    const Best& best = best_[slot];
    const bool is_proven = best.is_proven();
    Answer answer;
    answer.lower_bound = is_proven && best.cost <= wanted() ? best.cost : best.lower;
    answer.status = is_proven ? Status::optimal : Status::time_limit;
    if (best.tree && best.cost <= wanted())
        answer.tree = simplified(*best.tree, data_, request_.task);
    if (!answer.tree && (is_proven || best.lower > wanted())) answer.status = Status::infeasible;
    if (limits_.was_interrupted() && answer.status == Status::time_limit)
        answer.status = Status::interrupted;
    return answer;
}

// Only the largest request starts with a greedy tree; the others start with a leaf.
void Anytime::find_first_trees(std::uint32_t depth) {
    Tree leaf;
    leaf.add_leaf();
    offer(0, leaf);
    offer(best_.size() - 1, trees_.greedy_tree({depth, budget(best_.size() - 1).nodes}));
}

void Anytime::offer(std::size_t slot, const Tree& tree) {
    CountedTree counted = recount(tree, data_, request_.task);
    const std::int64_t cost = counted.cost(request_.task);
    for (std::size_t s = slot; s < best_.size() && cost < best_[s].cost; ++s) {
        best_[s].cost = cost;
        best_[s].tree = counted;
    }
}

// The largest useful cost of each request, beyond the unavoidable.
Costs Anytime::uppers() const {
    Costs upper;
    for (const Best& best : best_)
        upper.push_back(best.is_proven() ? -1 : std::min(wanted(), best.cost - 1) - unavoidable_);
    return upper;
}

// Searches until the proof or the end of the slice; returns true with the proof. A refutation does
// not count as the whole request: it considers few roots and discards the others quickly.
bool Anytime::search_on(const Costs& upper, bool is_whole) {
    is_whole_ = is_whole;
    trees_.renew_grace();
    const Outcomes outcomes = search_.solve(request_.range, upper);
    if (is_whole) share_done_ = std::max(share_done_, search_.report().share_done);
    const bool is_answered = !limits_.stopped();
    take_all(outcomes, upper);
    return is_answered;
}

void Anytime::take_all(const Outcomes& outcomes, const Costs& upper) {
    const bool stopped = limits_.stopped();
    const Costs lower = search_.report().proven_lower;
    const Outcomes incumbents = search_.report().incumbents;
    limits_.end_slices();
    for (std::size_t slot = 0; slot < best_.size(); ++slot) {
        const bool is_optimum = outcomes[slot].is_solved();
        best_[slot].lower =
            std::max(best_[slot].lower, unavoidable_ + std::max(lower[slot], outcomes[slot].lower));
        take(slot, is_optimum ? outcomes[slot] : incumbents[slot], is_optimum);
        // Nothing is better than the incumbent, so it is optimal.
        if (!stopped && !is_optimum)
            best_[slot].lower = std::max(best_[slot].lower, unavoidable_ + upper[slot] + 1);
    }
    // A lower bound for more nodes also holds for fewer.
    for (std::size_t slot = best_.size() - 1; slot-- > 0;)
        best_[slot].lower = std::max(best_[slot].lower, best_[slot + 1].lower);
}

// The largest request that is still open; past the end if there is none.
std::size_t Anytime::last_open() const {
    for (std::size_t slot = best_.size(); slot-- > 0;)
        if (!best_[slot].is_proven()) return slot;
    return best_.size();
}

// Builds the tree of an outcome if it is better than the current one.
void Anytime::take(std::size_t slot, const Outcome& outcome, bool is_optimum) {
    if (!outcome.is_solved() || outcome.lower + unavoidable_ >= best_[slot].cost) return;
    Best& best = best_[slot];
    offer(slot, trees_.reconstruct(outcome, budget(slot)));
    if (!is_optimum || limits_.is_over()) return;
    const std::int64_t difference = best.cost - (outcome.lower + unavoidable_);
    if (std::abs(difference) > rounding(*best.tree))
        throw std::logic_error(
            "murtree: the recount of the tree differs from the search; please report this");
    if (difference != 0) best.lower = std::max(best.lower, best.cost);
}

// The largest difference between a recount and the search: squares and impurities are rounded at
// each leaf (see Sums).
std::int64_t Anytime::rounding(const CountedTree& tree) const {
    if (data_.sums() == nullptr || !data_.sums()->rounds_leaves()) return 0;
    return (tree.n_splits() + 1) * request_.task.price_of_error;
}

// Alternates between searching for trees and raising bounds. Interrupted work restarts in the next
// slice, but finds most of its results in the cache.
void Anytime::search_in_slices() {
    double slice = first_slice(request_.time_limit);
    limits_.start_slice(slice);
    if (search_on(uppers())) return;
    while (!limits_.is_over() && last_open() < best_.size()) {
        if (climb(slice)) continue;
        if (ahead_ > last_ahead()) {
            limits_.start_slice(slice);
            if (search_on(uppers())) return;
        }
        slice = std::max(slice, slice_growth * limits_.seconds());
        const double end = limits_.seconds() + share_of_refutation * slice;
        while (!limits_.is_over() && last_open() < best_.size() && limits_.seconds() < end)
            if (!refute(end - limits_.seconds())) break;
    }
}

// Builds the next look-ahead tree; returns true if there was one and enough time.
bool Anytime::climb(double seconds) {
    if (ahead_ > last_ahead() || limits_.is_over()) return false;
    limits_.start_slice(seconds);
    const std::size_t slot = last_open();
    const Tree tree = trees_.look_ahead_tree(budget(slot), ahead_);
    const bool is_complete = !limits_.stopped();
    limits_.end_slices();
    offer(slot, tree);
    if (is_complete) ++ahead_;
    return is_complete;
}

// Looking ahead over the full depth is the search itself; if only prices limit the depth, looking
// far ahead is no easier.
std::uint32_t Anytime::last_ahead() const {
    return std::min(request_.range.depth - 1, 6u);
}

// Searches for a tree with a cost slightly above the bound; usually there is none, which raises the
// bound. Returns false if the time was not sufficient.
bool Anytime::refute(double seconds) {
    const std::size_t slot = last_open();
    const Best& last = best_[slot];
    const std::int64_t unit = request_.task.price_of_error;
    step_ = std::clamp(step_, unit, std::max(unit, (last.cost - last.lower) / 2));
    Costs upper(best_.size(), -1);
    upper[slot] = std::min(last.lower + step_, std::min(wanted(), last.cost - 1)) - unavoidable_;
    limits_.start_slice(seconds);
    const bool is_answered = search_on(upper, false);
    step_ = is_answered ? 2 * step_ : step_ / 2;
    return is_answered;
}

}  // namespace murtree
