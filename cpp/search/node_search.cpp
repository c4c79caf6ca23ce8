// The passes over one node (Algorithm 2 of the paper).
#include "search/node_search.hpp"

#include <algorithm>

namespace murtree {
namespace {

// Bounds by root are kept for all parts of a node if their number does not exceed this.
constexpr std::size_t max_root_bounds = std::size_t{1} << 22;

}  // namespace

// Reduces the requests of a node to those that differ: budgets that exceed what the rows can use
// are one request, and 0 nodes is none.
template <class Lane>
void NodeSearch<Lane>::prepare(const Subset& subset,
                               Range range,
                               const Costs& upper,
                               const Outcomes& outcomes) {
    const Part& part = subset.part;
    requests_.leaf_cost = problem_.cost_of(part.leaf_cost);
    requests_.branch = subset.branch;
    const std::uint32_t useful =
        problem_.useful_nodes(subset.row_numbers.size(), requests_.leaf_cost);
    const std::uint32_t depth = std::min(range.depth, useful);
    const std::uint32_t full = Budget::most_nodes(depth);
    const std::uint32_t top = std::min(useful, full);
    requests_.range = range.first >= top
                          ? Range{depth, full, full}
                          : Range{depth, std::max(range.first, 1u), std::min(range.last, top)};
    const std::size_t n_slots = requests_.n_slots();
    bounds_.known.assign(n_slots, 0);
    requests_.upper.assign(n_slots, -1);
    bounds_.best.assign(n_slots, {requests_.leaf_cost, Outcome::leaf});
    bounds_.shallower.assign(n_slots, 0);
    bounds_.shallower_depth = 0;
    bounds_.shallower_last = pass_.last_score = n_slots - 1;
    pass_.scores.clear();
    pass_.depth = 0;
    pass_.learned = false;
    for (std::uint32_t nodes = std::max(range.first, 1u); nodes <= range.last; ++nodes) {
        const std::size_t slot = requests_.slot_of(nodes);
        const Outcome& outcome = outcomes[nodes - range.first];
        bounds_.known[slot] = std::max(bounds_.known[slot], outcome.lower);
        if (outcome.is_solved())
            bounds_.best[slot] = outcome;
        else
            requests_.upper[slot] = std::max(requests_.upper[slot], upper[nodes - range.first]);
    }
}

template <class Lane>
bool NodeSearch<Lane>::solve(Subset& subset, Range range, const Costs& upper, Outcomes& outcomes) {
    prepare(subset, range, upper, outcomes);
    two_.load(level_.rows, problem_.rules(), limits_);
    if (limits_.stopped()) return false;
    if (problem_.techniques().depth_two) try_depth_two(subset.part);
    bounds_.share_best();
    for (Costs& costs : bounds_.two_costs) costs.assign(2 * two_.n_features(), Cache::unknown);
    take_root_bounds(subset, range);
    std::uint32_t depth = next_depth(problem_.techniques().depth_two ? 3 : 1);
    for (; depth <= requests_.range.depth && !limits_.stopped(); depth = next_depth(depth + 1)) {
        if (!start_pass(subset.part, depth)) continue;
        arrange(subset.part);
        run_pass();
        if (limits_.stopped()) break;
        finish_pass(subset.part);
    }
    if (number_ == 0) report_root();
    if (limits_.stopped()) return false;
    give_root_bounds(subset, range);
    for (std::uint32_t nodes = std::max(range.first, 1u); nodes <= range.last; ++nodes) {
        const std::size_t slot = requests_.slot_of(nodes);
        Outcome& outcome = outcomes[nodes - range.first];
        const Outcome& best = bounds_.best[slot];
        const bool is_optimal = best.lower <= std::max(requests_.upper[slot], bounds_.known[slot]);
        if (!outcome.is_solved())
            outcome = is_optimal ? best : Outcome{std::max(outcome.lower, bounds_.known[slot])};
    }
    // If there are several requests, some may have been answered earlier, for this depth only.
    const std::uint32_t reached = std::max(pass_.depth, problem_.techniques().depth_two ? 2u : 0u);
    return problem_.price_of_node() > 0 && reached < requests_.range.depth &&
           range.first == range.last;
}

// The depth of the next pass, at least `depth`; beyond the range if there is none. With a price for
// nodes, a tree of useful cost has a limited number of nodes, hence a limited depth. As this limit
// depends on the rows, a pass for each depth would be too many: only depth three and the last.
template <class Lane>
std::uint32_t NodeSearch<Lane>::next_depth(std::uint32_t depth) const {
    const std::uint32_t none = requests_.range.depth + 1;
    std::uint32_t last = requests_.range.depth;
    if (problem_.price_of_node() > 0) {
        std::int64_t limit = 0;
        for (std::size_t slot = 0; slot < requests_.n_slots(); ++slot)
            limit = std::max(limit, std::min(requests_.upper[slot], bounds_.best[slot].lower - 1));
        last = static_cast<std::uint32_t>(
            std::min<std::int64_t>(last, limit / problem_.price_of_node()));
    }
    if (depth > last) return none;
    const bool takes_all =
        problem_.techniques().deepening && (problem_.price_of_node() == 0 || depth <= 3);
    return takes_all ? depth : last;
}

template <class Lane>
void NodeSearch<Lane>::try_depth_two(const Part& part) {
    const DepthTwoCosts costs = two_.solve(limits_);
    const bool is_solved = two_.is_solved();  // if not, the trees are valid but may not be optimal
    ++stats_.depth_two_calls;
    if (problem_.uses_cache() && is_solved)
        lookup_.cache().store_depth_two(problem_.key_of(part, requests_.branch), costs);
    const std::uint32_t deepest = requests_.range.depth == 1 ? 1 : 3;
    for (std::size_t slot = 0; slot < requests_.n_slots(); ++slot) {
        const std::uint32_t most =
            std::min(requests_.range.first + static_cast<std::uint32_t>(slot), deepest);
        const std::uint32_t nodes = cheapest_size(costs, most, problem_.task());
        const std::int64_t cost = problem_.cost_of(costs[nodes]) + nodes * problem_.price_of_node();
        // The root is left open: the tree is rebuilt from its rows.
        if (cost < bounds_.best[slot].lower)
            bounds_.best[slot] = {cost, 0, std::min(nodes, 2u), 0, 0};
        if (!is_solved) continue;
        bounds_.shallower[slot] = cost;
        // Trees of one or two nodes are not deeper than this.
        const bool is_final = most <= 2 || requests_.range.depth <= 2;
        const std::int64_t beyond = is_final ? unlimited : 3 * problem_.price_of_node();
        bounds_.known[slot] = std::max(bounds_.known[slot], std::min(cost, beyond));
    }
    bounds_.shallower_depth = 2;
    const auto roots = two_.root_costs();
    pass_.scores.assign(requests_.n_slots() * two_.stride(), 0);
    for (std::size_t f = 0; f < two_.n_features(); ++f)
        pass_.scores[at(requests_.n_slots() - 1, f)] = problem_.cost_of(roots[f]);
}

template <class Lane>
void NodeSearch<Lane>::take_root_bounds(const Subset& subset, Range range) {
    bounds_.root_lower.assign(requests_.n_slots() * two_.stride(), 0);
    const std::vector<std::uint32_t>& positions = level_.rows.positions;
    for (std::size_t f = 0; f < two_.n_features(); ++f) {
        const bool may_split = two_.may_split(f);
        for (std::size_t slot = 0; slot < requests_.n_slots(); ++slot) {
            std::int64_t& bound = bounds_.root_lower[at(slot, f)];
            if (!may_split || is_dominated(f)) bound = unlimited;
            if (subset.root_bounds.empty()) continue;
            const std::uint32_t nodes = std::clamp(
                requests_.range.first + static_cast<std::uint32_t>(slot), range.first, range.last);
            bound = std::max(
                bound,
                subset
                    .root_bounds[(nodes - range.first) * subset.source->n_features + positions[f]]);
        }
    }
}

// Whether a split cannot be worth its price: applied to all rows, the tree of the heavier side
// alone misclassifies at most the lighter side in addition, and has one node less.
template <class Lane>
bool NodeSearch<Lane>::is_dominated(std::size_t feature) const {
    const PartWeights<kernels::Weight<Lane>> weights = two_.weights();
    const std::int64_t with = weights.with[feature];
    return problem_.weights_bound_costs() &&
           problem_.cost_of(std::min(with, weights.weight - with)) <=
               problem_.price_of(two_.column(feature));
}

// Stores the bounds by root of the last pass of each request. A bound must not exceed the cost of
// the leaf: it says nothing more about trees whose nodes are not worth their price. Roots that were
// not considered have no new bounds.
template <class Lane>
void NodeSearch<Lane>::give_root_bounds(Subset& subset, Range range) const {
    if (subset.root_bounds.empty() || !pass_.learned) return;
    const std::vector<std::uint32_t>& positions = level_.rows.positions;
    for (std::uint32_t nodes = std::max(range.first, 1u); nodes <= range.last; ++nodes) {
        const std::size_t slot = requests_.slot_of(nodes);
        if (slot < pass_.first_slot || requests_.upper[slot] < 0) continue;
        std::int64_t* const bounds =
            subset.root_bounds.data() + (nodes - range.first) * subset.source->n_features;
        for (std::size_t f = 0; f < two_.n_features(); ++f) {
            const std::int64_t score = pass_.scores[at(slot, f)];
            if (score < unlimited)
                bounds[positions[f]] =
                    std::max(bounds[positions[f]], std::min(score, requests_.leaf_cost));
        }
    }
}

// Selects the requests of a pass: those that this depth can still improve. Returns false if there
// are none.
template <class Lane>
bool NodeSearch<Lane>::start_pass(const Part& part, std::uint32_t depth) {
    const std::uint32_t first = requests_.range.first;
    const std::uint32_t full = Budget::most_nodes(depth);
    pass_.depth = depth;
    pass_.last_slot =
        first >= full ? 0 : std::min<std::size_t>(requests_.n_slots() - 1, full - first);
    // Requests with no more nodes than the depth of the last pass are already settled.
    pass_.first_slot = bounds_.shallower_depth >= first ? bounds_.shallower_depth - first + 1 : 0;
    if (pass_.first_slot > pass_.last_slot) return false;
    // If depths were skipped, only a bound for every depth is valid for the depth of the parts.
    if (bounds_.shallower_depth + 1 < depth) {
        bounds_.shallower = bounds_.known;
        bounds_.shallower_last = requests_.n_slots() - 1;
    }
    bounds_.shallower_depth = depth;
    pass_.upper.resize(requests_.n_slots());
    pass_.known.resize(requests_.n_slots());
    pass_.limit.resize(requests_.n_slots());
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot) {
        const bool is_last =
            is_final(slot) || (problem_.price_of_node() > 0 &&
                               (depth + 1) * problem_.price_of_node() > requests_.upper[slot]);
        const bool is_exact = !is_last && requests_.upper[slot] >= 0;
        pass_.upper[slot] = is_exact ? unlimited : requests_.upper[slot];
        pass_.known[slot] = bounds_.known[slot];
        if (!problem_.uses_cache() || is_last) continue;
        const auto cached = lookup_.cache().find(
            problem_.task_key(problem_.key_of(part, requests_.branch)), {depth, nodes_of(slot)});
        if (!cached) continue;
        pass_.known[slot] = std::max(pass_.known[slot], cached->lower);
        if (cached->is_solved() && cached->lower < bounds_.best[slot].lower)
            bounds_.best[slot] = *cached;
    }
    bounds_.share_best();
    pass_.refined.assign(requests_.n_slots(), requests_.leaf_cost);
    pass_.completed = !close_slots();
    if (!pass_.completed) return true;
    // All answered by an earlier visit.
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot)
        bounds_.shallower[slot] = pass_.known[slot];
    bounds_.shallower_last = pass_.last_slot;
    return false;
}

