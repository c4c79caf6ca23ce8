// Over 400 lines: one recursion, and its order is easiest to see in one place.
#include "search/search.hpp"

#include <algorithm>
#include <numeric>

#include "search/stump.hpp"

namespace murtree {

Search::Search(const Dataset& data,
               const Techniques& techniques,
               Cache& cache,
               Limits& limits,
               SearchStats& stats)
    : data_(data),
      techniques_(techniques),
      objective_(data.n_classes()),
      cache_(cache),
      limits_(limits),
      stats_(stats) {}

// Limits that no tree of these rows can use up are all written the same way, so that they share
// cache entries.
Budget Search::normalise(Budget budget, std::size_t n_rows) const {
    const auto useful =
        static_cast<std::uint32_t>(std::min<std::size_t>(n_rows == 0 ? 0 : n_rows - 1, 1u << 30));
    budget.depth = std::min(budget.depth, useful);
    if (budget.nodes >= useful) budget.nodes = Budget::most_nodes(budget.depth);
    budget.depth = std::min(budget.depth, budget.nodes);
    budget.nodes = std::min(budget.nodes, Budget::most_nodes(budget.depth));
    return budget;
}

Search::Level& Search::level(std::size_t number) {
    while (levels_.size() <= number) levels_.push_back(std::make_unique<Level>());
    return *levels_[number];
}

std::int64_t Search::total_weight(const Rows& rows) {
    std::int64_t weight = 0;
    for (const RowSegment& segment : rows.segments)
        weight += std::int64_t{segment.n_rows} << segment.shift;
    return weight;
}

// The rows of `source` with these numbers (ascending), with what is known without a search.
Search::Subset Search::subset_of(const Rows& source, std::vector<std::uint32_t> row_numbers) const {
    Subset subset{&source, std::move(row_numbers), {}};
    std::vector<std::int64_t> counts(objective_.n_counts(), 0);
    std::int64_t attainable = 0;
    std::size_t next = 0;
    std::uint32_t end = 0;
    for (const RowSegment& segment : source.segments) {
        end += segment.n_rows;
        const kernels::Segment counted = objective_.counted(segment, 0);
        for (; next < subset.row_numbers.size() && subset.row_numbers[next] < end; ++next) {
            subset.part.fingerprint ^= source.keys[subset.row_numbers[next]];
            counts[counted.column] += counted.sign * (std::int64_t{1} << segment.shift);
            if (segment.attainable) attainable += std::int64_t{1} << segment.shift;
        }
    }
    subset.part.leaf_cost = objective_.cost(attainable, objective_.leaf_value(counts.data()));
    return subset;
}

Search::Subset Search::whole() const {
    std::vector<std::uint32_t> row_numbers(data_.reduced().n_rows());
    std::iota(row_numbers.begin(), row_numbers.end(), 0u);
    return subset_of(data_.reduced(), std::move(row_numbers));
}

Outcome Search::solve(Budget budget, std::int64_t upper) {
    Subset subset = whole();
    return solve_subset(0, subset, budget, upper);
}

// Algorithm 1.
Outcome Search::solve_subset(std::size_t number,
                             Subset& subset,
                             Budget budget,
                             std::int64_t upper) {
    budget = normalise(budget, subset.row_numbers.size());
    const std::int64_t leaf_cost = subset.part.leaf_cost;
    if (leaf_cost == 0 || budget.nodes == 0) return {leaf_cost, Outcome::leaf};
    if (upper < 0) return {};
    Outcome known;
    if (techniques_.cache)
        if (const auto cached = cache_.find(subset.part.fingerprint, budget.depth, budget.nodes))
            known = *cached;
    if (known.is_solved() || known.lower > upper) {
        ++stats_.cache_hits;
        return known;
    }
    if (known.lower == leaf_cost) return {leaf_cost, Outcome::leaf};
    if (!limits_.keep_going(static_cast<std::int64_t>(subset.row_numbers.size()))) return {};
    Level& own = level(number);
    select_rows(*subset.source, subset.row_numbers, own.rows);
    if (number == 0 && budget.depth == 1) {  // no pairs are needed, however many columns there are
        const std::optional<Stump> stump = best_stump(own.rows, objective_);
        if (!stump || stump->cost >= leaf_cost) return {leaf_cost, Outcome::leaf};
        return {stump->cost, own.rows.features[stump->feature], 1, 0, 0};
    }
    const Outcome outcome = with_lane(own.rows, [&](auto lane) {
        return solve_node<decltype(lane)>(number, subset, budget, known, upper);
    });
    if (techniques_.cache && !limits_.stopped())
        cache_.store(subset.part.fingerprint, budget.depth, budget.nodes, outcome);
    return outcome;
}

// The passes over one node, of growing depth.
template <class Lane>
Outcome Search::solve_node(
    std::size_t number, Subset& subset, Budget budget, Outcome known, std::int64_t upper) {
    const Part& part = subset.part;
    Node<Lane>& node = std::get<Node<Lane>>(level(number).nodes);
    node.best = {part.leaf_cost, Outcome::leaf};
    if (number == 0) incumbent_ = node.best;
    node.two.load(level(number).rows, {objective_}, limits_);
    if (limits_.stopped()) return {};
    try_depth_two(node, part, budget);
    node.shallower = node.best.lower;
    std::int64_t lower = known.lower;
    if (budget.depth <= 2) return node.best;
    const std::vector<std::uint32_t>& positions = level(number).rows.positions;
    node.root_lower.assign(positions.size(), 0);
    if (!subset.root_bounds.empty())
        for (std::size_t f = 0; f < positions.size(); ++f)
            node.root_lower[f] = subset.root_bounds[positions[f]];
    for (std::uint32_t depth = techniques_.deepening ? 3 : budget.depth; depth <= budget.depth;
         ++depth) {
        const Budget limits{depth, std::min(budget.nodes, Budget::most_nodes(depth))};
        const bool last = depth == budget.depth;
        if (!last && recall(node, part, limits)) continue;
        start_pass(node, limits);
        lower = pass(number, node, part, known.lower, last ? upper : unlimited);
        if (limits_.stopped()) break;
        if (!last && techniques_.cache)
            cache_.store(part.fingerprint, limits.depth, limits.nodes, node.best);
        node.shallower = lower;
        if (node.best.lower <= known.lower) break;
    }
    if (number == 0) {
        incumbent_ = node.best;
        proven_lower_ =
            std::max(known.lower, limits_.stopped() ? root_bound(node, part.leaf_cost) : lower);
        if (limits_.stopped() && node.budget.depth < budget.depth) proven_lower_ = known.lower;
    }
    if (limits_.stopped()) return {};
    // Unless the last pass ended early, it has left a bound for every root in the scores.
    if (!subset.root_bounds.empty() && node.best.lower > known.lower)
        for (std::size_t f = 0; f < positions.size(); ++f)
            subset.root_bounds[positions[f]] = node.scores[f];
    if (node.best.lower <= upper) return node.best;
    return {std::max(lower, known.lower)};
}

template <class Lane>
void Search::try_depth_two(Node<Lane>& node, const Part& part, Budget budget) {
    const DepthTwoCosts costs = node.two.solve();
    ++stats_.depth_two_calls;
    const std::uint32_t most = std::min(budget.nodes, 3u);
    for (std::uint32_t nodes = 1; nodes <= most; ++nodes) {
        // The root is left open: such a tree is rebuilt from its rows.
        const Outcome outcome{costs[nodes], 0, std::min(nodes, 2u), 0, 0};
        if (techniques_.cache) cache_.store(part.fingerprint, std::min(nodes, 2u), nodes, outcome);
        if (outcome.lower < node.best.lower) node.best = outcome;
    }
    const auto roots = node.two.root_costs();
    node.scores.assign(roots.begin(), roots.end());
}

// Takes the result of a pass from the cache, if an earlier visit left it there.
template <class Lane>
bool Search::recall(Node<Lane>& node, const Part& part, Budget budget) {
    if (!techniques_.cache) return false;
    const auto cached = cache_.find(part.fingerprint, budget.depth, budget.nodes);
    if (!cached || !cached->is_solved()) return false;
    if (cached->lower < node.best.lower) node.best = *cached;
    node.shallower = cached->lower;
    return true;
}

template <class Lane>
void Search::start_pass(Node<Lane>& node, Budget budget) {
    node.budget = budget;
    const std::uint32_t below = budget.nodes - 1;
    const std::uint32_t most = std::min(below, Budget::most_nodes(budget.depth - 1));
    node.fewest = below - most;
    const std::size_t size = (most - node.fewest + 1) * node.two.stride();
    for (int side = 0; side < 2; ++side) {
        node.lower[side].assign(size, 0);
        node.solved[side].assign(size, 0);
    }
    node.order.resize(node.two.n_features());
    std::iota(node.order.begin(), node.order.end(), 0u);
    std::sort(node.order.begin(), node.order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return node.scores[a] != node.scores[b] ? node.scores[a] < node.scores[b] : a < b;
    });
    look_up_parts(node);
    node.root_bounds.clear(node.two.n_features());
}

