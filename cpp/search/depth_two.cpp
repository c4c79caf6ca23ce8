// Over 400 lines: the two phases of one algorithm, instantiated once for each lane.
#include "search/depth_two.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace murtree {
namespace {

template <class Lane>
std::uint32_t words_for(std::size_t n_rows) {
    return static_cast<std::uint32_t>((n_rows + kernels::rows_per_word<Lane> - 1) /
                                      kernels::rows_per_word<Lane>);
}

// Words are counted in chunks of this many bytes, which stay in the second-level cache while every
// block of features goes over them; between chunks the limits are looked at.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;

// The same for rows counted one by one.
constexpr std::size_t chunk_updates = std::size_t{1} << 19;
constexpr std::size_t updates_per_work = 128;  // in a unit of Limits

// Half the time of one update of a count. The automatic choice between dense and sparse counting
// rests on this and on the pair_picoseconds of the kernels. Both come from straight lines through
// the times of all splits at the root of DL_anneal, DL_german-credit and Nina_colic, by every
// kernel and lane, and of Nina_australian, by 16-bit lanes of AVX-512, on one Xeon. An update took
// 0.4 ns (49 features) to 0.8 ns (962); 0.75 ns suits the wide sets, where the choice matters.
constexpr std::size_t half_update_picoseconds = 375;

}  // namespace

template <class Lane>
void DepthTwo<Lane>::load(const Rows& rows, const DepthTwoRules& rules, Limits& limits) {
    rows_ = &rows;
    objective_ = rules.objective;
    // No lane holds more rows than its largest number: two such leaves there cannot be.
    min_size_ = static_cast<Lane>(
        std::min<std::int64_t>(rules.min_samples_leaf, std::numeric_limits<Lane>::max()));
    counting_ = rules.counting;
    stride_ = rows.stride();
    all_rows_.resize(rows.n_rows());
    std::iota(all_rows_.begin(), all_rows_.end(), 0u);
    has_sparse_ = false;
    incremental_.clear();
    updates_per_row_ = sample_updates();
    pack_rows();
    count(limits);
    if (limits.stopped()) return;
    fingerprints_.resize(stride_);
    table_->fingerprints(
        rows.bits.data(), rows.row_words, rows.n_rows(), rows.keys.data(), fingerprints_.data());
    whole_fingerprint_ = {};
    for (const Fingerprint& key : rows.keys) whole_fingerprint_ ^= key;
}

template <class Lane>
kernels::PackedRows<Lane> DepthTwo<Lane>::view(
    const Packed& packed, const std::vector<kernels::Segment>& segments) const {
    return {packed.words.data(),
            packed.splats.data(),
            segments.data(),
            segments.size(),
            rows_->n_features,
            stride_};
}

template <class Lane>
kernels::Segment DepthTwo<Lane>::counted(const RowSegment& segment, std::uint32_t n_words) const {
    if (!segment.is_size()) return objective_.counted(segment, n_words);
    return {n_words, segment.shift, static_cast<std::uint16_t>(objective_.n_counts()), 1};
}

