#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fairlane/command/services.hpp"

namespace fairlane::command {

/// How busy the server has been in the last second or two, and the most memory it ever had. Looks at the counters now
/// and then while requests are served; costs nothing while none are.
class LoadMeter {
 public:
  /// A second's worth.
  struct Rates {
    double commands = 0;
    double bytes_in = 0;
    double bytes_out = 0;
  };

  explicit LoadMeter(const Services& services) noexcept : services_(services) {}

  /// Looks at the counters; returns when to look again, in milliseconds since 1970.
  std::int64_t sample();
  Rates rates();
  std::size_t peak_memory() const noexcept { return peak_memory_; }
  void reset() noexcept;

 private:
  struct Sample {
    std::int64_t at = 0;
    std::uint64_t commands = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
  };
  Sample now() const noexcept;

  const Services& services_;
  std::array<Sample, 16> samples_{};  // a ring
  std::size_t newest_ = 0;
  std::size_t peak_memory_ = 0;
};

}  // namespace fairlane::command