// Algorithm 2: every feature as the root. Returns a lower bound of the node for this pass's budget;
// where the incumbent is within `upper` that is its cost, the optimum.
template <class Lane>
std::int64_t Search::pass(std::size_t number,
                          Node<Lane>& node,
                          const Part& part,
                          std::int64_t known,
                          std::int64_t upper) {
    ++stats_.nodes;
    std::int64_t refined = part.leaf_cost;  // the least sum of the parts' bounds over all features
    for (const std::uint32_t feature : node.order) {
        if (node.best.lower <= known) return node.best.lower;
        if (!limits_.keep_going(1 + static_cast<std::int64_t>(node.order.size() / 64))) return 0;
        std::int64_t bound = node.root_lower[feature];
        if (bound > std::min(upper, node.best.lower - 1))
            ++stats_.roots_pruned;
        else
            bound = std::max(bound, try_feature(number, node, feature, upper));
        if (limits_.stopped()) return 0;
        node.scores[feature] = bound;
        refined = std::min(refined, bound);
    }
    if (node.best.lower <= upper) return node.best.lower;
    return techniques_.refined_bound ? std::max(refined, upper + 1) : upper + 1;
}

// All ways to give the remaining nodes to the two parts. Returns the least lower bound among them.
template <class Lane>
std::int64_t Search::try_feature(std::size_t number,
                                 Node<Lane>& node,
                                 std::size_t feature,
                                 std::int64_t upper) {
    const std::uint32_t below = node.budget.nodes - 1;
    std::int64_t least = unlimited;
    for (std::uint32_t left = node.fewest; left <= below - node.fewest; ++left) {
        const std::int64_t limit = std::min(upper, node.best.lower - 1);
        least = std::min(least, try_split(number, node, feature, {left, below - left}, limit));
        if (limits_.stopped()) break;
    }
    return least;
}