// Lays the rows out in words, each segment beginning a new one.
template <class Lane>
void DepthTwo<Lane>::pack_rows() {
    packed_.counted.clear();
    weight_segments_.clear();
    row_segments_.clear();
    size_segments_.clear();
    first_rows_.clear();
    valid_.clear();
    std::uint32_t row = 0;
    for (const RowSegment& segment : rows_->segments) {
        const std::uint32_t n_words = words_for<Lane>(segment.n_rows);
        if (is_counted(segment)) packed_.counted.push_back(counted(segment, n_words));
        if (!segment.is_size())
            weight_segments_.push_back({n_words, segment.shift, 0, segment.attainable ? 1 : 0});
        row_segments_.push_back({n_words, 0, 0, 1});
        size_segments_.push_back({n_words, segment.shift, 0, segment.is_size() ? 1 : 0});
        const std::uint32_t end = row + segment.n_rows;
        for (; row < end; row += kernels::rows_per_word<Lane>) {
            first_rows_.push_back(row);
            const std::uint32_t missing =
                kernels::rows_per_word<Lane> -
                std::min<std::uint32_t>(kernels::rows_per_word<Lane>, end - row);
            valid_.push_back(static_cast<Word>(static_cast<Word>(~Word{0}) >> missing));
        }
        row = end;
    }
    packed_.words.resize(first_rows_.size() * stride_);
    packed_.splats.resize(first_rows_.size() * stride_);
    std::size_t word = 0;
    const std::uint32_t* next = all_rows_.data();
    for (const RowSegment& segment : rows_->segments) {
        kernels_->pack(rows_->bits.data(),
                       rows_->row_words,
                       next,
                       segment.n_rows,
                       packed_.words.data() + word * stride_,
                       packed_.splats.data() + word * stride_);
        next += segment.n_rows;
        word += words_for<Lane>(segment.n_rows);
    }
}

template <class Lane>
void DepthTwo<Lane>::count_pairs(const Packed& packed,
                                 const std::vector<kernels::Segment>& segments,
                                 std::size_t n_counts,
                                 Limits& limits,
                                 Lane* counts) const {
    const std::size_t chunk =
        std::max<std::size_t>(16, chunk_bytes / (stride_ * (sizeof(Word) + sizeof(Splat)) + 1));
    std::vector<kernels::Segment> part;  // segments of the chunk, the last one perhaps cut
    std::size_t first = 0;
    std::size_t n_words = 0;
    const auto flush = [&] {
        const kernels::PackedRows<Lane> rows{packed.words.data() + first * stride_,
                                             packed.splats.data() + first * stride_,
                                             part.data(),
                                             part.size(),
                                             rows_->n_features,
                                             stride_};
        kernels_->count_pairs(rows, n_counts, counts, first > 0);
        first += n_words;
        n_words = 0;
        part.clear();
        return limits.keep_going(work_of(stride_, chunk));
    };
    for (kernels::Segment segment : segments)
        for (std::uint32_t rest = segment.n_words; rest > 0; rest -= segment.n_words) {
            segment.n_words =
                static_cast<std::uint32_t>(std::min<std::size_t>(rest, chunk - n_words));
            part.push_back(segment);
            n_words += segment.n_words;
            if (n_words == chunk && !flush()) return;
        }
    if (n_words > 0 || first == 0) flush();
}

// The number of updates for a row: its features squared, from a few rows, and a little for the row
// itself.
template <class Lane>
std::size_t DepthTwo<Lane>::sample_updates() const {
    constexpr std::size_t n_sampled = 32;
    constexpr std::size_t for_a_row = 8;
    const std::size_t n_rows = rows_->n_rows();
    const std::size_t step = n_rows / n_sampled + 1;
    std::size_t sum = 0;
    for (std::size_t row = 0; row < n_rows; row += step) {
        std::size_t n_ones = 0;
        for (std::size_t k = 0; k < rows_->row_words; ++k)
            n_ones +=
                static_cast<std::size_t>(std::popcount(rows_->bits[row * rows_->row_words + k]));
        sum += n_ones * n_ones;
    }
    return n_rows == 0 ? for_a_row : for_a_row + sum * step / n_rows;
}

template <class Lane>
bool DepthTwo<Lane>::is_sparse(const CountingTimes& times) const {
    if (counting_ != Counting::automatic) return counting_ != Counting::dense;
    return times.n_rows * updates_per_row_ * times.half_updates * half_update_picoseconds <
           times.n_words * stride_ * stride_ * kernels_->pair_picoseconds;
}

template <class Lane>
void DepthTwo<Lane>::load_sparse() {
    if (has_sparse_) return;
    sparse_.load(*rows_);
    sparse_.weigh(*rows_, packed_.counted);
    has_sparse_ = true;
}

