#include "data/dataset.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "data/bit_transpose.hpp"
#include "data/row_groups.hpp"

namespace murtree {
namespace {

using Bits = std::vector<std::uint64_t>;

// A nearly empty word costs as much as a full one, so a power of two has its own segment only if it
// has at least this many rows.
constexpr std::size_t min_rows_of_a_power = 64;

std::size_t count_ones(const Bits& bits) {
    std::size_t count = 0;
    for (const std::uint64_t word : bits) count += static_cast<std::size_t>(std::popcount(word));
    return count;
}

void complement(Bits& bits, std::size_t n_rows) {
    for (std::uint64_t& word : bits) word = ~word;
    if (n_rows % 64 != 0) bits.back() &= (std::uint64_t{1} << n_rows % 64) - 1;
}

// Remembers columns up to complement: two columns are equal if they agree after both are flipped so
// that row 0 is 0.
class SeenColumns {
  public:
    bool insert(const Bits& column, std::size_t n_rows) {
        Bits turned = column;
        if ((turned[0] & 1u) != 0) complement(turned, n_rows);
        const std::uint64_t hash = hash_words(turned.data(), turned.size());
        const auto [first, last] = by_hash_.equal_range(hash);
        if (std::any_of(first, last, [&](const auto& entry) { return entry.second == turned; }))
            return false;
        by_hash_.emplace(hash, std::move(turned));
        return true;
    }

  private:
    std::unordered_multimap<std::uint64_t, Bits> by_hash_;
};

// The weight of each class in one group. Sparse, since with many classes most are absent from most
// groups.
class LabelWeights {
  public:
    explicit LabelWeights(std::size_t n_classes) : weights_(n_classes, 0) {}

    void add(std::int32_t label, std::int64_t weight) {
        std::int64_t& sum = weights_[static_cast<std::size_t>(label)];
        if (sum == 0) present_.push_back(label);
        sum += weight;
    }
    void clear() {
        for (const std::int32_t label : present_) weights_[static_cast<std::size_t>(label)] = 0;
        present_.clear();
    }

    std::vector<std::int32_t> labels() const {  // the classes present, ascending
        std::vector<std::int32_t> sorted = present_;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }
    std::int64_t of(std::int32_t label) const { return weights_[static_cast<std::size_t>(label)]; }
    std::int64_t total() const {
        std::int64_t sum = 0;
        for (const std::int32_t label : present_) sum += of(label);
        return sum;
    }
    std::int64_t heaviest() const {
        std::int64_t most = 0;
        for (const std::int32_t label : present_) most = std::max(most, of(label));
        return most;
    }
    // The smallest class weight; 0 if a class is absent or there is only one.
    std::int64_t lightest() const {
        if (present_.size() < weights_.size() || weights_.size() == 1) return 0;
        return *std::min_element(weights_.begin(), weights_.end());
    }

