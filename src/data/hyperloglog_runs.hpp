#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairlane::data::sketch {

inline constexpr std::size_t kHeadBytes = 16;
inline constexpr std::uint8_t kMostRank = 32;     ///< of a run
inline constexpr std::size_t kMostEqual = 4;      ///< registers in a run of a rank
inline constexpr std::size_t kShortZeros = 64;    ///< in a run of zeros of one byte
inline constexpr std::size_t kLongZeros = 16384;  ///< and of two

/// Equal registers beside each other in the sparse form, and the bytes that tell of them.
struct Run {
  std::size_t registers;
  std::size_t bytes;
  std::uint8_t rank;  ///< 0 for zeros

  /// The first run of a text that is not empty. A second byte that is missing counts as 0.
  static Run read(std::string_view text) noexcept {
    const auto first = static_cast<std::uint8_t>(text[0]);
    if ((first & 0x80U) != 0) {
      return {(first & 3U) + std::size_t{1}, 1, static_cast<std::uint8_t>((first >> 2 & 31U) + 1)};
    }
    if ((first & 0x40U) == 0) return {first + std::size_t{1}, 1, 0};
    const auto second = text.size() > 1 ? static_cast<std::uint8_t>(text[1]) : std::uint8_t{0};
    return {((first & 0x3FU) << 8 | second) + std::size_t{1}, 2, 0};
  }
};

/// visit(run) for every run of a sparse sketch.
template <class Visit>
void for_each_run(std::string_view bytes, Visit&& visit) {
  bytes.remove_prefix(kHeadBytes);
  while (!bytes.empty()) {
    const Run run = Run::read(bytes);
    visit(run);
    bytes.remove_prefix(run.bytes < bytes.size() ? run.bytes : bytes.size());
  }
}

/// A few runs being written.
class RunText {
 public:
  void add_equal(std::uint8_t rank, std::size_t registers) noexcept {
    bytes_[size_++] = static_cast<char>(0x80U | static_cast<unsigned>(rank - 1) << 2 | (registers - 1));
  }
  void add_zeros(std::size_t registers) noexcept {
    const std::size_t rest = registers - 1;
    if (registers > kShortZeros) bytes_[size_++] = static_cast<char>(0x40U | rest >> 8);
    bytes_[size_++] = static_cast<char>(rest & 0xFFU);
  }
  std::string_view view() const noexcept { return {bytes_, size_}; }

 private:
  char bytes_[5];  // at most zeros, a rank and zeros again
  std::size_t size_ = 0;
};

}  // namespace fairlane::data::sketch