template <class Lane>
void DepthTwo<Lane>::add_sparse(std::span<const std::uint32_t> row_numbers,
                                int times,
                                Limits& limits,
                                Lane* counts) const {
    const std::size_t chunk = chunk_updates / updates_per_row_ + 1;
    while (!row_numbers.empty() && !limits.stopped()) {
        const std::size_t n = std::min(chunk, row_numbers.size());
        sparse_.add(row_numbers.first(n), times, counts);
        row_numbers = row_numbers.subspan(n);
        limits.keep_going(static_cast<std::int64_t>(n * updates_per_row_ / updates_per_work));
    }
}

template <class Lane>
void DepthTwo<Lane>::count_node(const std::vector<kernels::Segment>& segments,
                                std::size_t n_counts,
                                Limits& limits,
                                Lane* counts) {
    if (!is_sparse({rows_->n_rows(), 2, first_rows_.size()}))
        return count_pairs(packed_, segments, n_counts, limits, counts);
    load_sparse();
    sparse_.weigh(*rows_, segments);
    std::fill_n(counts, n_counts * stride_ * stride_, Lane{0});
    add_sparse(all_rows_, 1, limits, counts);
    sparse_.weigh(*rows_, packed_.counted);
}

// Two classes are counted apart in one go: their difference is the signed count, their sum the
// weight.
template <class Lane>
void DepthTwo<Lane>::count_node_pairs(Limits& limits) {
    const std::size_t square = stride_ * stride_;
    const std::size_t n_apart = n_counts() + (objective_.is_signed() ? 1 : 0);
    pairs_.resize(n_apart * square);
    pair_weights_.resize(square);
    if (!objective_.is_signed()) {
        count_node(packed_.counted, n_counts(), limits, pairs_.data());
        count_node(weight_segments_, 1, limits, pair_weights_.data());
        return;
    }
    std::vector<kernels::Segment> apart = packed_.counted;
    for (kernels::Segment& segment : apart) {
        segment.column = static_cast<std::uint16_t>(segment.column + (segment.sign > 0 ? 1 : 0));
        segment.sign = 1;
    }
    count_node(apart, n_apart, limits, pairs_.data());
    Lane* const first = pairs_.data();
    Lane* const second = first + square;
    for (std::size_t k = 0; k < square; ++k) {
        pair_weights_[k] = static_cast<Lane>(first[k] + second[k]);
        first[k] = static_cast<Lane>(second[k] - first[k]);
    }
    if (is_sized()) std::copy(second + square, second + 2 * square, second);
}

template <class Lane>
void DepthTwo<Lane>::count(Limits& limits) {
    count_node_pairs(limits);
    if (limits.stopped()) return;
    count_totals();
    count_singles();
    for (std::vector<std::int64_t>& costs : leaf_costs_) costs.resize(rows_->n_features);
    for (std::size_t f = 0; f < rows_->n_features; ++f) {
        const auto [right, left] = leaf_values(whole_, f);
        leaf_costs_[0][f] = objective_.cost(weight_ - weight_with_[f], left);
        leaf_costs_[1][f] = objective_.cost(weight_with_[f], right);
    }
}

template <class Lane>
void DepthTwo<Lane>::count_totals() {
    whole_.totals.assign(n_counts(), 0);
    weight_ = 0;
    size_ = 0;
    for (const RowSegment& segment : rows_->segments) {
        const auto weight = static_cast<Lane>(std::int64_t{segment.n_rows} << segment.shift);
        if (segment.is_size()) size_ = static_cast<Lane>(size_ + weight);
        if (segment.attainable) weight_ = static_cast<Lane>(weight_ + weight);
        if (!is_counted(segment)) continue;
        const kernels::Segment to = counted(segment, 0);
        whole_.totals[to.column] = static_cast<Lane>(whole_.totals[to.column] + to.sign * weight);
    }
}

