#include "pareto/depth_two_front.hpp"

#include <algorithm>

namespace murtree::pareto {
namespace {

// Encodes a side of a root in one number: a leaf with a label, or a split by a feature, where the
// leaf with the feature has a label and the other leaf has the opposite one.
constexpr std::uint32_t leaf_code(std::uint32_t label) {
    return label;
}
constexpr std::uint32_t split_code(std::uint32_t feature, std::uint32_t label_with) {
    return feature << 2 | 2u | label_with;
}
constexpr bool is_split(std::uint32_t code) {
    return (code & 2u) != 0;
}

// The root of a tree that is a leaf; its label is in `left`.
constexpr std::uint32_t no_root = ~0u;

// Sums of points, or features, per unit of Limits, approximately.
constexpr std::size_t sums_per_work = 64;

constexpr std::uint64_t free_slot = ~std::uint64_t{0};
constexpr std::int64_t max_dense_fn = std::int64_t{1} << 31;

}  // namespace

template <class Lane>
std::vector<Front> DepthTwoFront<Lane>::solve(const CountsView<Lane>& counts,
                                              ClassCounts<Lane>& from,
                                              std::uint32_t first,
                                              std::uint32_t last,
                                              Limits& limits) {
    counts_ = counts;
    start(first, last);
    if (first == 0 && last == 0) return {trees_of(builder(0).finish())};
    choose_features();
    if (is_wanted(1)) add_single_splits();
    const std::size_t work = splitting_.size() * 4 / sums_per_work + 1;
    if (last > 1)
        for (const std::uint32_t root : splitting_) {
            if (is_perfect() || !limits.keep_going(static_cast<std::int64_t>(work))) break;
            while (root >= counts_.last && !limits.stopped()) from.go_on(counts_, limits);
            if (limits.stopped()) break;
            add_root(root);
        }
    std::vector<Front> fronts;
    for (std::uint32_t nodes = first; nodes <= last; ++nodes)
        fronts.push_back(trees_of(builder(nodes).finish()));
    return fronts;
}

template <class Lane>
void DepthTwoFront<Lane>::start(std::uint32_t first, std::uint32_t last) {
    first_ = first;
    last_ = last;
    for (std::uint32_t nodes = first; nodes <= last; ++nodes) {
        builder(nodes).start(counts_.totals[0], counts_.totals[1]);
        builder(nodes).add(0, counts_.totals[1], {no_root, leaf_code(0), 0});
        builder(nodes).add(counts_.totals[0], 0, {no_root, leaf_code(1), 0});
    }
}

// A feature that cannot split the rows cannot split a part of them either.
template <class Lane>
void DepthTwoFront<Lane>::choose_features() {
    splitting_.clear();
    for (std::uint32_t j = 0; j < counts_.columns.size(); ++j)
        if (counts_.may_split(j)) splitting_.push_back(j);
    for (std::size_t kind = 0; kind < 2; ++kind) {
        singles_[kind].resize(counts_.columns.size());
        for (const std::uint32_t j : splitting_)
            singles_[kind][j] = static_cast<Count>(counts_.single(kind, j));
    }
}

template <class Lane>
void DepthTwoFront<Lane>::add_single_splits() {
    for (const std::uint32_t root : splitting_) {
        const std::int64_t with0 = counts_.single(0, root);
        const std::int64_t with1 = counts_.single(1, root);
        builder(1).add(with0, counts_.totals[1] - with1, {root, leaf_code(0), leaf_code(1)});
        builder(1).add(counts_.totals[0] - with0, with1, {root, leaf_code(1), leaf_code(0)});
    }
}

// Whether no further root can add a point. A root that is perfect with two nodes is also perfect
// with three; a perfect split of one node is not among their sums before its root is processed.
template <class Lane>
bool DepthTwoFront<Lane>::is_perfect() const {
    return builders_[std::max(first_, 2u) - first_].is_perfect();
}

template <class Lane>
void DepthTwoFront<Lane>::add_root(std::uint32_t root) {
    for (int side = 0; side < 2; ++side)
        find_side(root, side, sides_[static_cast<std::size_t>(side)]);
    if (is_wanted(3)) add_sums(root, sides_[0], sides_[1], builder(3));
    if (!is_wanted(2)) return;
    // The ends of a side's front are its leaves, unless a split has no errors.
    for (std::size_t side = 0; side < 2; ++side) {
        const auto [n0, n1, n_rows] = counts_.part(static_cast<int>(side), root);
        const std::array<Candidate, 2> leaves{
            {{0, n1, {0, leaf_code(0), 0}}, {n0, 0, {0, leaf_code(1), 0}}}};
        if (side == 0)
            add_sums(root, leaves, sides_[1], builder(2));
        else
            add_sums(root, sides_[0], leaves, builder(2));
    }
}

// The front with at most one split for the rows on one side of the root.
template <class Lane>
void DepthTwoFront<Lane>::find_side(std::uint32_t root, int side, std::vector<Candidate>& front) {
    const std::array<std::int64_t, 3> all = counts_.part(side, root);
    const Weights weights{all[0], all[1]};
    front.clear();
    if (weights.n0 == 0 || weights.n1 == 0) {  // pure: the correct leaf dominates everything else
        front.push_back({0, 0, {0, leaf_code(weights.n1 > 0 ? 1 : 0), 0}});
        return;
    }
    const auto n_slots = static_cast<std::size_t>(weights.n0);
    if (!counts_.is_sized() && weights.n1 <= max_dense_fn && n_slots <= 8 * splitting_.size() + 256)
        return find_dense_side(root, side, weights, front);
    side_builder_.start(weights.n0, weights.n1);
    side_builder_.add(0, weights.n1, {0, leaf_code(0), 0});
    side_builder_.add(weights.n0, 0, {0, leaf_code(1), 0});
    for (const std::uint32_t j : splitting_) {
        const std::array<std::int64_t, 3> in = counts_.part_with(side, root, j);
        if (!counts_.allow(in, all)) continue;
        side_builder_.add(in[0], weights.n1 - in[1], {0, split_code(j, 1), 0});
        side_builder_.add(weights.n0 - in[0], in[1], {0, split_code(j, 0), 0});
    }
    const std::span<const Candidate> found = side_builder_.finish();
    front.assign(found.begin(), found.end());
}

// The same if class 0 is not too heavy; this is the innermost loop. A slot per fp stores fn and the
// split in one number, so that taking the minimum keeps the better one, or the first among ties,
// without a branch. The unpredictable branches of a FrontBuilder took two thirds of the total time.
template <class Lane>
void DepthTwoFront<Lane>::find_dense_side(std::uint32_t root,
                                          int side,
                                          const Weights& weights,
                                          std::vector<Candidate>& front) {
    const auto n0 = static_cast<std::size_t>(weights.n0);
    const auto n1 = static_cast<std::uint64_t>(weights.n1);
    if (slots_.size() <= n0) slots_.resize(n0 + 1, free_slot);
    std::uint64_t* const slots = slots_.data();
    slots[0] = n1 << 32 | leaf_code(0);
    slots[n0] = leaf_code(1);
    const Lane* const both0 = counts_.pairs_with(0, root);
    const Lane* const both1 = counts_.pairs_with(1, root);
    const auto add = [&](std::uint32_t j, std::size_t in0, std::uint64_t in1) {
        slots[in0] = std::min(slots[in0], (n1 - in1) << 32 | split_code(j, 1));
        slots[n0 - in0] = std::min(slots[n0 - in0], in1 << 32 | split_code(j, 0));
    };
    if (side == 1)
        for (const std::uint32_t j : splitting_)
            add(j, static_cast<Count>(both0[j]), static_cast<Count>(both1[j]));
    else
        for (const std::uint32_t j : splitting_)
            add(j,
                static_cast<Count>(singles_[0][j] - static_cast<Count>(both0[j])),
                static_cast<Count>(singles_[1][j] - static_cast<Count>(both1[j])));
    std::uint64_t least = free_slot >> 32;
    for (std::size_t slot = 0; slot <= n0; ++slot) {
        const std::uint64_t fn = slots[slot] >> 32;
        const auto code = static_cast<std::uint32_t>(slots[slot]);
        slots[slot] = free_slot;
        if (fn >= least) continue;
        least = fn;
        front.push_back(
            {static_cast<std::int64_t>(slot), static_cast<std::int64_t>(fn), {0, code, 0}});
    }
}

template <class Lane>
void DepthTwoFront<Lane>::add_sums(std::uint32_t root,
                                   std::span<const Candidate> left,
                                   std::span<const Candidate> right,
                                   FrontBuilder& to) const {
    for (const Candidate& p : left)
        for (const Candidate& q : right)
            to.add(p.fp + q.fp, p.fn + q.fn, {root, p.origin.left, q.origin.left});
}

template <class Lane>
Front DepthTwoFront<Lane>::trees_of(std::span<const Candidate> candidates) const {
    Front front;
    for (const Candidate& candidate : candidates) {
        const Origin& origin = candidate.origin;
        if (origin.root == no_root) {
            front.append_leaf(origin.left);
        } else {
            front.append(counts_.columns[origin.root]);
            append_child(origin.left, front);
            append_child(origin.right, front);
        }
        front.end_tree({candidate.fp, candidate.fn});
    }
    return front;
}

template <class Lane>
void DepthTwoFront<Lane>::append_child(std::uint32_t code, Front& front) const {
    const std::uint32_t label = code & 1u;
    if (is_split(code)) {
        front.append(counts_.columns[code >> 2]);
        front.append_leaf(1 - label);
    }
    front.append_leaf(label);
}

template class DepthTwoFront<std::int16_t>;
template class DepthTwoFront<std::int32_t>;
template class DepthTwoFront<std::int64_t>;

}  // namespace murtree::pareto
