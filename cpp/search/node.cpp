// The passes over one node (Algorithm 2 of the paper).
#include <algorithm>

#include "search/search.hpp"

namespace murtree {
namespace {

// Bounds by root are kept for all parts of a node while they are no more numbers than this.
constexpr std::size_t max_root_bounds = std::size_t{1} << 22;

}  // namespace

// The requests of a node that really differ: budgets that the rows cannot use up are one request,
// and 0 nodes is none.
template <class Lane>
void Search::prepare(Node<Lane>& node,
                     const Subset& subset,
                     Range asked,
                     const Costs& upper,
                     const Outcomes& outcomes) const {
    const Part& part = subset.part;
    node.leaf_cost = cost_of(part.leaf_cost);
    node.branch = subset.branch;
    const std::uint32_t useful = useful_nodes(subset.row_numbers.size(), node.leaf_cost);
    const std::uint32_t depth = std::min(asked.depth, useful);
    const std::uint32_t full = Budget::most_nodes(depth);
    const std::uint32_t top = std::min(useful, full);
    node.range = asked.first >= top
                     ? Range{depth, full, full}
                     : Range{depth, std::max(asked.first, 1u), std::min(asked.last, top)};
    const std::size_t n_slots = node.range.size();
    node.known.assign(n_slots, 0);
    node.upper.assign(n_slots, -1);
    node.best.assign(n_slots, {node.leaf_cost, Outcome::leaf});
    node.shallower.assign(n_slots, 0);
    node.shallower_depth = 0;
    node.shallower_last = node.last_score = n_slots - 1;
    node.scores.clear();
    node.depth = 0;
    node.learned = false;
    for (std::uint32_t nodes = std::max(asked.first, 1u); nodes <= asked.last; ++nodes) {
        const std::size_t slot = node.slot_of(nodes);
        const Outcome& outcome = outcomes[nodes - asked.first];
        node.known[slot] = std::max(node.known[slot], outcome.lower);
        if (outcome.is_solved())
            node.best[slot] = outcome;
        else
            node.upper[slot] = std::max(node.upper[slot], upper[nodes - asked.first]);
    }
}

// Returns whether the outcomes hold for every depth.
template <class Lane>
bool Search::solve_node(
    std::size_t number, Subset& subset, Range asked, const Costs& upper, Outcomes& outcomes) {
    Node<Lane>& node = std::get<Node<Lane>>(level(number).nodes);
    prepare(node, subset, asked, upper, outcomes);
    node.two.load(level(number).rows, rules_, limits_);
    if (limits_.stopped()) return false;
    if (techniques_.depth_two) try_depth_two(node, subset.part);
    node.share_best();
    for (Costs& costs : node.two_costs) costs.assign(2 * node.two.n_features(), Cache::unknown);
    take_root_bounds(number, node, subset, asked);
    std::uint32_t depth = next_depth(node, techniques_.depth_two ? 3 : 1);
    for (; depth <= node.range.depth && !limits_.stopped(); depth = next_depth(node, depth + 1)) {
        if (!start_pass(node, subset.part, depth)) continue;
        arrange(node, subset.part);
        pass(number, node);
        if (limits_.stopped()) break;
        finish_pass(node, subset.part);
    }
    if (number == 0) report_root(node);
    if (limits_.stopped()) return false;
    give_root_bounds(number, node, subset, asked);
    for (std::uint32_t nodes = std::max(asked.first, 1u); nodes <= asked.last; ++nodes) {
        const std::size_t slot = node.slot_of(nodes);
        Outcome& outcome = outcomes[nodes - asked.first];
        const Outcome& best = node.best[slot];
        const bool is_optimal = best.lower <= std::max(node.upper[slot], node.known[slot]);
        if (!outcome.is_solved())
            outcome = is_optimal ? best : Outcome{std::max(outcome.lower, node.known[slot])};
    }
    // Of several requests some may have been answered before, for this depth only.
    const std::uint32_t reached = std::max(node.depth, techniques_.depth_two ? 2u : 0u);
    return task_.price_of_node > 0 && reached < node.range.depth && asked.first == asked.last;
}

// The depth of the next pass, at least `depth`; beyond the range: there is none. With a price for
// nodes, a tree within the cost that is of use has only so many of them, and no more depth; and as
// that depends on the rows, a pass for each depth would be too many: depth three, then the last.
template <class Lane>
std::uint32_t Search::next_depth(const Node<Lane>& node, std::uint32_t depth) const {
    const std::uint32_t none = node.range.depth + 1;
    std::uint32_t last = node.range.depth;
    if (task_.price_of_node > 0) {
        std::int64_t limit = 0;
        for (std::size_t slot = 0; slot < node.range.size(); ++slot)
            limit = std::max(limit, std::min(node.upper[slot], node.best[slot].lower - 1));
        last =
            static_cast<std::uint32_t>(std::min<std::int64_t>(last, limit / task_.price_of_node));
    }
    if (depth > last) return none;
    const bool takes_all = techniques_.deepening && (task_.price_of_node == 0 || depth <= 3);
    return takes_all ? depth : last;
}

template <class Lane>
void Search::try_depth_two(Node<Lane>& node, const Part& part) {
    const DepthTwoCosts costs = node.two.solve(limits_);
    const bool is_solved = node.two.is_solved();  // if not, these are trees, but not the best
    ++stats_.depth_two_calls;
    if (uses_cache() && is_solved) cache_.store_depth_two(key_of(part, node.branch), costs);
    const std::uint32_t deepest = node.range.depth == 1 ? 1 : 3;
    for (std::size_t slot = 0; slot < node.range.size(); ++slot) {
        const std::uint32_t most =
            std::min(node.range.first + static_cast<std::uint32_t>(slot), deepest);
        const std::uint32_t nodes = cheapest_size(costs, most, task_);
        const std::int64_t cost = cost_of(costs[nodes]) + nodes * task_.price_of_node;
        // The root is left open: such a tree is rebuilt from its rows.
        if (cost < node.best[slot].lower) node.best[slot] = {cost, 0, std::min(nodes, 2u), 0, 0};
        if (!is_solved) continue;
        node.shallower[slot] = cost;
        // Trees of one or two nodes have no more depth than this.
        const bool is_final = most <= 2 || node.range.depth <= 2;
        const std::int64_t beyond = is_final ? unlimited : 3 * task_.price_of_node;
        node.known[slot] = std::max(node.known[slot], std::min(cost, beyond));
    }
    node.shallower_depth = 2;
    const auto roots = node.two.root_costs();
    node.scores.assign(node.range.size() * node.two.stride(), 0);
    for (std::size_t f = 0; f < node.two.n_features(); ++f)
        node.scores[node.at(node.range.size() - 1, f)] = cost_of(roots[f]);
}

template <class Lane>
void Search::take_root_bounds(std::size_t number,
                              Node<Lane>& node,
                              const Subset& subset,
                              Range asked) {
    node.root_lower.assign(node.range.size() * node.two.stride(), 0);
    const std::vector<std::uint32_t>& positions = level(number).rows.positions;
    for (std::size_t f = 0; f < node.two.n_features(); ++f) {
        const bool may_split = node.two.may_split(f);
        for (std::size_t slot = 0; slot < node.range.size(); ++slot) {
            std::int64_t& bound = node.root_lower[node.at(slot, f)];
            if (!may_split || is_dominated(node, f)) bound = unlimited;
            if (subset.root_bounds.empty()) continue;
            const std::uint32_t nodes = std::clamp(
                node.range.first + static_cast<std::uint32_t>(slot), asked.first, asked.last);
            bound = std::max(
                bound,
                subset
                    .root_bounds[(nodes - asked.first) * subset.source->n_features + positions[f]]);
        }
    }
}

// Whether a split cannot be worth its price: the tree of the heavier side alone, used for all rows,
// errs at most on the lighter side, and has one node less.
template <class Lane>
bool Search::is_dominated(const Node<Lane>& node, std::size_t feature) const {
    const PartWeights<kernels::Weight<Lane>> weights = node.two.weights();
    const std::int64_t with = weights.with[feature];
    return !task_.least_sizes.any() && weighs_ &&
           cost_of(std::min(with, weights.weight - with)) <= price_of(node.two.column(feature));
}

// What the last pass of each request found out about the roots. A bound may not be above the cost
// of the leaf: for trees that use more nodes than are worth their price it says no more than that.
// Nothing was found out about roots that were not considered at all.
template <class Lane>
void Search::give_root_bounds(std::size_t number,
                              const Node<Lane>& node,
                              Subset& subset,
                              Range asked) const {
    if (subset.root_bounds.empty() || !node.learned) return;
    const std::vector<std::uint32_t>& positions = levels_[number]->rows.positions;
    for (std::uint32_t nodes = std::max(asked.first, 1u); nodes <= asked.last; ++nodes) {
        const std::size_t slot = node.slot_of(nodes);
        if (slot < node.first_slot || node.upper[slot] < 0) continue;
        std::int64_t* const bounds =
            subset.root_bounds.data() + (nodes - asked.first) * subset.source->n_features;
        for (std::size_t f = 0; f < node.two.n_features(); ++f) {
            const std::int64_t score = node.scores[node.at(slot, f)];
            if (score < unlimited)
                bounds[positions[f]] =
                    std::max(bounds[positions[f]], std::min(score, node.leaf_cost));
        }
    }
}

// Chooses the requests of a pass: those that this depth can still improve. False if there are
// none.
template <class Lane>
bool Search::start_pass(Node<Lane>& node, const Part& part, std::uint32_t depth) {
    const std::uint32_t first = node.range.first;
    const std::uint32_t full = Budget::most_nodes(depth);
    node.depth = depth;
    node.last_slot = first >= full ? 0 : std::min<std::size_t>(node.range.size() - 1, full - first);
    // No more nodes than the depth of the last pass: settled by then.
    node.first_slot = node.shallower_depth >= first ? node.shallower_depth - first + 1 : 0;
    if (node.first_slot > node.last_slot) return false;
    // Where depths were passed over, only a bound for every depth is one for the parts' depth.
    if (node.shallower_depth + 1 < depth) {
        node.shallower = node.known;
        node.shallower_last = node.range.size() - 1;
    }
    node.shallower_depth = depth;
    node.pass_upper.resize(node.range.size());
    node.pass_known.resize(node.range.size());
    node.limit.resize(node.range.size());
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot) {
        const bool is_final =
            node.is_final(slot) ||
            (task_.price_of_node > 0 && (depth + 1) * task_.price_of_node > node.upper[slot]);
        const bool is_exact = !is_final && node.upper[slot] >= 0;
        node.pass_upper[slot] = is_exact ? unlimited : node.upper[slot];
        node.pass_known[slot] = node.known[slot];
        if (!uses_cache() || is_final) continue;
        const auto cached =
            cache_.find(task_key(key_of(part, node.branch)), {depth, node.nodes_of(slot)});
        if (!cached) continue;
        node.pass_known[slot] = std::max(node.pass_known[slot], cached->lower);
        if (cached->is_solved() && cached->lower < node.best[slot].lower) node.best[slot] = *cached;
    }
    node.share_best();
    node.refined.assign(node.range.size(), node.leaf_cost);
    node.completed = !close_slots(node);
    if (!node.completed) return true;
    // All known from an earlier visit.
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot)
        node.shallower[slot] = node.pass_known[slot];
    node.shallower_last = node.last_slot;
    return false;
}