template <class Lane>
void DepthTwo<Lane>::count_singles() {
    rows_with_.assign(stride_, 0);
    size_with_.assign(stride_, 0);
    kernels_->count_singles(view(packed_, row_segments_), rows_with_.data());
    if (size_ > 0) kernels_->count_singles(view(packed_, size_segments_), size_with_.data());
    whole_.n_features = rows_->n_features;
    whole_.stride = stride_;
    whole_.singles.assign(n_counts() * stride_, 0);
    weight_with_.assign(stride_, 0);
    for (std::size_t f = 0; f < rows_->n_features; ++f) {
        weight_with_[f] = pair_weights_[f * stride_ + f];
        for (std::size_t k = 0; k < n_counts(); ++k)
            whole_.singles[k * stride_ + f] = pairs_[(k * stride_ + f) * stride_ + f];
    }
}

// Values of the two leaves below a root: of the rows with the feature, and without it.
template <class Lane>
std::array<Lane, 2> DepthTwo<Lane>::leaf_values(const SideArrays& arrays, std::size_t root) const {
    if (objective_.is_signed()) {
        const Lane with = arrays.singles[root];
        const auto without = static_cast<Lane>(arrays.totals[0] - with);
        return {objective_.leaf_value(&with), objective_.leaf_value(&without)};
    }
    Lane right = 0;
    Lane left = 0;
    for (std::size_t k = 0; k < objective_.n_counts(); ++k) {
        const Lane with = arrays.singles[k * arrays.stride + root];
        right = std::max(right, with);
        left = std::max(left, static_cast<Lane>(arrays.totals[k] - with));
    }
    return {right, left};
}

template <class Lane>
kernels::Side<Lane> DepthTwo<Lane>::side_of(SideArrays& arrays, bool wanted) const {
    if (!wanted) return {nullptr, nullptr, nullptr, nullptr};
    arrays.right.resize(arrays.stride);
    arrays.left.resize(arrays.stride);
    return {arrays.singles.data(), arrays.totals.data(), arrays.right.data(), arrays.left.data()};
}

template <class Lane>
void DepthTwo<Lane>::run(const kernels::PhaseTwo<Lane>& task) const {
    if (objective_.is_signed())
        kernels_->two_class(task);
    else
        kernels_->multi_class(task);
}

template <class Lane>
DepthTwoCosts DepthTwo<Lane>::costs_of(const SideArrays& arrays,
                                       std::int64_t attainable,
                                       bool all_budgets) const {
    if (is_sized()) return sized_costs_of(arrays, attainable);
    const std::size_t n = arrays.n_features;
    const Lane zero = objective_.leaf_value(arrays.totals.data());
    Lane three = zero;
    for (std::size_t j = 0; j < n; ++j)
        three = std::max(three, static_cast<Lane>(arrays.right[j] + arrays.left[j]));
    DepthTwoCosts costs{};
    costs[3] = objective_.cost(attainable, three);
    if (!all_budgets) return costs;
    Lane one = zero;
    Lane two = zero;
    for (std::size_t j = 0; j < n; ++j) {
        const auto [right, left] = leaf_values(arrays, j);
        one = std::max(one, static_cast<Lane>(right + left));
        two = std::max({two,
                        static_cast<Lane>(arrays.right[j] + left),
                        static_cast<Lane>(right + arrays.left[j])});
    }
    costs[0] = objective_.cost(attainable, zero);
    costs[1] = objective_.cost(attainable, one);
    costs[2] = objective_.cost(attainable, std::max(one, two));
    costs[3] = std::min(costs[2], costs[3]);
    return costs;
}

