// The definition of a search problem and quantities derived without a search: prices, keys, leaves.
// Immutable, so that any number of searches can share it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "depth_two/depth_two.hpp"
#include "depth_two/stump.hpp"
#include "depth_two/summed.hpp"
#include "requests/task.hpp"
#include "requests/techniques.hpp"

namespace murtree {

// More than the cost of any tree.
inline constexpr std::int64_t unlimited = std::int64_t{1} << 60;

using Costs = std::vector<std::int64_t>;

// A set of rows as part of another.
struct Subset {
    const Rows* source = nullptr;
    std::vector<std::uint32_t> row_numbers;
    Part part;
    Fingerprint branch;  // of the literals of the branch, in any order

    // By request and feature of the source: a lower bound on trees within the budget that have it
    // at the root. Empty if not known or not needed. Search::solve_subset() raises them.
    Costs root_bounds = {};
};

class Problem {
  public:
    Problem(const Dataset& data,
            const Techniques& techniques,
            const Task& task,
            std::size_t pair_bytes);  // see DepthTwoRules

    const Dataset& data() const { return data_; }
    const Techniques& techniques() const { return techniques_; }
    const Task& task() const { return task_; }
    const DepthTwoRules& rules() const { return rules_; }
    const Sums* sums() const { return rules_.sums; }
    std::int64_t price_of_node() const { return task_.price_of_node; }
    bool uses_cache() const { return techniques_.cache != CacheKind::none; }
    bool uses_similarity() const { return techniques_.similarity_bound && weights_bound_costs(); }
    // Whether adding or removing rows changes the cost of a tree by at most their weight.
    bool weights_bound_costs() const { return !task_.least_sizes.any() && weighs_; }

    std::int64_t cost_of(std::int64_t errors) const { return errors * task_.price_of_error; }
    std::int64_t leaf_cost_of(const Rows& rows, std::span<const std::uint32_t> row_numbers) const;
    // The price of a node that tests this column.
    std::int64_t price_of(std::uint32_t column) const {
        if (sums() == nullptr) return task_.price_of_node;
        return task_.price_of_node +
               cost_of(static_cast<std::int64_t>(sums()->feature_cost(column)));
    }
    std::optional<Stump> stump_of(const Rows& rows) const;

    std::uint32_t useful_nodes(std::size_t n_rows, std::int64_t leaf_cost) const;
    Budget normalise(Budget budget, std::size_t n_rows, std::int64_t leaf_cost) const;

    Subset whole() const;
    Subset subset_of(const Rows& source, std::vector<std::uint32_t> row_numbers) const;
    void select(const Subset& subset, Rows& rows) const;

    // Keys of the cache. Only the depth-two entries do not depend on the prices.
    Fingerprint literal(std::uint32_t column, int side) const;
    Fingerprint key_of(const Part& part, const Fingerprint& branch) const {
        return (techniques_.cache == CacheKind::branch ? branch : part.fingerprint) ^ salt_;
    }
    Fingerprint task_key(const Fingerprint& key) const { return key ^ task_salt_; }

    // Calls the action with a lane wide enough for every count and cost of these rows; the sum of
    // two costs must fit too.
    template <class Action>
    auto with_lane(const Rows& rows, Action action) const {
        constexpr std::int64_t max_narrow_cost = std::int64_t{1} << 30;
        if (sums() != nullptr) return action(Summed{});
        const std::int64_t weight = total_weight(rows);
        if (cost_of(weight) > max_narrow_cost) return action(std::int64_t{});
        if (weight <= std::numeric_limits<std::int16_t>::max()) return action(std::int16_t{});
        return action(std::int32_t{});
    }

  private:
    static std::int64_t total_weight(const Rows& rows);

    const Dataset& data_;
    Techniques techniques_;
    Task task_;
    DepthTwoRules rules_;
    bool weighs_;                        // whether sums of weights are small enough to be exact
    std::vector<Fingerprint> literals_;  // of each column, side by side; see literal()
    Fingerprint salt_;  // for everything that changes all entries: the sizes of leaves
    Fingerprint
        task_salt_;  // for everything that changes all but the depth-two entries: the prices
};

}  // namespace murtree
