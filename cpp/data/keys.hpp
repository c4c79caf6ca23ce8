// Random keys for rows and other numbered items, derived from a hash of the whole table.
//
// The cache identifies a set of rows by the XOR of the rows' keys (Zobrist hashing). With random
// keys, two different sets collide with a probability of 2^-128. This holds only for sets chosen
// independently of the keys: XOR is linear, so anyone who knows the keys of more than 128 rows can
// find two colliding sets by elimination over GF(2), and make them columns of a table. Hence the
// seed is a cryptographic hash of the complete table: any change to the table changes all keys. The
// same table always has the same keys.
//
// Keys are generated from the seed by ChaCha with 8 rounds (Bernstein, "ChaCha, a variant of
// Salsa20", 2008), in any order. A linear generator would not be enough: some sets would collide
// for every seed.
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

    // Keys that are independent of those for other uses.
    Keys for_use(Use use) const;
    // Fills the span with keys.
    void fill(std::span<Fingerprint> keys) const;
    // The key of a pair of numbers.
    Fingerprint of(std::uint64_t a, std::uint64_t b) const;

  private:
    using Block = std::array<std::uint32_t, 16>;

    Block block(std::uint64_t number, std::uint64_t nonce) const;

    std::array<std::uint32_t, 8> seed_{};
};

}  // namespace murtree