// Only roots with large enough parts. There may be none, and a part that must not be split again is
// a leaf: more nodes allow what fewer allow.
template <class Lane>
DepthTwoCosts DepthTwo<Lane>::sized_costs_of(const SideArrays& arrays,
                                             std::int64_t attainable) const {
    const Lane* const sizes = arrays.singles.data() + objective_.n_counts() * arrays.stride;
    const Lane size = arrays.totals[objective_.n_counts()];
    std::array<Lane, 4> best{};
    best.fill(objective_.leaf_value(arrays.totals.data()));
    for (std::size_t j = 0; j < arrays.n_features; ++j) {
        if (!large_enough(sizes[j], size)) continue;
        const auto [right, left] = leaf_values(arrays, j);
        best[1] = std::max(best[1], static_cast<Lane>(right + left));
        best[2] = std::max({best[2],
                            static_cast<Lane>(arrays.right[j] + left),
                            static_cast<Lane>(right + arrays.left[j])});
        best[3] = std::max(best[3], static_cast<Lane>(arrays.right[j] + arrays.left[j]));
    }
    DepthTwoCosts costs{};
    for (std::size_t nodes = 0; nodes < costs.size(); ++nodes)
        costs[nodes] = objective_.cost(attainable, best[nodes]);
    return costs;
}

// Phase two from counts made before: the sibling of no rows at all.
template <class Lane>
void DepthTwo<Lane>::solve_from_counts(const Lane* counts, SideArrays& arrays) const {
    if (is_sized()) {
        const kernels::SizedPhaseTwo<Lane> task{counts,
                                                objective_.n_counts(),
                                                arrays.n_features,
                                                arrays.stride,
                                                side_of(arrays, true),
                                                min_size_};
        (objective_.is_signed() ? kernels_->sized_two_class : kernels_->sized_multi_class)(task);
        return;
    }
    const kernels::Side<Lane> nothing{nullptr, nullptr, nullptr, nullptr};
    const kernels::PackedRows<Lane> no_rows{
        nullptr, nullptr, nullptr, 0, arrays.n_features, arrays.stride};
    run({no_rows, counts, objective_.n_counts(), nothing, side_of(arrays, true)});
}

template <class Lane>
DepthTwoCosts DepthTwo<Lane>::solve() {
    solve_from_counts(pairs_.data(), whole_);
    root_costs_.resize(stride_);
    for (std::size_t j = 0; j < rows_->n_features; ++j)
        root_costs_[j] =
            may_split(j)
                ? static_cast<Lane>(objective_.cost(weight_, whole_.right[j] + whole_.left[j]))
                : weight_;
    return costs_of(whole_, weight_, true);
}

template <class Lane>
DepthTwoTree DepthTwo<Lane>::tree(std::size_t nodes) const {
    const DepthTwoCosts costs = costs_of(whole_, weight_, true);
    std::size_t fewest = 0;
    while (costs[fewest] > costs[nodes]) ++fewest;
    if (fewest == 0) return {};
    for (std::uint32_t root = 0; root < rows_->n_features; ++root) {
        if (!may_split(root)) continue;
        const auto [right, left] = leaf_values(whole_, root);
        const auto cost_with = [&](bool split_with, bool split_without) {
            return objective_.cost(weight_,
                                   std::int64_t{split_with ? whole_.right[root] : right} +
                                       (split_without ? whole_.left[root] : left));
        };
        const std::uint32_t column = rows_->features[root];
        if (fewest == 1 && cost_with(false, false) == costs[1])
            return {column, DepthTwoTree::none, DepthTwoTree::none};
        if (fewest == 2 && cost_with(true, false) == costs[2])
            return {column, DepthTwoTree::none, best_child(root, true)};
        if (fewest == 2 && cost_with(false, true) == costs[2])
            return {column, best_child(root, false), DepthTwoTree::none};
        if (fewest == 3 && cost_with(true, true) == costs[3])
            return {column, best_child(root, false), best_child(root, true)};
    }
    return {};
}

