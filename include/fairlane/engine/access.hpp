#pragma once

#include <algorithm>
#include <cstdint>

#include "fairlane/base/random.hpp"

namespace fairlane::engine {

/// What an entry remembers of its use, in 24 bits: the second of the last access, or, where accesses are counted (the
/// LFU policies), the minute of the last one in the upper 16 bits and a logarithmic counter in the lower 8. The counter
/// starts at 5, is raised with a probability of 1 / ((counter - 5) * log_factor + 1), and falls by one every
/// `decay_minutes`, as in redis-server's description of its LFU mode.
struct AccessRule {
  bool counted = false;
  std::int64_t log_factor = 10;
  std::int64_t decay_minutes = 1;  ///< 0: never
};

inline constexpr std::uint32_t kAccessMask = 0xFFFFFF;
inline constexpr std::uint32_t kFirstCount = 5;
inline constexpr std::uint32_t kMostCount = 255;

/// Seconds since the last access, of entries whose accesses are not counted.
inline std::uint32_t idle_seconds(std::uint32_t access, std::uint32_t now_seconds) noexcept {
  return (now_seconds - access) & kAccessMask;
}

/// The counter as it is now.
inline std::uint32_t access_count(const AccessRule& rule, std::uint32_t access, std::uint32_t now_seconds) noexcept {
  const std::uint32_t count = access & 0xFF;
  if (rule.decay_minutes == 0) return count;
  const std::uint32_t minutes = (now_seconds / 60 - (access >> 8)) & 0xFFFF;
  return count - std::min(count, static_cast<std::uint32_t>(minutes / rule.decay_minutes));
}

inline std::uint32_t counted_access(std::uint32_t count, std::uint32_t now_seconds) noexcept {
  return (now_seconds / 60 & 0xFFFF) << 8 | count;
}

/// What an entry of this `access` remembers after one more.
inline std::uint32_t next_counted_access(const AccessRule& rule, std::uint32_t access, std::uint32_t now_seconds,
                                         base::Random& random) noexcept {
  std::uint32_t count = access_count(rule, access, now_seconds);
  if (count < kMostCount) {
    const std::uint64_t above = count - std::min(count, kFirstCount);
    if (random.below(above * static_cast<std::uint64_t>(rule.log_factor) + 1) == 0) ++count;
  }
  return counted_access(count, now_seconds);
}

}  // namespace fairlane::engine