// The order of the features and what is known of the parts.
template <class Lane>
void Search::arrange(Node<Lane>& node, const Part& part) {
    const std::uint32_t most_of_part = Budget::most_nodes(node.depth - 1);
    node.most = std::min(node.below(node.last_slot), most_of_part);
    const std::uint32_t below = node.below(node.first_slot);
    node.fewest = below > most_of_part ? below - most_of_part : 0;
    const std::size_t size = (node.most - node.fewest + 1) * node.two.stride();
    for (std::size_t side = 0; side < 2; ++side) {
        node.lower[side].assign(size, 0);
        node.solved[side].assign(size, 0);
    }
    sort_features(node, part);
    node.scores.assign(node.range.size() * node.two.stride(), 0);
    node.bound.assign(node.range.size(), 0);
    look_up_parts(node);
    node.root_bounds.clear(node.two.n_features());
    node.learns =
        uses_similarity() && node.depth > 3 && 2 * node.two.n_features() * size <= max_root_bounds;
}

template <class Lane>
void Search::sort_features(Node<Lane>& node, const Part& part) {
    const auto score = [&](std::uint32_t feature) -> std::int64_t {
        switch (techniques_.feature_order) {
            case FeatureOrder::automatic:  // what the last pass promised
                return node.scores.empty() ? 0 : node.scores[node.at(node.last_score, feature)];
            case FeatureOrder::gini:  // in thousandths of a row
                return static_cast<std::int64_t>(1000 * node.two.gini(feature));
            case FeatureOrder::random:  // the same at every visit of the same rows
                return static_cast<std::int64_t>(
                    mixed(part.fingerprint.low + techniques_.random_state + feature) >> 1);
            case FeatureOrder::in_order:
                return 0;
        }
        return 0;
    };
    node.ranking.clear();
    for (std::uint32_t feature = 0; feature < node.two.n_features(); ++feature)
        node.ranking.emplace_back(score(feature), feature);
    std::sort(node.ranking.begin(), node.ranking.end());
    node.order.clear();
    for (const auto& [rank, feature] : node.ranking) node.order.push_back(feature);
}