// Sorts the features and initialises the bounds of the parts.
template <class Lane>
void NodeSearch<Lane>::arrange(const Part& part) {
    const std::uint32_t most_of_part = Budget::most_nodes(pass_.depth - 1);
    const std::uint32_t below = nodes_below(pass_.first_slot);
    parts_.start(below > most_of_part ? below - most_of_part : 0,
                 std::min(nodes_below(pass_.last_slot), most_of_part),
                 two_.stride());
    sort_features(part);
    pass_.scores.assign(requests_.n_slots() * two_.stride(), 0);
    pass_.bound.assign(requests_.n_slots(), 0);
    look_up_parts();
    parts_.root_bounds.clear(two_.n_features());
    pass_.learns = problem_.uses_similarity() && pass_.depth > 3 &&
                   2 * two_.n_features() * parts_.size() <= max_root_bounds;
}

template <class Lane>
void NodeSearch<Lane>::sort_features(const Part& part) {
    const auto score = [&](std::uint32_t feature) -> std::int64_t {
        switch (problem_.techniques().feature_order) {
            case FeatureOrder::automatic:  // by the bounds of the last pass
                return pass_.scores.empty() ? 0 : pass_.scores[at(pass_.last_score, feature)];
            case FeatureOrder::gini:  // in thousandths of a row
                return static_cast<std::int64_t>(1000 * two_.gini(feature));
            case FeatureOrder::random:  // the same at every visit of the same rows
                return static_cast<std::int64_t>(
                    mixed(part.fingerprint.low + problem_.techniques().random_state + feature) >>
                    1);
            case FeatureOrder::in_order:
                return 0;
        }
        return 0;
    };
    pass_.ranking.clear();
    for (std::uint32_t feature = 0; feature < two_.n_features(); ++feature)
        pass_.ranking.emplace_back(score(feature), feature);
    std::sort(pass_.ranking.begin(), pass_.ranking.end());
    pass_.order.clear();
    for (const auto& [rank, feature] : pass_.ranking) pass_.order.push_back(feature);
}