// Algorithm 3: one feature at the root and given numbers of nodes in its parts. Returns a lower
// bound of the sum.
template <class Lane>
std::int64_t Search::try_split(std::size_t number,
                               Node<Lane>& node,
                               std::size_t feature,
                               std::array<std::uint32_t, 2> nodes,
                               std::int64_t upper) {
    const std::array<std::size_t, 2> index{node.index(nodes[0], feature),
                                           node.index(nodes[1], feature)};
    const auto lower = [&](std::size_t side) -> std::int64_t {
        return node.lower[side][index[side]];
    };
    const auto solved = [&](std::size_t side) { return node.solved[side][index[side]] != 0; };
    ++stats_.splits;
    bound_parts(node, feature, nodes);
    if (lower(0) + lower(1) > upper) {
        ++stats_.splits_pruned;
        return lower(0) + lower(1);
    }
    if (!solved(0) || !solved(1)) {
        node.two.split(feature);
        const bool larger_right = node.two.leaf_cost(1, feature) > node.two.leaf_cost(0, feature);
        const int first = techniques_.dynamic_order && larger_right ? 1 : 0;
        for (const int side : {first, 1 - first}) {
            const auto other = static_cast<std::size_t>(1 - side);
            if (lower(0) + lower(1) > upper) break;
            if (solved(static_cast<std::size_t>(side))) continue;
            const std::int64_t reserved =
                techniques_.sibling_bound || solved(other) ? lower(other) : 0;
            if (node.budget.depth == 3)
                solve_parts_at_depth_two(node);
            else
                solve_part(
                    number, node, side, nodes[static_cast<std::size_t>(side)], upper - reserved);
            if (limits_.stopped()) return 0;
        }
    }
    const std::int64_t sum = lower(0) + lower(1);
    if (sum <= upper && solved(0) && solved(1))
        node.best = {
            sum, level(number).rows.features[feature], node.budget.depth, nodes[0], nodes[1]};
    return sum;
}

