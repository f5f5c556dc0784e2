#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace fairlane::base {

/// Seed of every hash of this process. Written once at start-up, before the first hash is taken; a random value keeps
/// clients from choosing colliding keys.
inline std::uint64_t hash_seed = 0x9E3779B97F4A7C15ULL;

namespace detail {
inline std::uint64_t load64(const char* p) noexcept {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}
inline std::uint64_t load32(const char* p) noexcept {
  std::uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
/// The two halves of a 64x64 -> 128 bit product folded together: a cheap mixer with full avalanche.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
}  // namespace detail

/// A 64-bit hash of bytes for tables in memory: seeded, all bits usable, not cryptographic, not stable across
/// processes. Folded 128-bit multiplication over 16 bytes a step.
inline std::uint64_t hash_bytes(std::string_view bytes) noexcept {
  constexpr std::uint64_t kA = 0xA0761D6478BD642FULL;
  constexpr std::uint64_t kB = 0xE7037ED1A0B428DBULL;
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t state = hash_seed ^ detail::fold(left ^ kA, kB);
  while (left > 16) {
    state = detail::fold(detail::load64(p) ^ kA, detail::load64(p + 8) ^ state);
    p += 16;
    left -= 16;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (left >= 8) {
    a = detail::load64(p);
    b = detail::load64(p + left - 8);
  } else if (left >= 4) {
    a = detail::load32(p);
    b = detail::load32(p + left - 4);
  } else if (left > 0) {
    a = static_cast<std::uint64_t>(static_cast<unsigned char>(p[0])) << 16 |
        static_cast<std::uint64_t>(static_cast<unsigned char>(p[left >> 1])) << 8 |
        static_cast<unsigned char>(p[left - 1]);
  }
  return detail::fold(kB ^ bytes.size(), detail::fold(a ^ kB, b ^ state));
}

}  // namespace fairlane::base
