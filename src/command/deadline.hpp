#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/command/args.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {

/// How a client writes a time: in which unit, and counted from where.
struct TimeForm {
  enum class Unit : bool { seconds, millis };
  enum class From : bool { now, epoch };
  Unit unit = Unit::seconds;
  From from = From::now;
};

inline constexpr TimeForm kSeconds{TimeForm::Unit::seconds, TimeForm::From::now};
inline constexpr TimeForm kMillis{TimeForm::Unit::millis, TimeForm::From::now};
inline constexpr TimeForm kUnixSeconds{TimeForm::Unit::seconds, TimeForm::From::epoch};
inline constexpr TimeForm kUnixMillis{TimeForm::Unit::millis, TimeForm::From::epoch};

/// Takes EX, PX, EXAT or PXAT when it comes next: one of the four forms. Null when something else does.
const TimeForm* take_time_form(Args& args) noexcept;

/// Which times a command takes: EXPIRE also those gone by, SET only positive numbers.
enum class Times : bool { any, positive };

/// The instant that a word of the request means, in milliseconds since 1970. None when it means none: the context then
/// has the error.
std::optional<std::int64_t> parse_deadline(Context& ctx, std::string_view word, TimeForm form, Times accepted);

/// The same for a field of a hash, to which Redis sets bounds and errors of its own: times gone by are taken, but no
/// negative ones, and none past the year 4199.
std::optional<std::int64_t> parse_field_deadline(Context& ctx, std::string_view word, TimeForm form);

/// The words that EXPIRE and its kin take behind the time.
struct DeadlineConditions {
  bool without = false;  // NX: only what has no deadline
  bool with = false;     // XX
  bool later = false;    // GT: only to a later one; no deadline is the latest
  bool earlier = false;  // LT

  /// Takes one of the words when it comes next.
  bool take(Args& args) noexcept;
  bool hold(std::optional<std::int64_t> now_set, std::int64_t wanted) const noexcept;
};

}  // namespace fairlane::command
