// The Python module murtree._core_testing, which is not part of any wheel. It exposes the kernels,
// whose variants must all return the same numbers as the portable one, and the depth-two algorithm.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/python_values.hpp"
#include "bindings/testing.hpp"
#include "data/dataset.hpp"
#include "depth_two/depth_two.hpp"
#include "depth_two/stump.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace murtree {

const kernels::Table& table_named(const std::string& name) {
    for (const kernels::Table* const* table = kernels::available(); *table != nullptr; ++table)
        if (name == (*table)->name) return **table;
    throw std::invalid_argument("no kernel named " + name);
}

namespace {

using Bits = Array<std::uint32_t, 2>;
using Result = std::vector<std::int64_t>;

// A segment as given by a test: number of rows, shift, column, sign.
using SegmentSpec = std::vector<std::int64_t>;

// Calls the action with a number of the lane type.
template <class Action>
auto with_lane(int bits, Action action) {
    if (bits == 16) return action(std::int16_t{});
    if (bits == 32) return action(std::int32_t{});
    return action(std::int64_t{});
}

std::vector<std::uint32_t> numbers_below(std::size_t n_rows) {
    std::vector<std::uint32_t> numbers(n_rows);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
}

template <class Lane>
Packed<Lane> packed_rows(const kernels::LaneKernels<Lane>& kernels,
                         const Bits& bits,
                         std::size_t n_features,
                         const std::vector<SegmentSpec>& specs) {
    Rows rows;
    rows.n_features = n_features;
    rows.row_words = bits.shape(1);
    rows.bits.assign(bits.data(), bits.data() + bits.size());
    for (const SegmentSpec& spec : specs)
        rows.segments.push_back(
            {static_cast<std::uint32_t>(spec[0]), static_cast<std::uint16_t>(spec[1]), 0, false});
    Packed<Lane> packed(kernels);
    packed.pack(rows, numbers_below(bits.shape(0)), CountLayout(Classification(2)), true);
    std::size_t n_words = 0;
    for (std::size_t s = 0; s < specs.size(); ++s) {
        packed.segments[s].column = static_cast<std::uint16_t>(specs[s][2]);
        packed.segments[s].sign = static_cast<std::int32_t>(specs[s][3]);
        n_words += packed.segments[s].n_words;
    }
    packed.words.resize(n_words * packed.stride);  // without the reserve
    return packed;
}

template <class T>
void append(Result& result, const T& values) {
    result.insert(result.end(), values.begin(), values.end());
}

// All results of a kernel table for these rows: packing, counts, and both sides of phase two
// against a parent whose counts are `parent_factor` times those of the rows (1: an empty sibling;
// 2: the rows doubled).
template <class Lane>
Result run_lane(const kernels::Table& table,
                const Bits& bits,
                std::size_t n_features,
                const std::vector<SegmentSpec>& specs,
                std::size_t n_counts,
                std::int64_t parent_factor) {
    const kernels::LaneKernels<Lane>& kernels = kernels::lane_kernels<Lane>(table);
    const Packed<Lane> packed = packed_rows(kernels, bits, n_features, specs);
    const std::size_t stride = packed.stride;
    const auto scaled = [&](AlignedVector<Lane> values, std::int64_t factor) {
        for (Lane& value : values) value = static_cast<Lane>(value * factor);
        return values;
    };
    AlignedVector<Lane> singles(n_counts * stride, 0);
    AlignedVector<Lane> pairs(n_counts * stride * stride);
    kernels.count_singles(packed.view(), singles.data());
    const kernels::PairBlock whole = kernels::PairBlock::whole(stride);
    kernels.count_pairs(packed.view(), n_counts, whole, pairs.data(), false);
    AlignedVector<Lane> totals(n_counts, 0);
    for (const SegmentSpec& spec : specs) {
        Lane& total = totals[static_cast<std::size_t>(spec[2])];
        total = static_cast<Lane>(total + spec[3] * (spec[0] << spec[1]));
    }
    Result result;
    append(result, packed.words);
    append(result, std::span(packed.view().splats, packed.words.size()));
    append(result, singles);
    append(result, pairs);
    AlignedVector<Lane> twice = pairs;
    kernels.count_pairs(packed.view(), n_counts, whole, twice.data(), true);
    append(result, twice);
    const AlignedVector<Lane> parent = scaled(pairs, parent_factor);
    const AlignedVector<Lane> other_singles = scaled(singles, parent_factor - 1);
    const AlignedVector<Lane> other_totals = scaled(totals, parent_factor - 1);
    AlignedVector<Lane> answers[4];
    for (AlignedVector<Lane>& answer : answers) answer.assign(stride, 0);
    const kernels::PhaseTwo<Lane> task{
        packed.view(),
        parent.data(),
        n_counts,
        {singles.data(), totals.data(), answers[0].data(), answers[1].data()},
        {other_singles.data(), other_totals.data(), answers[2].data(), answers[3].data()}};
    (n_counts == 1 ? kernels.two_class : kernels.multi_class)(task);
    for (const AlignedVector<Lane>& answer : answers)
        append(result, std::span(answer.data(), n_features));
    return result;
}

Result run_kernels(const std::string& name,
                   int lane_bits,
                   const Bits& bits,
                   std::size_t n_features,
                   const std::vector<SegmentSpec>& specs,
                   std::size_t n_counts,
                   std::int64_t parent_factor) {
    return with_lane(lane_bits, [&](auto lane) {
        return run_lane<decltype(lane)>(
            table_named(name), bits, n_features, specs, n_counts, parent_factor);
    });
}

Result compress(const std::string& name,
                const Bits& bits,
                const std::vector<std::uint32_t>& mask,
                std::size_t out_words) {
    AlignedVector<std::uint32_t> out(bits.shape(0) * out_words);
    const std::vector<std::uint32_t> numbers = numbers_below(bits.shape(0));
    table_named(name).compress({bits.data(), bits.shape(1), numbers.data(), numbers.size()},
                               mask.data(),
                               out.data(),
                               out_words);
    return {out.begin(), out.end()};
}

// The high and low half of each key, in turn.
std::vector<std::uint64_t> halves_of(const std::vector<Fingerprint>& keys) {
    std::vector<std::uint64_t> halves;
    for (const Fingerprint& key : keys) {
        halves.push_back(key.high);
        halves.push_back(key.low);
    }
    return halves;
}

// The keys of the first rows of a table.
std::vector<std::uint64_t> row_keys(const nb::bytes& seed, std::size_t n_rows) {
    std::vector<Fingerprint> keys(n_rows);
    keys_of(seed).for_use(Keys::Use::rows).fill(keys);
    return halves_of(keys);
}

// The fingerprint of each feature.
std::vector<std::uint64_t> fingerprints(const std::string& name,
                                        const Bits& bits,
                                        const Array<std::uint64_t, 2>& keys) {
    std::vector<Fingerprint> row_keys;
    for (std::size_t r = 0; r < keys.shape(0); ++r)
        row_keys.push_back({keys.data()[2 * r], keys.data()[2 * r + 1]});
    std::vector<Fingerprint> by_feature(bits.shape(1) * kernels::feature_block);
    table_named(name).fingerprints(
        bits.data(), bits.shape(1), bits.shape(0), row_keys.data(), by_feature.data());
    return halves_of(by_feature);
}

template <class Lane>
Result list_lane(const kernels::Table& table, const Bits& bits, std::size_t feature, bool with) {
    const kernels::LaneKernels<Lane>& kernels = kernels::lane_kernels<Lane>(table);
    const std::size_t n_rows = bits.shape(0);
    const Packed<Lane> packed =
        packed_rows(kernels, bits, feature + 1, {{static_cast<std::int64_t>(n_rows), 0, 0, 1}});
    std::vector<std::uint32_t> first_rows;
    std::vector<kernels::Word<Lane>> valid;
    for (std::size_t row = 0; row < n_rows; row += kernels::rows_per_word<Lane>) {
        first_rows.push_back(static_cast<std::uint32_t>(row));
        kernels::Word<Lane> bits_set = 0;
        for (std::size_t b = 0; b < kernels::rows_per_word<Lane> && row + b < n_rows; ++b)
            bits_set = static_cast<kernels::Word<Lane>>(bits_set | kernels::Word<Lane>{1} << b);
        valid.push_back(bits_set);
    }
    std::vector<std::uint32_t> numbers(n_rows + 16);
    const std::size_t n = kernels.list_rows({packed.words.data() + feature,
                                             packed.stride,
                                             valid.size(),
                                             first_rows.data(),
                                             valid.data()},
                                            with,
                                            numbers.data());
    return {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(n)};
}

Result list_rows(
    const std::string& name, int lane_bits, const Bits& bits, std::size_t feature, bool with) {
    return with_lane(lane_bits, [&](auto lane) {
        return list_lane<decltype(lane)>(table_named(name), bits, feature, with);
    });
}

// Both parts of every split, solved together and separately: rows of (size, leaf cost, cost of at
// most one node, optimal costs), by feature and side.
template <class Lane>
std::vector<Result> parts_of(DepthTwo<Lane>& two, const Rows& rows, Limits& limits) {
    const auto size = [&](int side) {
        std::vector<std::uint32_t> numbers;
        two.row_numbers(side, numbers);
        std::int64_t sum = 0;
        std::uint32_t end = 0;
        auto next = numbers.begin();
        for (const RowSegment& segment : rows.segments)
            for (end += segment.n_rows; next != numbers.end() && *next < end; ++next)
                if (segment.label == RowSegment::first_size)
                    sum += std::int64_t{1} << segment.shift;
        return sum;
    };
    std::vector<Result> parts;
    for (std::size_t feature = 0; feature < two.n_features(); ++feature) {
        two.split(feature);
        std::array<DepthTwoCosts, 2> costs{}, alone{}, last{};
        two.solve_parts({true, true}, true, limits, costs);
        two.solve_parts({true, false}, true, limits, alone);
        two.solve_parts({false, true}, true, limits, alone);
        two.solve_parts({true, true}, false, limits, last);
        for (std::size_t side = 0; side < 2; ++side) {
            if (alone[side] != costs[side] || last[side][3] != costs[side][3])
                throw std::logic_error("a part solved by itself differs");
            const int number = static_cast<int>(side);
            parts.push_back(
                {size(number), two.leaf_cost(number, feature), two.split_cost(number, feature)});
            append(parts.back(), costs[side]);
        }
    }
    return parts;
}

template <class Lane>
Dict depth_two_lane(const kernels::Table& table, const Dataset& data, const DepthTwoRules& rules) {
    const Rows& rows = data.reduced();
    Limits limits(std::numeric_limits<double>::infinity(), {});
    DepthTwo<Lane> two(table);
    two.load(rows, rules, limits);
    Dict answers;
    const DepthTwoCosts costs = two.solve(limits);
    answers["costs"] = Result(costs.begin(), costs.end());
    answers["root_costs"] = Result(two.root_costs().begin(), two.root_costs().end());
    std::vector<bool> may_split;
    for (std::size_t feature = 0; feature < rows.n_features; ++feature)
        may_split.push_back(two.may_split(feature));
    answers["may_split"] = may_split;
    std::vector<Result> trees;
    for (std::size_t nodes = 0; nodes < costs.size(); ++nodes) {
        const DepthTwoTree tree = two.tree(nodes);
        trees.push_back({});
        for (const std::uint32_t column : {tree.root, tree.left, tree.right})
            trees.back().push_back(column == DepthTwoTree::none ? -1 : std::int64_t{column});
    }
    answers["trees"] = trees;
    answers["parts"] = parts_of(two, rows, limits);
    return answers;
}

Counting counting_named(const std::string& name) {
    const auto found = countings.find(name);
    if (found == countings.end()) throw std::invalid_argument("no counting named " + name);
    return found->second;
}

// The features that are kept when all rows are selected.
std::vector<std::uint32_t> selected_columns(const Rows& rows, const LeastSizes& least) {
    Rows selected;
    select_rows(rows, numbers_below(rows.n_rows()), selected, least);
    return selected.features;
}

// All results of the depth-two algorithm for a data set. A tree is given by its columns (root,
// left, right), -1 for none; "left" are the rows without the feature as it is stored.
Dict depth_two(const std::string& kernel,
               int lane_bits,
               const Matrix01& X,
               const Labels& y,
               const Weights& weight,
               std::size_t n_classes,
               bool merge_rows,
               std::int64_t min_samples_leaf,
               std::int64_t min_weight_leaf,
               const Weights& leaf_weights,
               const std::string& counting,
               std::size_t pair_bytes) {
    const Dataset plain(table_of(X),
                        span_of(y),
                        span_of(weight),
                        n_classes,
                        {true, merge_rows},
                        Keys(std::array<std::uint8_t, Keys::seed_bytes>{}));
    const LeastSizes least = least_sizes(min_samples_leaf, min_weight_leaf);
    const Dataset data(
        plain, {true, merge_rows, {true, least.of[leaf_weight] > 0}}, span_of(leaf_weights));
    const DepthTwoRules rules{
        Classification(n_classes), counting_named(counting), least, nullptr, pair_bytes};
    Dict answers = with_lane(lane_bits, [&](auto lane) {
        return depth_two_lane<decltype(lane)>(table_named(kernel), data, rules);
    });
    answers["columns"] = data.reduced().features;
    std::vector<bool> flipped;
    for (const std::uint32_t column : data.reduced().features)
        flipped.push_back(data.is_flipped(column));
    answers["flipped"] = flipped;
    answers["selected"] = selected_columns(data.reduced(), least);
    answers["unavoidable"] = data.unavoidable();
    const std::optional<Stump> stump = best_stump(data.reduced(), rules.objective, least);
    if (stump) answers["stump"] = nb::make_tuple(stump->feature, stump->cost);
    return answers;
}

}  // namespace
}  // namespace murtree