// Algorithm 2: every feature as the root.
template <class Lane>
void NodeSearch<Lane>::run_pass() {
    ++stats_.nodes;
    // Shallower passes and look-ahead trees are not representative of the remaining work.
    const bool counts =
        number_ == 0 && report_.is_running && next_depth(pass_.depth + 1) > requests_.range.depth;
    std::size_t done = 0;
    for (const std::uint32_t feature : pass_.order) {
        if (!close_slots()) return;
        if (!limits_.keep_going(1 + static_cast<std::int64_t>(pass_.order.size() / 64))) return;
        bool is_pruned = true;
        for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot)
            is_pruned &= bounds_.root_lower[at(slot, feature)] > pass_.limit[slot];
        if (is_pruned)
            ++stats_.roots_pruned;
        else
            try_feature(feature);
        if (limits_.stopped()) return;
        for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot) {
            std::int64_t bound = bounds_.root_lower[at(slot, feature)];
            if (!is_pruned) bound = std::max(bound, pass_.bound[slot]);
            pass_.scores[at(slot, feature)] = bound;
            pass_.refined[slot] = std::min(pass_.refined[slot], bound);
        }
        ++done;
        if (counts)
            report_.share_done =
                static_cast<double>(done) / static_cast<double>(pass_.order.size());
    }
    pass_.completed = true;
}