  private:
    std::vector<std::int64_t> weights_;
    std::vector<std::int32_t> present_;
};

// Transposes the table of columns into a table of rows.
AlignedVector<std::uint32_t> rows_of(const std::vector<Bits>& columns,
                                     std::size_t n_rows,
                                     std::size_t row_words) {
    AlignedVector<std::uint32_t> rows(n_rows * row_words);
    for (std::size_t first_row = 0; first_row < n_rows; first_row += 64)
        for (std::size_t word = 0; word < row_words; word += 2) {
            std::array<std::uint64_t, 64> block{};
            const std::size_t n_columns = std::min<std::size_t>(64, columns.size() - word * 32);
            for (std::size_t j = 0; j < n_columns; ++j)
                block[j] = columns[word * 32 + j][first_row / 64];
            transpose_64x64(block);
            for (std::size_t r = 0; r < std::min<std::size_t>(64, n_rows - first_row); ++r) {
                std::uint32_t* const row = rows.data() + (first_row + r) * row_words + word;
                row[0] = static_cast<std::uint32_t>(block[r]);
                if (word + 1 < row_words) row[1] = static_cast<std::uint32_t>(block[r] >> 32);
            }
        }
    return rows;
}

// Rows of one class, or size rows, with their weights, before these are split into powers of two.
struct WeightedRows {
    std::uint16_t label;
    bool attainable;
    std::vector<std::pair<std::size_t, std::int64_t>> rows;
};

// Appends the rows to `to`, one segment per power of two.
void append_powers(const WeightedRows& weighted,
                   const AlignedVector<std::uint32_t>& bits,
                   Rows& to) {
    std::int64_t heaviest = 0;
    for (const auto& [row, weight] : weighted.rows) heaviest = std::max(heaviest, weight);
    std::vector<std::size_t> pushed_down;  // rows of higher powers, each already duplicated
    for (int power = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(heaviest))) - 1;
         power >= 0;
         --power) {
        std::vector<std::size_t> members = std::move(pushed_down);
        pushed_down.clear();
        for (const auto& [row, weight] : weighted.rows)
            if ((weight >> power & 1) != 0) members.push_back(row);
        if (members.size() < min_rows_of_a_power && power > 0) {
            for (const std::size_t row : members) pushed_down.insert(pushed_down.end(), 2, row);
            continue;
        }
        std::sort(members.begin(), members.end());
        for (const std::size_t row : members) {
            const std::uint32_t* words = bits.data() + row * to.row_words;
            to.bits.insert(to.bits.end(), words, words + to.row_words);
            to.keys.emplace_back();
        }
        if (!members.empty())
            to.segments.push_back({static_cast<std::uint32_t>(members.size()),
                                   static_cast<std::uint16_t>(power),
                                   weighted.label,
                                   weighted.attainable});
    }
}

}  // namespace

Dataset::Dataset(const Table01& table, std::size_t n_classes, const Keys& keys)
    : keys_(keys),
      n_classes_(n_classes),
      n_rows_(table.n_rows),
      n_features_(table.n_features),
      row_words_((table.n_features + 63) / 64) {
    bits_.assign(n_rows_ * row_words_, 0);
    if (table.columns != nullptr)
        pack_columns(table);
    else
        pack(table);
}

Dataset::Dataset(const Table01& table,
                 std::span<const std::int32_t> labels,
                 std::span<const std::int64_t> weights,
                 std::size_t n_classes,
                 const Reductions& reductions,
                 const Keys& keys)
    : Dataset(table, n_classes, keys) {
    labels_.assign(labels.begin(), labels.end());
    weights_.assign(weights.begin(), weights.end());
    reduce(reductions);
}

Dataset::Dataset(const Table01& table,
                 Sums sums,
                 std::span<const double> inputs,
                 const Reductions& reductions,
                 const Keys& keys)
    : Dataset(table, 0, keys) {
    sums_ = std::move(sums);
    inputs_.assign(inputs.begin(), inputs.end());
    reduce(reductions);
}

Dataset::Dataset(const Dataset& original,
                 const Reductions& reductions,
                 std::span<const std::int64_t> leaf_weights)
    : Dataset(original) {
    leaf_weights_.assign(leaf_weights.begin(), leaf_weights.end());
    reduce(reductions);
}

void Dataset::reduce(const Reductions& reductions) {
    reductions_ = reductions;
    reduced_ = {};
    unavoidable_ = 0;
    flipped_.assign(n_features_, false);
    std::vector<std::uint32_t> kept_rows;  // rows without weight are dropped
    for (std::uint32_t row = 0; row < n_rows_; ++row)
        if (sums_ || weights_[row] > 0) kept_rows.push_back(row);
    Columns columns = transpose(kept_rows);
    choose_columns(columns, kept_rows.size());
    if (sums_)
        build_summed_rows(columns);
    else
        build_rows(columns, kept_rows);
}

// The contribution of an original row to the size of a leaf.
std::int64_t Dataset::size_of(std::size_t kind, std::size_t row) const {
    if (kind == n_original_rows) return 1;
    return leaf_weights_.empty() ? 0 : leaf_weights_[row];
}