NB_MODULE(_core_testing, module) {
    module.doc() = "Parts of the core, for tests only.";
    module.def("run_kernels",
               murtree::run_kernels,
               "name"_a,
               "lane_bits"_a,
               "bits"_a,
               "n_features"_a,
               "segments"_a,
               "n_counts"_a,
               "parent_factor"_a);
    module.def("row_keys", murtree::row_keys, "seed"_a, "n_rows"_a);
    module.def("fingerprints", murtree::fingerprints, "name"_a, "bits"_a, "keys"_a);
    module.def("list_rows",
               murtree::list_rows,
               "name"_a,
               "lane_bits"_a,
               "bits"_a,
               "feature"_a,
               "with_feature"_a);
    module.def("depth_two",
               murtree::depth_two,
               "kernel"_a,
               "lane_bits"_a,
               "X"_a,
               "y"_a,
               "weight"_a,
               "n_classes"_a,
               nb::kw_only(),
               "merge_rows"_a,
               "min_samples_leaf"_a,
               "min_weight_leaf"_a,
               "leaf_weight"_a,
               "counting"_a,
               "pair_bytes"_a = ~std::size_t{0});
    module.def("compress", murtree::compress, "name"_a, "bits"_a, "mask"_a, "out_words"_a);
    murtree::bind_sums(module);
}