// Updates the largest useful costs. Returns false if no request is open.
template <class Lane>
bool NodeSearch<Lane>::close_slots() {
    bool is_open = false;
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot) {
        pass_.limit[slot] = std::min(pass_.upper[slot], bounds_.best[slot].lower - 1);
        if (pass_.limit[slot] < pass_.known[slot]) pass_.limit[slot] = -1;
        is_open |= pass_.limit[slot] >= 0;
    }
    return is_open;
}

// The bounds and optima proven by the pass, by request.
template <class Lane>
void NodeSearch<Lane>::finish_pass(const Part& part) {
    for (std::size_t slot = pass_.last_slot + 1; slot-- > pass_.first_slot;) {
        const Outcome& best = bounds_.best[slot];
        std::int64_t lower = pass_.known[slot];
        if (best.lower <= lower || (pass_.completed && best.lower <= pass_.upper[slot]))
            lower = best.lower;
        else if (pass_.completed)
            lower = std::max({lower,
                              problem_.techniques().refined_bound ? pass_.refined[slot] : 0,
                              pass_.upper[slot] + 1});
        if (slot < pass_.last_slot) lower = std::max(lower, bounds_.shallower[slot + 1]);
        bounds_.shallower[slot] = lower;
        // Deeper trees have more nodes, each with its price.
        const std::int64_t beyond =
            is_final(slot) ? unlimited : (pass_.depth + 1) * problem_.price_of_node();
        bounds_.known[slot] = std::max(bounds_.known[slot], std::min(lower, beyond));
        // The incumbent may be a deeper tree from the cache.
        if (!is_final(slot) && problem_.uses_cache() && best.lower <= lower &&
            best.used_depth <= pass_.depth)
            lookup_.remember(
                problem_.key_of(part, requests_.branch), {pass_.depth, nodes_of(slot)}, best);
    }
    bounds_.shallower_last = pass_.last_slot;
    pass_.last_score = pass_.last_slot;
    pass_.learned = pass_.completed && pass_.depth == requests_.range.depth;
}