void Dataset::pack(const Table01& table) {
    constexpr std::uint64_t gather =
        0x0102040810204080u;  // moves bit 0 of eight bytes into the top byte, in order
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        const std::uint8_t* values = table.values + row * n_features_;
        std::uint64_t* words = bits_.data() + row * row_words_;
        std::size_t j = 0;
        if constexpr (std::endian::native == std::endian::little)
            for (; j + 8 <= n_features_; j += 8) {
                std::uint64_t bytes = 0;
                std::memcpy(&bytes, values + j, 8);
                words[j / 64] |= (bytes * gather >> 56) << j % 64;
            }
        for (; j < n_features_; ++j) words[j / 64] |= std::uint64_t{values[j]} << j % 64;
    }
}

void Dataset::pack_columns(const Table01& table) {
    const std::size_t column_words = (n_rows_ + 63) / 64;
    for (std::size_t first = 0; first < n_rows_; first += 64)
        for (std::size_t word = 0; word < row_words_; ++word) {
            std::array<std::uint64_t, 64> block{};
            for (std::size_t j = 0; j < std::min<std::size_t>(64, n_features_ - word * 64); ++j)
                block[j] = table.columns[(word * 64 + j) * column_words + first / 64];
            transpose_64x64(block);
            for (std::size_t r = 0; r < std::min<std::size_t>(64, n_rows_ - first); ++r)
                bits_[(first + r) * row_words_ + word] = block[r];
        }
}

Dataset::Columns Dataset::transpose(std::span<const std::uint32_t> kept_rows) const {
    Columns columns(n_features_, Bits((kept_rows.size() + 63) / 64, 0));
    for (std::size_t first = 0; first < kept_rows.size(); first += 64) {
        const std::size_t n = std::min<std::size_t>(64, kept_rows.size() - first);
        for (std::size_t word = 0; word < row_words_; ++word) {
            std::array<std::uint64_t, 64> block{};
            for (std::size_t r = 0; r < n; ++r)
                block[r] = bits_[kept_rows[first + r] * row_words_ + word];
            transpose_64x64(block);
            for (std::size_t j = 0; j < std::min<std::size_t>(64, n_features_ - word * 64); ++j)
                columns[word * 64 + j][first / 64] = block[j];
        }
    }
    return columns;
}

// Keeps only the necessary entries of `columns`, flipped to their sparser polarity, and sets
// reduced_.features.
void Dataset::choose_columns(Columns& columns, std::size_t n_rows) {
    SeenColumns seen;
    for (const std::uint32_t j : cheapest_first()) {
        if (reductions_.deduplicate) {
            const std::size_t ones = count_ones(columns[j]);
            if (ones == 0 || ones == n_rows || !seen.insert(columns[j], n_rows)) continue;
            if (2 * ones > n_rows) {
                complement(columns[j], n_rows);
                flipped_[j] = true;
            }
        }
        reduced_.features.push_back(j);
    }
    std::sort(reduced_.features.begin(), reduced_.features.end());
    Columns chosen;
    for (const std::uint32_t j : reduced_.features) chosen.push_back(std::move(columns[j]));
    columns = std::move(chosen);
    reduced_.n_features = columns.size();
    reduced_.row_words = (columns.size() + kernels::feature_block - 1) / kernels::feature_block;
}

// All columns, sorted by the cost of testing them, stably.
std::vector<std::uint32_t> Dataset::cheapest_first() const {
    std::vector<std::uint32_t> order(n_features_);
    std::iota(order.begin(), order.end(), 0u);
    if (sums_)
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return sums_->feature_cost(a) < sums_->feature_cost(b);
        });
    return order;
}

