#include "fairlane/base/sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace fairlane::base {
namespace {

constexpr std::size_t kBlock = 64;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
constexpr std::array<std::uint32_t, 64> kConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// FIPS 180-4, section 6.2.2.
class Sha256 {
 public:
  void block(const unsigned char* bytes) noexcept {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = word(bytes + t * 4);
    for (std::size_t t = 16; t < w.size(); ++t) {
      const std::uint32_t before = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
      const std::uint32_t last = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + before + w[t - 7] + last;
    }
    auto [a, b, c, d, e, f, g, h] = h_;
    for (std::size_t t = 0; t < w.size(); ++t) {
      const std::uint32_t first =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
      const std::uint32_t second =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    h_ = {h_[0] + a, h_[1] + b, h_[2] + c, h_[3] + d, h_[4] + e, h_[5] + f, h_[6] + g, h_[7] + h};
  }

  std::string hex() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const std::uint32_t part : h_) {
      for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(part >> shift) & 15U];
    }
    return text;
  }

 private:
  static std::uint32_t word(const unsigned char* bytes) noexcept {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
  }

  std::array<std::uint32_t, 8> h_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                     0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t done = 0;
  for (; bytes.size() - done >= kBlock; done += kBlock) digest.block(data + done);

  // The rest, a set bit, zeros, and the length in bits: one block or two.
  std::array<unsigned char, 2 * kBlock> tail{};
  const std::size_t rest = bytes.size() - done;
  for (std::size_t i = 0; i < rest; ++i) tail[i] = data[done + i];
  tail[rest] = 0x80;
  const std::size_t blocks = rest + 9 <= kBlock ? 1 : 2;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[blocks * kBlock - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  }
  for (std::size_t i = 0; i < blocks; ++i) digest.block(tail.data() + i * kBlock);
  return digest.hex();
}

}  // namespace fairlane::base