// Raises the lower bounds of the two parts by what is known of the others and of the node itself.
template <class Lane>
void Search::bound_parts(Node<Lane>& node,
                         std::size_t feature,
                         std::array<std::uint32_t, 2> nodes) {
    if (!techniques_.similarity_bound) return;
    const std::int64_t weight = node.two.weight();
    const std::int64_t weight_with = node.two.weight_with(feature);
    for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t index = node.index(nodes[side], feature);
        if (node.solved[side][index] != 0) continue;
        const std::array<const Lane*, 2> lower{node.lower[0].data() + node.index(nodes[side], 0),
                                               node.lower[1].data() + node.index(nodes[side], 0)};
        const std::int64_t of_parts = similarity_bound(node.two.weights(),
                                                       lower,
                                                       feature,
                                                       node.two.weights_with_both(feature),
                                                       static_cast<int>(side));
        // The part as a subset of the node itself, whose optimum for this depth is known or
        // bounded.
        const std::int64_t outside = side == 1 ? weight - weight_with : weight_with;
        const std::int64_t of_node = techniques_.deepening ? node.shallower - outside : 0;
        node.lower[side][index] =
            static_cast<Lane>(std::max({std::int64_t{node.lower[side][index]}, of_parts, of_node}));
    }
}

// What is known of the parts before any is solved: leaves, and what the cache has. All at once, so
// that the look-ups overlap and every answer can bound the other parts.
template <class Lane>
void Search::look_up_parts(Node<Lane>& node) {
    const std::uint32_t most = node.budget.nodes - 1 - node.fewest;
    for (std::size_t feature = 0; feature < node.two.n_features(); ++feature) {
        node.two.split(feature);
        for (std::size_t side = 0; side < 2; ++side) {
            const Part child = node.two.part(static_cast<int>(side));
            const std::size_t n_rows = node.two.n_rows(static_cast<int>(side));
            for (std::uint32_t nodes = node.fewest; nodes <= most; ++nodes) {
                const std::size_t index = node.index(nodes, feature);
                if (child.leaf_cost == 0 || nodes == 0) {
                    node.lower[side][index] = static_cast<Lane>(child.leaf_cost);
                    node.solved[side][index] = 1;
                } else if (techniques_.cache) {
                    const Budget budget = normalise({node.budget.depth - 1, nodes}, n_rows);
                    const auto cached = cache_.find(child.fingerprint, budget.depth, budget.nodes);
                    if (!cached) continue;
                    stats_.cache_hits += cached->is_solved() ? 1 : 0;
                    node.lower[side][index] = static_cast<Lane>(cached->lower);
                    node.solved[side][index] = cached->is_solved() ? 1 : 0;
                }
            }
        }
    }
}