void Dataset::build_rows(const Columns& columns, std::span<const std::uint32_t> kept_rows) {
    const AlignedVector<std::uint32_t> bits =
        rows_of(columns, kept_rows.size(), reduced_.row_words);

    std::vector<WeightedRows> kinds;  // by class, attainable weight after the rest
    for (std::size_t label = 0; label < n_classes_; ++label)
        for (const bool attainable : {false, true})
            kinds.push_back({static_cast<std::uint16_t>(label), attainable, {}});
    std::vector<WeightedRows> sizes;  // by kind
    for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
        sizes.push_back({static_cast<std::uint16_t>(RowSegment::first_size + kind), false, {}});
    LabelWeights weights(n_classes_);
    const RowGroups groups(bits, reduced_.row_words, kept_rows.size(), reductions_.merge_rows);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const std::span<const std::uint32_t> group = groups[g];
        for (const std::uint32_t row : group)
            weights.add(labels_[kept_rows[row]], weights_[kept_rows[row]]);
        unavoidable_ += weights.total() - weights.heaviest();
        const std::int64_t common = reductions_.cancel ? weights.lightest() : 0;
        bool found_heaviest = false;
        for (const std::int32_t label : weights.labels()) {
            const bool attainable = !found_heaviest && weights.of(label) == weights.heaviest();
            found_heaviest |= attainable;
            if (weights.of(label) > common)
                kinds[2 * static_cast<std::size_t>(label) + (attainable ? 1 : 0)].rows.emplace_back(
                    group[0], weights.of(label) - common);
        }
        weights.clear();
        for (std::size_t kind = 0; kind < n_size_kinds; ++kind) {
            if (!reductions_.keep_sizes[kind]) continue;
            std::int64_t size = 0;
            for (const std::uint32_t row : group) size += size_of(kind, kept_rows[row]);
            sizes[kind].rows.emplace_back(group[0], size);
        }
    }
    for (const WeightedRows& kind : kinds) append_powers(kind, bits, reduced_);
    for (const WeightedRows& kind : sizes) append_powers(kind, bits, reduced_);
    keys_.for_use(Keys::Use::rows).fill(reduced_.keys);
}

// Sorts a column before those whose rows include its own (see DepthTwo<Summed>): by number of
// distinct rows, so that duplicates of a row change nothing.
void Dataset::sort_columns(Columns& columns, const RowGroups& groups) {
    std::vector<std::size_t> ones(columns.size(), 0);
    for (std::size_t j = 0; j < columns.size(); ++j)
        for (std::size_t g = 0; g < groups.size(); ++g)
            ones[j] += columns[j][groups[g][0] / 64] >> groups[g][0] % 64 & 1u;
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return ones[a] < ones[b];
    });
    Columns sorted;
    std::vector<std::uint32_t> features;
    for (const std::size_t j : order) {
        sorted.push_back(std::move(columns[j]));
        features.push_back(reduced_.features[j]);
    }
    columns = std::move(sorted);
    reduced_.features = std::move(features);
}

void Dataset::build_summed_rows(Columns& columns) {
    const std::size_t row_words = reduced_.row_words;
    const RowGroups groups(
        rows_of(columns, n_rows_, row_words), row_words, n_rows_, reductions_.merge_rows);
    sort_columns(columns, groups);
    const AlignedVector<std::uint32_t> bits = rows_of(columns, n_rows_, row_words);
    const std::size_t n_values = sums_->n_values();
    reduced_.n_values = n_values;
    reduced_.first_size = sums_->size(0);
    reduced_.values.resize(groups.size() * n_values);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<double> inputs(sums_->n_inputs(), 0);
        double own_costs = 0;
        for (const std::uint32_t row : groups[g]) {
            const double* const own = inputs_.data() + row * sums_->n_inputs();
            for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] += own[k];
            own_costs += sums_->own_cost(own);
        }
        double* const values = reduced_.values.data() + g * n_values;
        unavoidable_ += sums_->reduce(inputs.data(), own_costs, values);
        for (std::size_t kind = 0; kind < n_size_kinds; ++kind)
            for (const std::uint32_t row : groups[g])
                values[sums_->size(kind)] += static_cast<double>(size_of(kind, row));
        const std::uint32_t* const words = bits.data() + groups[g][0] * reduced_.row_words;
        reduced_.bits.insert(reduced_.bits.end(), words, words + reduced_.row_words);
    }
    reduced_.keys.resize(groups.size());
    keys_.for_use(Keys::Use::rows).fill(reduced_.keys);
    reduced_.bits.push_back(0);
    sums_->set_worst(reduced_.values);
    reduced_.segments.push_back({static_cast<std::uint32_t>(groups.size()), 0, 0, true});
}

}  // namespace murtree