// Whether the leaves below a child of a root are large enough.
template <class Lane>
bool DepthTwo<Lane>::child_may_split(std::size_t root, bool with, std::size_t child) const {
    if (!is_sized()) return true;
    const Lane both = pairs_[(objective_.n_counts() * stride_ + root) * stride_ + child];
    if (with) return large_enough(both, size_with_[root]);
    return large_enough(static_cast<Lane>(size_with_[child] - both),
                        static_cast<Lane>(size_ - size_with_[root]));
}

// The feature that best splits the rows with (or without) the root feature.
template <class Lane>
std::uint32_t DepthTwo<Lane>::best_child(std::size_t root, bool with) const {
    const std::size_t n_counts = objective_.n_counts();
    std::vector<Lane> inside(n_counts);
    std::vector<Lane> outside(n_counts);
    std::int64_t best = -1;
    std::size_t child = 0;
    for (std::size_t j = 0; j < rows_->n_features; ++j) {
        if (!child_may_split(root, with, j)) continue;
        for (std::size_t k = 0; k < n_counts; ++k) {
            const Lane both = pairs_[(k * stride_ + root) * stride_ + j];
            const Lane root_single = whole_.singles[k * stride_ + root];
            const auto all = static_cast<Lane>(with ? root_single : whole_.totals[k] - root_single);
            inside[k] = static_cast<Lane>(with ? both : whole_.singles[k * stride_ + j] - both);
            outside[k] = static_cast<Lane>(all - inside[k]);
        }
        const std::int64_t value = std::int64_t{objective_.leaf_value(inside.data())} +
                                   objective_.leaf_value(outside.data());
        if (value > best) {
            best = value;
            child = j;
        }
    }
    return rows_->features[child];
}

template <class Lane>
Part DepthTwo<Lane>::part(int side) const {
    const Fingerprint& fingerprint = fingerprints_[feature_];
    return {side == 1 ? fingerprint : whole_fingerprint_ ^ fingerprint, leaf_cost(side, feature_)};
}

template <class Lane>
void DepthTwo<Lane>::row_numbers(int side, std::vector<std::uint32_t>& numbers) const {
    numbers.resize(n_rows(side) + 16);
    kernels_->list_rows({packed_.words.data() + feature_,
                         stride_,
                         first_rows_.size(),
                         first_rows_.data(),
                         valid_.data()},
                        side == 1,
                        numbers.data());
    numbers.resize(n_rows(side));
}

template <class Lane>
void DepthTwo<Lane>::list_smaller() {
    smaller_ = 2 * n_rows(1) <= rows_->n_rows() ? 1 : 0;
    row_numbers(smaller_, smaller_rows_);
}

template <class Lane>
void DepthTwo<Lane>::pack_smaller() {
    smaller_packed_.counted.clear();
    const std::size_t most_words =
        smaller_rows_.size() / kernels::rows_per_word<Lane> + rows_->segments.size();
    smaller_packed_.words.resize(most_words * stride_);
    smaller_packed_.splats.resize(most_words * stride_);
    std::size_t word = 0;
    std::uint32_t end = 0;
    const std::uint32_t* next = smaller_rows_.data();
    const std::uint32_t* const last = next + smaller_rows_.size();
    for (const RowSegment& segment : rows_->segments) {
        end += segment.n_rows;
        const std::uint32_t* const beyond = std::lower_bound(next, last, end);
        if (beyond == next || !is_counted(segment)) continue;
        const auto n_rows = static_cast<std::size_t>(beyond - next);
        kernels_->pack(rows_->bits.data(),
                       rows_->row_words,
                       next,
                       n_rows,
                       smaller_packed_.words.data() + word * stride_,
                       smaller_packed_.splats.data() + word * stride_);
        smaller_packed_.counted.push_back(counted(segment, words_for<Lane>(n_rows)));
        word += words_for<Lane>(n_rows);
        next = beyond;
    }
}

