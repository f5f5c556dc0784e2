#pragma once

#include <chrono>
#include <cstdint>

namespace fairlane::base {

/// A cheap count that grows evenly with time: the processor's time-stamp counter where there is one. For measuring how
/// long a command took, and whether the clock must be read again.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Ticks in a microsecond, measured once against the steady clock at the first call (which takes a millisecond).
double ticks_per_microsecond() noexcept;

}  // namespace fairlane::base
