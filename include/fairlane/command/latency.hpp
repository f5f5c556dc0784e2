#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fairlane::command {

/// How long the calls of one command took: counts in classes that are at most an eighth wide. Noting a call costs an
/// increment. Times in ticks of base::ticks().
class Latency {
 public:
  void note(std::uint64_t ticks) noexcept { ++counts_[class_of(ticks)]; }
  std::uint64_t calls() const noexcept;
  /// The time that so many per cent of the calls did not exceed.
  std::uint64_t percentile(double percent) const noexcept;
  /// Calls that took at most so long.
  std::uint64_t calls_within(std::uint64_t ticks) const noexcept;
  std::uint64_t longest() const noexcept { return percentile(100); }

 private:
  static constexpr unsigned kStepBits = 3;
  static constexpr std::uint64_t kSteps = 1U << kStepBits;
  static constexpr std::size_t kClasses = (64 - kStepBits) * kSteps + kSteps;

  static std::size_t class_of(std::uint64_t ticks) noexcept {
    if (ticks < kSteps) return ticks;
    const auto shift = static_cast<unsigned>(std::bit_width(ticks)) - 1 - kStepBits;
    return (std::size_t{shift} + 1) * kSteps + ((ticks >> shift) & (kSteps - 1));
  }
  /// The longest time of a class.
  static std::uint64_t end_of(std::size_t place) noexcept {
    if (place < kSteps) return place;
    const std::size_t shift = place / kSteps - 1;
    return ((kSteps + place % kSteps + 1) << shift) - 1;
  }

  std::array<std::uint32_t, kClasses> counts_{};
};

}  // namespace fairlane::command