// The counts of single features in a part stand in the pair counts of the whole.
template <class Lane>
void DepthTwo<Lane>::prepare_side(int side, SideArrays& arrays) const {
    arrays.n_features = rows_->n_features;
    arrays.stride = stride_;
    arrays.singles.resize(n_counts() * stride_);
    arrays.totals.resize(n_counts());
    for (std::size_t k = 0; k < n_counts(); ++k) {
        const Lane* with = pairs_.data() + (k * stride_ + feature_) * stride_;
        const Lane* whole = whole_.singles.data() + k * stride_;
        Lane* singles = arrays.singles.data() + k * stride_;
        if (side == 1)
            std::copy(with, with + stride_, singles);
        else
            for (std::size_t j = 0; j < stride_; ++j)
                singles[j] = static_cast<Lane>(whole[j] - with[j]);
        arrays.totals[k] =
            side == 1 ? whole[feature_] : static_cast<Lane>(whole_.totals[k] - whole[feature_]);
    }
}

template <class Lane>
void DepthTwo<Lane>::solve_parts(std::array<bool, 2> wanted,
                                 bool all_budgets,
                                 Limits& limits,
                                 std::array<DepthTwoCosts, 2>& costs) {
    for (int side = 0; side < 2; ++side)
        if (wanted[static_cast<std::size_t>(side)])
            prepare_side(side, sides_[static_cast<std::size_t>(side)]);
    if (counting_ == Counting::incremental) {
        solve_incremental_parts(wanted);
    } else {
        list_smaller();
        if (splits_sparsely(wanted))
            solve_sparse_parts(wanted, limits);
        else
            solve_dense_parts(wanted, limits);
    }
    if (limits.stopped()) return;
    const std::array<std::int64_t, 2> weights{weight_ - weight_with_[feature_],
                                              weight_with_[feature_]};
    for (std::size_t side = 0; side < 2; ++side)
        if (wanted[side]) costs[side] = costs_of(sides_[side], weights[side], all_budgets);
}

template <class Lane>
void DepthTwo<Lane>::solve_dense_parts(std::array<bool, 2> wanted, Limits& limits) {
    pack_smaller();
    const auto own = static_cast<std::size_t>(smaller_);
    const bool is_large = smaller_rows_.size() * stride_ * (sizeof(Word) + sizeof(Splat)) >
                          chunk_bytes * kernels::rows_per_word<Lane>;
    if (is_large || is_sized())
        solve_counted_parts(wanted, limits);
    else
        run({view(smaller_packed_, smaller_packed_.counted),
             pairs_.data(),
             objective_.n_counts(),
             side_of(sides_[own], wanted[own]),
             side_of(sides_[1 - own], wanted[1 - own])});
}

// Rows too many for the cache are counted first, in chunks, rather than within phase two; so are
// all where leaves have a least size.
template <class Lane>
void DepthTwo<Lane>::solve_counted_parts(std::array<bool, 2> wanted, Limits& limits) {
    const auto own = static_cast<std::size_t>(smaller_);
    part_pairs_.resize(n_counts() * stride_ * stride_);
    count_pairs(smaller_packed_, smaller_packed_.counted, n_counts(), limits, part_pairs_.data());
    if (limits.stopped()) return;
    if (wanted[own]) solve_from_counts(part_pairs_.data(), sides_[own]);
    if (!wanted[1 - own]) return;
    for (std::size_t k = 0; k < part_pairs_.size(); ++k)
        part_pairs_[k] = static_cast<Lane>(pairs_[k] - part_pairs_[k]);
    solve_from_counts(part_pairs_.data(), sides_[1 - own]);
}

