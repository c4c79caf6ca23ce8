// Cache of fronts by the fingerprint of the rows and the limits on the tree.
//
// When full, it is cleared. Fronts in use are kept alive by their users.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "data/rows.hpp"
#include "pareto/front.hpp"
#include "requests/task.hpp"

namespace murtree::pareto {

using FrontPtr = std::shared_ptr<const Front>;

class FrontCache {
  public:
    explicit FrontCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    // Null if not found.
    FrontPtr find(const Fingerprint& rows, Budget budget) const;
    void store(const Fingerprint& rows, Budget budget, FrontPtr front);

    std::size_t size() const { return fronts_.size(); }
    std::size_t bytes() const { return bytes_; }

  private:
    struct Key {
        Fingerprint rows;
        Budget budget;

        bool operator==(const Key& other) const {
            return rows == other.rows && budget.depth == other.budget.depth &&
                   budget.nodes == other.budget.nodes;
        }
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {  // the fingerprint is already random
            const std::uint64_t limits = std::uint64_t{key.budget.nodes} << 8 | key.budget.depth;
            return static_cast<std::size_t>(key.rows.low ^ mixed(limits));
        }
    };

    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    std::unordered_map<Key, FrontPtr, Hash> fronts_;
};

}  // namespace murtree::pareto
