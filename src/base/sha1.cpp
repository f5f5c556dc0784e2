#include "fairlane/base/sha1.hpp"

#include <bit>
#include <cstdint>

namespace fairlane::base {
namespace {

constexpr std::size_t kBlock = 64;

/// FIPS 180-4, section 6.1.2.
class Sha1 {
 public:
  void block(const unsigned char* bytes) noexcept {
    std::array<std::uint32_t, 80> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = word(bytes + t * 4);
    for (std::size_t t = 16; t < w.size(); ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    auto [a, b, c, d, e] = h_;
    for (std::size_t t = 0; t < w.size(); ++t) {
      const std::uint32_t next = std::rotl(a, 5) + function(t, b, c, d) + e + w[t];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    h_ = {h_[0] + a, h_[1] + b, h_[2] + c, h_[3] + d, h_[4] + e};
  }

  Sha1Digest result() const noexcept {
    Sha1Digest bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(h_[i / 4] >> (24 - 8 * (i % 4)));
    }
    return bytes;
  }

 private:
  static std::uint32_t word(const unsigned char* bytes) noexcept {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
  }
  static std::uint32_t function(std::size_t t, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
    if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999U;
    if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1U;
    if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
    return (b ^ c ^ d) + 0xca62c1d6U;
  }

  std::array<std::uint32_t, 5> h_ = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
};

}  // namespace

Sha1Digest sha1(std::string_view bytes) noexcept {
  Sha1 digest;
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
  return digest.result();
}

std::string hex(const Sha1Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string sha1_hex(std::string_view bytes) { return hex(sha1(bytes)); }

}  // namespace fairlane::base