// Sparse counting makes the smaller part once, among the features it has, which saves most of phase
// two: about two words' time on Nina_colic. The larger part it makes and undoes. With a least size
// dense counting is not fused with phase two and loses more; those numbers are cautious guesses.
// About half of the last word of a segment is empty.
template <class Lane>
bool DepthTwo<Lane>::splits_sparsely(std::array<bool, 2> wanted) const {
    const auto own = static_cast<std::size_t>(smaller_);
    const std::size_t n_rows = smaller_rows_.size();
    CountingTimes times{
        n_rows, 0, n_rows / kernels::rows_per_word<Lane> + rows_->segments.size() / 2 + 1};
    if (wanted[own]) {
        times.half_updates += 3;
        times.n_words += is_sized() ? 8 : 2;
    }
    if (wanted[1 - own]) {
        times.half_updates += 4;
        times.n_words += is_sized() ? 4 : 0;
    }
    return is_sparse(times);
}

// The larger part is counted in the place of the node: nothing but the updates is written, and they
// are undone.
template <class Lane>
void DepthTwo<Lane>::solve_sparse_parts(std::array<bool, 2> wanted, Limits& limits) {
    load_sparse();
    const auto own = static_cast<std::size_t>(smaller_);
    if (wanted[own]) solve_sparse_smaller();
    if (!wanted[1 - own]) return;
    add_sparse(smaller_rows_, -1, limits, pairs_.data());
    if (limits.stopped()) return;
    solve_from_counts(pairs_.data(), sides_[1 - own]);
    add_sparse(smaller_rows_, 1, limits, pairs_.data());
}

// Few of the features occur in a small part: only those are looked at.
template <class Lane>
void DepthTwo<Lane>::solve_sparse_smaller() {
    SideArrays& side = sides_[static_cast<std::size_t>(smaller_)];
    choose_features(side);
    chosen_.n_features = choice_.features.size();
    chosen_.stride = choice_.stride();
    chosen_.totals = side.totals;
    chosen_.singles.assign(n_counts() * chosen_.stride, 0);
    for (std::size_t k = 0; k < n_counts(); ++k)
        for (std::size_t j = 0; j < chosen_.n_features; ++j)
            chosen_.singles[k * chosen_.stride + j] =
                side.singles[k * stride_ + choice_.features[j]];
    part_pairs_.assign(n_counts() * chosen_.stride * chosen_.stride, 0);
    sparse_.add(smaller_rows_, choice_, part_pairs_.data());
    solve_from_counts(part_pairs_.data(), chosen_);
    std::swap(side, chosen_);
}

// Those that are not constant in the smaller part or, where leaves have a least size, that may
// split it. Every row that is left of its group has attainable weight beside it, so that tells.
template <class Lane>
void DepthTwo<Lane>::choose_features(const SideArrays& side) {
    const Lane* const both = weights_with_both(feature_);
    const Lane* const sizes = side.singles.data() + objective_.n_counts() * stride_;
    const auto weight = static_cast<Lane>(smaller_ == 1 ? weight_with_[feature_]
                                                        : weight_ - weight_with_[feature_]);
    choice_.features.clear();
    choice_.numbers.assign(stride_, FeatureChoice::none);
    for (std::uint32_t j = 0; j < rows_->n_features; ++j) {
        const auto with = static_cast<Lane>(smaller_ == 1 ? both[j] : weight_with_[j] - both[j]);
        const bool splits = is_sized() ? large_enough(sizes[j], side.totals[objective_.n_counts()])
                                       : with > 0 && with < weight;
        if (!splits) continue;
        choice_.numbers[j] = static_cast<std::uint32_t>(choice_.features.size());
        choice_.features.push_back(j);
    }
}

template <class Lane>
void DepthTwo<Lane>::solve_incremental_parts(std::array<bool, 2> wanted) {
    load_sparse();
    for (std::size_t side = 0; side < 2; ++side) {
        if (!wanted[side]) continue;
        row_numbers(static_cast<int>(side), smaller_rows_);
        const Lane* const counts =
            incremental_.count(sparse_, smaller_rows_, n_counts() * stride_ * stride_);
        solve_from_counts(counts, sides_[side]);
    }
}

template class DepthTwo<std::int16_t>;
template class DepthTwo<std::int32_t>;
template class DepthTwo<std::int64_t>;

}  // namespace murtree
