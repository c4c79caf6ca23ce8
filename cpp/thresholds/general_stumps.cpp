#include "thresholds/general_stumps.hpp"

#include <algorithm>

namespace murtree::thresholds {

GeneralStumps::GeneralStumps(RowSet& rows, const LeastLeaf& least_leaf)
    : Stumps(rows, least_leaf) {}

// Takes the cost of the two leaves at a threshold between different values, if they are large
// enough. An empty side stands for no test at all.
void GeneralStumps::close(Side& side, const LeastLeaf& least_leaf) {
    const std::int64_t n_right = side.n_all - side.n_left;
    const bool is_leaf = side.n_left == 0 || n_right == 0;
    const bool is_allowed = least_leaf.allows(side.n_left, side.weight_left) &&
                            least_leaf.allows(n_right, side.weight_all - side.weight_left);
    if (!is_leaf && !is_allowed) return;
    Cost left = infeasible, right = infeasible;
    for (std::size_t label = 0; label < side.all.size(); ++label) {
        left = std::min(left, side.left[label]);
        right = std::min(right, side.all[label] - side.left[label]);
    }
    side.best = std::min(side.best, left + right);
}

void GeneralStumps::pass(std::size_t chain, std::uint8_t first_right, const LeastLeaf& least_leaf) {
    const std::span<const std::uint32_t> order = rows_.order(chain);
    const std::vector<std::uint32_t>& rank = rows_.table().chains()[chain].rank;
    for (Side* side : {&left_, &right_}) {
        side->left.assign(n_labels_, 0);
        side->n_left = side->weight_left = 0;
        side->best = infeasible;
        close(*side, least_leaf);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::uint32_t row = order[k];
        Side& side = codes_[row] < first_right ? left_ : right_;
        for (std::size_t label = 0; label < n_labels_; ++label)
            side.left[label] += rows_.table().costs(row)[label];
        ++side.n_left;
        side.weight_left += rows_.table().leaf_weight(row);
        if (k + 1 < order.size() && rank[row] == rank[order[k + 1]]) continue;
        close(left_, least_leaf);
        close(right_, least_leaf);
    }
}

Cost GeneralStumps::whole(std::size_t chain, const LeastLeaf& least_leaf) {
    const std::span<const std::uint32_t> order = rows_.order(chain);
    for (const std::uint32_t row : order) codes_[row] = 0;
    left_.all = totals_;
    left_.n_all = static_cast<std::int64_t>(order.size());
    right_.all.assign(n_labels_, 0);
    left_.weight_all = 0;
    for (const std::uint32_t row : order) left_.weight_all += rows_.table().leaf_weight(row);
    right_.n_all = right_.weight_all = 0;
    pass(chain, 1, least_leaf);
    return left_.best;
}

Sides GeneralStumps::stumps(std::size_t chain, std::size_t edge, const LeastLeaf& least_leaf) {
    const Cost* const left = lefts_.data() + edge * n_labels_;
    left_.all.assign(left, left + n_labels_);
    right_.all = totals_;
    for (std::size_t label = 0; label < n_labels_; ++label) right_.all[label] -= left[label];
    left_.n_all = edge_rows_[edge];
    right_.n_all = static_cast<std::int64_t>(rows_.n_rows()) - left_.n_all;
    left_.weight_all = right_.weight_all = 0;
    for (const std::uint32_t row : rows_.order(chain)) {
        Side& side = codes_[row] <= edge ? left_ : right_;
        side.weight_all += rows_.table().leaf_weight(row);
    }
    pass(chain, static_cast<std::uint8_t>(edge + 1), least_leaf);
    return {left_.best, right_.best};
}

}  // namespace murtree::thresholds
