#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fairlane::base {

/// A small, fast, seedable generator (xorshift64*); for choices, never for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0x2545F4914F6CDD1DULL) noexcept : state_(seed != 0 ? seed : 1) {}

  std::uint64_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }

  /// A number in [0, bound); bound is not 0. Multiply-shift, so no division.
  std::uint64_t below(std::uint64_t bound) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

/// Hexadecimal digits in lower case that nobody can guess, from the system's source of randomness.
std::string secret_digits(std::size_t count);

}  // namespace fairlane::base