// Reports the bounds of the whole data, if these were requested: a look-ahead tree solves a smaller
// depth, whose bounds are too high for the request.
template <class Lane>
void NodeSearch<Lane>::report_root() {
    if (!report_.is_running) return;
    if (!limits_.stopped()) report_.share_done = 1;
    if (limits_.stopped() && pass_.depth == requests_.range.depth && !pass_.order.empty())
        bound_root();
    for (std::uint32_t nodes = std::max(report_.range.first, 1u); nodes <= report_.range.last;
         ++nodes) {
        const std::size_t slot = requests_.slot_of(nodes);
        const std::size_t k = nodes - report_.range.first;
        report_.incumbents[k] = bounds_.best[slot];
        report_.proven_lower[k] = std::max(report_.proven_lower[k], bounds_.known[slot]);
    }
}

// A bound for the whole problem during its last pass: the minimum over all features of the current
// bounds, improved by similarity if that is fast.
template <class Lane>
void NodeSearch<Lane>::bound_root() {
    const std::size_t n_features = two_.n_features();
    const bool quick =
        n_features * n_features * parts_.n_sizes() < 20'000'000 && !two_.is_in_strips();
    Costs least(requests_.n_slots(), requests_.leaf_cost);
    for (std::size_t feature = 0; feature < n_features; ++feature) {
        if (quick) bound_parts(feature);
        add_up(feature);
        for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot)
            least[slot] = std::min(
                least[slot], std::max(pass_.bound[slot], bounds_.root_lower[at(slot, feature)]));
    }
    for (std::size_t slot = pass_.first_slot; slot <= pass_.last_slot; ++slot)
        bounds_.known[slot] =
            std::max(bounds_.known[slot], std::min(least[slot], bounds_.best[slot].lower));
}

template class NodeSearch<std::int16_t>;
template class NodeSearch<std::int32_t>;
template class NodeSearch<std::int64_t>;
template class NodeSearch<Summed>;

}  // namespace murtree
