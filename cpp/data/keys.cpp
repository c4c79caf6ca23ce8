#include "data/keys.hpp"

#include <algorithm>
#include <bit>

namespace murtree {
namespace {

void quarter_round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) {
    d = std::rotl(d ^ (a += b), 16);
    b = std::rotl(b ^ (c += d), 12);
    d = std::rotl(d ^ (a += b), 8);
    b = std::rotl(b ^ (c += d), 7);
}

std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
}

}  // namespace

Keys::Keys(std::span<const std::uint8_t, seed_bytes> seed) {
    for (std::size_t k = 0; k < seed.size(); ++k)
        seed_[k / 4] |= std::uint32_t{seed[k]} << k % 4 * 8;
}

Keys::Block Keys::block(std::uint64_t number, std::uint64_t nonce) const {
    Block start{0x61707865, 0x3320646E, 0x79622D32, 0x6B206574};  // "expand 32-byte k"
    std::copy(seed_.begin(), seed_.end(), start.begin() + 4);
    start[12] = static_cast<std::uint32_t>(number);
    start[13] = static_cast<std::uint32_t>(number >> 32);
    start[14] = static_cast<std::uint32_t>(nonce);
    start[15] = static_cast<std::uint32_t>(nonce >> 32);
    Block x = start;
    for (int round = 0; round < 8; round += 2) {
        for (std::size_t k = 0; k < 4; ++k) quarter_round(x[k], x[k + 4], x[k + 8], x[k + 12]);
        for (std::size_t k = 0; k < 4; ++k)
            quarter_round(x[k], x[4 + (k + 1) % 4], x[8 + (k + 2) % 4], x[12 + (k + 3) % 4]);
    }
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += start[k];
    return x;
}

Keys Keys::for_use(Use use) const {
    const Block made = block(static_cast<std::uint64_t>(use), ~std::uint64_t{0});
    Keys keys = *this;
    std::copy_n(made.begin(), keys.seed_.size(), keys.seed_.begin());
    return keys;
}

void Keys::fill(std::span<Fingerprint> keys) const {
    for (std::size_t first = 0; first < keys.size(); first += 4) {
        const Block made = block(first / 4, 0);
        for (std::size_t k = 0; k < std::min<std::size_t>(4, keys.size() - first); ++k)
            keys[first + k] = {joined(made[4 * k], made[4 * k + 1]),
                               joined(made[4 * k + 2], made[4 * k + 3])};
    }
}

Fingerprint Keys::of(std::uint64_t a, std::uint64_t b) const {
    const Block made = block(a, b);
    return {joined(made[0], made[1]), joined(made[2], made[3])};
}

}  // namespace murtree
