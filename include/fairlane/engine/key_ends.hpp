#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fairlane::engine {

/// A few ends of keys, of four bytes each, that a database takes note of: whoever had to look at every step for keys
/// that hang off others, and are hardly ever there, asks Database::holds_noted() first.
class KeyEnds {
 public:
  static constexpr std::size_t kSize = 4;

  /// The end may be longer: its last bytes are told from others.
  void note(std::string_view end) noexcept {
    if (count_ < ends_.size() && end.size() >= kSize) ends_[count_++] = last_bytes(end);
  }
  bool noted(std::string_view key) const noexcept {
    if (key.size() < kSize) return false;
    const std::uint32_t end = last_bytes(key);
    return end == ends_[0] || end == ends_[1];
  }

 private:
  static std::uint32_t last_bytes(std::string_view text) noexcept {
    std::uint32_t bytes;
    std::memcpy(&bytes, text.data() + text.size() - kSize, kSize);
    return bytes;
  }

  std::array<std::uint32_t, 2> ends_{};  // until one is noted it is four NULs, which costs whoever asks a look-up
  std::size_t count_ = 0;
};

}  // namespace fairlane::engine