// Algorithm 2: every feature as the root.
template <class Lane>
void Search::pass(std::size_t number, Node<Lane>& node) {
    ++stats_.nodes;
    // What shallower passes and look-ahead trees do says little about how much there is to do.
    const bool counts =
        number == 0 && is_asked_ && next_depth(node, node.depth + 1) > node.range.depth;
    std::size_t done = 0;
    for (const std::uint32_t feature : node.order) {
        if (!close_slots(node)) return;
        if (!limits_.keep_going(1 + static_cast<std::int64_t>(node.order.size() / 64))) return;
        bool is_pruned = true;
        for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot)
            is_pruned &= node.root_lower[node.at(slot, feature)] > node.limit[slot];
        if (is_pruned)
            ++stats_.roots_pruned;
        else
            try_feature(number, node, feature);
        if (limits_.stopped()) return;
        for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot) {
            std::int64_t bound = node.root_lower[node.at(slot, feature)];
            if (!is_pruned) bound = std::max(bound, node.bound[slot]);
            node.scores[node.at(slot, feature)] = bound;
            node.refined[slot] = std::min(node.refined[slot], bound);
        }
        ++done;
        if (counts)
            share_done_ = static_cast<double>(done) / static_cast<double>(node.order.size());
    }
    node.completed = true;
}