template <class Lane>
void Search::solve_part(
    std::size_t number, Node<Lane>& node, int side, std::uint32_t nodes, std::int64_t upper) {
    Subset& child = level(number).child;
    child.source = &level(number).rows;
    child.part = node.two.part(side);
    node.two.row_numbers(side, child.row_numbers);
    const std::size_t feature = node.two.feature();
    const bool learns = techniques_.similarity_bound && node.has_one_budget();
    child.root_bounds.clear();
    if (learns)
        child.root_bounds = node.root_bounds.infer(
            node.two.weights(), feature, node.two.weights_with_both(feature), side);
    const Outcome outcome = solve_subset(number + 1, child, {node.budget.depth - 1, nodes}, upper);
    if (learns) {
        for (std::int64_t& bound : child.root_bounds) bound = std::max(bound, outcome.lower);
        node.root_bounds.keep(side, feature, child.root_bounds);
    }
    const std::size_t index = node.index(nodes, feature);
    Lane& lower = node.lower[static_cast<std::size_t>(side)][index];
    lower = static_cast<Lane>(std::max<std::int64_t>(lower, outcome.lower));
    node.solved[static_cast<std::size_t>(side)][index] = outcome.is_solved() ? 1 : 0;
}

// Both parts at once, for every number of nodes: counting is shared between them.
template <class Lane>
void Search::solve_parts_at_depth_two(Node<Lane>& node) {
    if (!limits_.keep_going(node.two.work())) return;
    const std::size_t feature = node.two.feature();
    const std::uint32_t most = node.budget.nodes - 1 - node.fewest;
    const auto open = [&](std::size_t side) {
        for (std::uint32_t nodes = std::max(node.fewest, 1u); nodes <= most; ++nodes)
            if (node.solved[side][node.index(nodes, feature)] == 0) return true;
        return false;
    };
    const bool only_three = node.fewest == 3;
    const std::array<bool, 2> wanted{open(0), open(1)};
    std::array<DepthTwoCosts, 2> costs{};
    node.two.solve_parts(wanted, !only_three, limits_, costs);
    if (limits_.stopped()) return;
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side]) continue;
        ++stats_.depth_two_calls;
        const Part child = node.two.part(static_cast<int>(side));
        for (std::uint32_t nodes = std::max(node.fewest, 1u); nodes <= most; ++nodes) {
            const std::size_t index = node.index(nodes, feature);
            node.lower[side][index] = static_cast<Lane>(costs[side][nodes]);
            node.solved[side][index] = 1;
            if (!techniques_.cache) continue;
            const Budget budget = normalise({2, nodes}, node.two.n_rows(static_cast<int>(side)));
            cache_.store(child.fingerprint,
                         budget.depth,
                         budget.nodes,
                         {costs[side][nodes], 0, std::min(nodes, 2u), 0, 0});
        }
    }
}

// A bound of the whole problem while its last pass is under way: the least over all features of
// what is known so far, with the help of similarity where that is quick.
template <class Lane>
std::int64_t Search::root_bound(Node<Lane>& node, std::int64_t leaf_cost) {
    std::int64_t least = std::min(leaf_cost, node.best.lower);
    const std::uint32_t below = node.budget.nodes - 1;
    const std::size_t n_features = node.two.n_features();
    const bool quick = n_features * n_features * (below - 2 * node.fewest + 1) < 20'000'000;
    for (std::size_t feature = 0; feature < n_features; ++feature)
        for (std::uint32_t left = node.fewest; left <= below - node.fewest; ++left) {
            if (quick) bound_parts(node, feature, {left, below - left});
            const std::int64_t sum = std::int64_t{node.lower[0][node.index(left, feature)]} +
                                     node.lower[1][node.index(below - left, feature)];
            least = std::min(least, sum);
        }
    return least;
}

}  // namespace murtree
