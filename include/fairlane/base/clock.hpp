#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace fairlane::base {

using Millis = std::chrono::milliseconds;
/// An instant people share: expiry, leases, TIME. It may step.
using Wall = std::chrono::sys_time<Millis>;
/// An instant that never steps back: time-outs.
using Steady = std::chrono::time_point<std::chrono::steady_clock, Millis>;

/// Milliseconds since 1970.
constexpr std::int64_t unix_millis(Wall when) noexcept { return when.time_since_epoch().count(); }
constexpr Wall from_unix_millis(std::int64_t millis) noexcept { return Wall{Millis{millis}}; }

/// Where time comes from; virtual in tests.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Wall wall() const noexcept = 0;
  virtual Steady steady() const noexcept = 0;
  /// Microseconds since 1970, for TIME and the slow log.
  virtual std::int64_t wall_micros() const noexcept = 0;
};

using TimerId = std::uint64_t;

/// Calls a function once at an instant, on the engine thread. Timers due at one instant run in the order they were set.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  virtual TimerId at(Steady when, std::function<void()> action) = 0;
  /// Does nothing when the timer has run or was cancelled.
  virtual void cancel(TimerId timer) noexcept = 0;
};

}  // namespace fairlane::base