// Sets how much a tree may cost to be of use. False if no request is open any more.
template <class Lane>
bool Search::close_slots(Node<Lane>& node) const {
    bool is_open = false;
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot) {
        node.limit[slot] = std::min(node.pass_upper[slot], node.best[slot].lower - 1);
        if (node.limit[slot] < node.pass_known[slot]) node.limit[slot] = -1;
        is_open |= node.limit[slot] >= 0;
    }
    return is_open;
}

// What the pass has proven, request by request.
template <class Lane>
void Search::finish_pass(Node<Lane>& node, const Part& part) {
    for (std::size_t slot = node.last_slot + 1; slot-- > node.first_slot;) {
        const Outcome& best = node.best[slot];
        std::int64_t lower = node.pass_known[slot];
        if (best.lower <= lower || (node.completed && best.lower <= node.pass_upper[slot]))
            lower = best.lower;
        else if (node.completed)
            lower = std::max({lower,
                              techniques_.refined_bound ? node.refined[slot] : 0,
                              node.pass_upper[slot] + 1});
        if (slot < node.last_slot) lower = std::max(lower, node.shallower[slot + 1]);
        node.shallower[slot] = lower;
        // Deeper trees have more nodes, each at its price.
        const std::int64_t beyond =
            node.is_final(slot) ? unlimited : (node.depth + 1) * task_.price_of_node;
        node.known[slot] = std::max(node.known[slot], std::min(lower, beyond));
        // The incumbent may be a deeper tree, known from elsewhere.
        if (!node.is_final(slot) && uses_cache() && best.lower <= lower &&
            best.used_depth <= node.depth)
            remember(key_of(part, node.branch), {node.depth, node.nodes_of(slot)}, best);
    }
    node.shallower_last = node.last_slot;
    node.last_score = node.last_slot;
    node.learned = node.completed && node.depth == node.range.depth;
}

// Tells the outside what is known of the whole data, if that is what was asked: a look-ahead tree
// solves it for a smaller depth, whose bounds are too high for the request.
template <class Lane>
void Search::report_root(Node<Lane>& node) {
    if (!is_asked_) return;
    if (!limits_.stopped()) share_done_ = 1;
    if (limits_.stopped() && node.depth == node.range.depth && !node.order.empty())
        bound_root(node);
    for (std::uint32_t nodes = std::max(root_range_.first, 1u); nodes <= root_range_.last;
         ++nodes) {
        const std::size_t slot = node.slot_of(nodes);
        const std::size_t k = nodes - root_range_.first;
        incumbents_[k] = node.best[slot];
        proven_lower_[k] = std::max(proven_lower_[k], node.known[slot]);
    }
}

// A bound of the whole problem while its last pass is under way: the least over all features of
// what is known so far, with the help of similarity where that is quick.
template <class Lane>
void Search::bound_root(Node<Lane>& node) {
    const std::size_t n_features = node.two.n_features();
    const bool quick = n_features * n_features * (node.most - node.fewest + 1) < 20'000'000 &&
                       !node.two.is_in_strips();
    Costs least(node.range.size(), node.leaf_cost);
    for (std::size_t feature = 0; feature < n_features; ++feature) {
        if (quick) bound_parts(node, feature);
        add_up(node, feature);
        for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot)
            least[slot] = std::min(
                least[slot], std::max(node.bound[slot], node.root_lower[node.at(slot, feature)]));
    }
    for (std::size_t slot = node.first_slot; slot <= node.last_slot; ++slot)
        node.known[slot] = std::max(node.known[slot], std::min(least[slot], node.best[slot].lower));
}

template bool Search::solve_node<std::int16_t>(
    std::size_t, Subset&, Range, const Costs&, Outcomes&);
template bool Search::solve_node<std::int32_t>(
    std::size_t, Subset&, Range, const Costs&, Outcomes&);
template bool Search::solve_node<std::int64_t>(
    std::size_t, Subset&, Range, const Costs&, Outcomes&);
template bool Search::solve_node<Summed>(std::size_t, Subset&, Range, const Costs&, Outcomes&);

}  // namespace murtree
