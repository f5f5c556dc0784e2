#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fairlane/command/context.hpp"

namespace fairlane::command {

/// How a client writes a time: in which unit, and counted from where.
struct TimeForm {
  enum class Unit : bool { seconds, millis };
  enum class From : bool { now, epoch };
  Unit unit = Unit::seconds;
  From from = From::now;
};

/// Which times a command takes: EXPIRE also those gone by, SET only positive numbers.
enum class Times : bool { any, positive };

/// The instant that a word of the request means, in milliseconds since 1970. None when it means none: the context then
/// has the error.
std::optional<std::int64_t> parse_deadline(Context& ctx, std::string_view word, TimeForm form, Times accepted);

}  // namespace fairlane::command
