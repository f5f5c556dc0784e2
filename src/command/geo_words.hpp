#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "command/geo.hpp"
#include "fairlane/command/args.hpp"
#include "fairlane/protocol/reply.hpp"

/// How places, lengths and distances are written in requests and replies.
namespace fairlane::command::geo {

/// Reads two words. `error` says what is wrong with them when something is.
std::optional<Place> read_place(Args& args, std::string& error);
/// Metres in the unit that a word names; nothing when there is no such unit.
std::optional<double> metres_in(std::string_view unit) noexcept;

inline constexpr std::string_view kBadUnit = "ERR unsupported unit provided. please use M, KM, FT, MI";

/// A bulk string with four digits behind the point.
void reply_distance(protocol::Reply& reply, double distance);
void reply_place(protocol::Reply& reply, const Place& place);

}  // namespace fairlane::command::geo
