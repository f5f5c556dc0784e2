#pragma once

#include <cstdint>

#include "fairlane/base/clock.hpp"

namespace fairlane::testkit {

/// A clock that stands still until somebody moves it. Both instants move together, unless somebody sets the wall clock.
class VirtualClock : public base::Clock {
 public:
  /// 2030-01-01T00:00:00Z: far from every instant that a test might write down by mistake.
  static constexpr base::Wall kStart{base::Millis{1893456000000}};

  base::Wall wall() const noexcept override { return kStart + passed_ + set_by_; }
  base::Steady steady() const noexcept override { return base::Steady{} + passed_; }
  std::int64_t wall_micros() const noexcept override { return base::unix_millis(wall()) * 1000; }

  void advance(base::Millis duration) noexcept { passed_ += duration; }
  /// Sets the wall clock forward, or back when negative. No time passes by that.
  void set_wall(base::Millis by) noexcept { set_by_ += by; }
  base::Millis passed() const noexcept { return passed_; }

 private:
  base::Millis passed_{0};
  base::Millis set_by_{0};
};

}  // namespace fairlane::testkit
