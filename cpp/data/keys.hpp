// Random keys, of rows and of whatever else is numbered, from a hash of the whole table.
//
// A set of rows is known to the cache by the XOR of its rows' keys (Zobrist hashing). With random
// keys two different sets are alike with a probability of 2^-128. That holds for sets chosen
// without regard to the keys only: XOR is linear, so that anybody who knows the keys of more than
// 128 rows finds two sets that are alike by elimination over GF(2), and can make them columns of a
// table. Hence the seed is a cryptographic hash of all that the table consists of: any change to
// the table changes all keys. The same table has the same keys always.
//
// Keys are made from the seed by ChaCha with 8 rounds (Bernstein, "ChaCha, a variant of Salsa20",
// 2008), in any order. A generator that is linear itself would not do: some sets would be alike for
// every seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernels.hpp"

namespace murtree {

using kernels::Fingerprint;

class Keys {
  public:
    static constexpr std::size_t seed_bytes = 32;
    enum class Use : std::uint64_t { rows, literals, sizes, prices };

    explicit Keys(std::span<const std::uint8_t, seed_bytes> seed);

    // Keys that have nothing to do with those of another use.
    Keys for_use(Use use) const;
    // As many as there is room for.
    void fill(std::span<Fingerprint> keys) const;
    // The key of a pair of numbers.
    Fingerprint of(std::uint64_t a, std::uint64_t b) const;

  private:
    using Block = std::array<std::uint32_t, 16>;

    Block block(std::uint64_t number, std::uint64_t nonce) const;

    std::array<std::uint32_t, 8> seed_{};
};

}  // namespace murtree
