#pragma once

#include <cmath>
#include <cstdint>

#include "fairlane/command/args.hpp"

namespace fairlane::command {

/// The time-out of a blocking command, in seconds with a fraction: whole milliseconds, rounded up so that a short wait
/// never turns into the endless one, which is 0.
inline std::int64_t timeout_millis(Args& args, std::int64_t now) {
  const auto seconds = base::parse_long_double(args.text());
  if (!seconds) {
    args.fail(errors::kTimeoutNotFloat);
    return 0;
  }
  // Redis 7.0 calls a time-out negative that is too large for milliseconds, and never ends one whose end is.
  const long double millis = std::ceil(*seconds * 1000.0L);
  if (millis < 0 || millis > static_cast<long double>(INT64_MAX)) {
    args.fail(errors::kTimeoutNegative);
    return 0;
  }
  const auto whole = static_cast<std::int64_t>(millis);
  return whole > INT64_MAX - now ? 0 : whole;
}

}  // namespace fairlane::command
