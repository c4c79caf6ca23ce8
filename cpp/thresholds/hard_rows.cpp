#include "thresholds/hard_rows.hpp"

#include <algorithm>

namespace murtree::thresholds {
namespace {

// Adds `n` of the rows, evenly spread.
void add_some(std::span<const std::uint32_t> rows, std::size_t n, std::vector<std::uint32_t>& to) {
    for (std::size_t k = 0; k < n; ++k) to.push_back(rows[k * rows.size() / n]);
}

}  // namespace

std::vector<std::uint32_t> hard_rows(const LabelledTree& tree,
                                     std::span<const std::uint32_t> rows,
                                     std::size_t n) {
    struct Leaf {
        std::vector<std::uint32_t> wrong, right;
    };
    std::vector<Leaf> leaves(tree.tree().tree.size());
    std::size_t n_wrong = 0;
    for (const std::uint32_t row : rows) {
        const std::size_t leaf = tree.leaf_of(0, row);
        const bool is_wrong = tree.cost(leaf, row) > 0;
        (is_wrong ? leaves[leaf].wrong : leaves[leaf].right).push_back(row);
        n_wrong += is_wrong;
    }
    const std::size_t most = std::max<std::size_t>(n / 2, 1);
    std::vector<std::uint32_t> chosen;
    for (const Leaf& leaf : leaves) {
        const std::size_t size = leaf.wrong.size();
        const std::size_t share = n_wrong <= most ? size : (size * most + n_wrong - 1) / n_wrong;
        add_some(leaf.wrong, share, chosen);
        add_some(leaf.right, std::min(share, leaf.right.size()), chosen);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

}  // namespace murtree::thresholds
