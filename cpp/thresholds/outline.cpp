#include "thresholds/outline.hpp"

#include <algorithm>
#include <span>

#include "thresholds/stumps.hpp"

namespace murtree::thresholds {
namespace {

constexpr std::uint32_t no_chain = ~0u;  // of a leaf
constexpr std::uint32_t open_cut = 0;    // of a stump; other tests have cuts above 0

}  // namespace

Outline Outline::stump(std::uint32_t chain) {
    return join({chain, open_cut}, {}, {});
}

Outline Outline::join(Test test, const Outline& left, const Outline& right) {
    Outline joined;
    joined.nodes_.reserve(1 + std::max<std::size_t>(left.nodes_.size(), 1) +
                          std::max<std::size_t>(right.nodes_.size(), 1));
    joined.nodes_.push_back(test);
    joined.append(left);
    joined.append(right);
    return joined;
}

void Outline::append(const Outline& part) {
    if (part.nodes_.empty())
        nodes_.push_back({no_chain, open_cut});
    else
        nodes_.insert(nodes_.end(), part.nodes_.begin(), part.nodes_.end());
}

// Follows the tests in preorder with the rows that reach them.
class Outline::Completion {
  public:
    Completion(const std::vector<Test>& nodes, const Table& table, const LeastLeaf& least_leaf)
        : nodes_(nodes), table_(table), least_leaf_(least_leaf) {}

    CutTree next(std::vector<std::uint32_t> rows) {
        Test test = nodes_[at_++];
        if (test.chain == no_chain) return CutTree::leaf();
        const std::vector<std::uint32_t>& rank = table_.chains()[test.chain].rank;
        if (test.cut == open_cut) {
            at_ += 2;
            std::sort(rows.begin(), rows.end(), [&](std::uint32_t row, std::uint32_t other) {
                return rank[row] < rank[other];
            });
            test.cut = best_cut(table_, test.chain, rows, least_leaf_).cut;
            if (test.cut == open_cut) return CutTree::leaf();
            return CutTree::join(test, CutTree::leaf(), CutTree::leaf());
        }
        const auto middle = std::partition(
            rows.begin(), rows.end(), [&](std::uint32_t row) { return rank[row] < test.cut; });
        const CutTree left = next({rows.begin(), middle});
        return CutTree::join(test, left, next({middle, rows.end()}));
    }

  private:
    const std::vector<Test>& nodes_;
    const Table& table_;
    const LeastLeaf& least_leaf_;
    std::size_t at_ = 0;
};

CutTree Outline::completed(RowSet& rows, const LeastLeaf& least_leaf) const {
    if (nodes_.empty()) return CutTree::leaf();
    const std::span<const std::uint32_t> all = rows.order(0);
    return Completion(nodes_, rows.table(), least_leaf).next({all.begin(), all.end()});
}

}  // namespace murtree::thresholds
