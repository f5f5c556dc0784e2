#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "command/lane/queue.hpp"
#include "fairlane/protocol/reply.hpp"

/// All lanes of a queue, page by page in the order of their names' bytes. The server remembers nothing of a walk: the
/// cursor is the last page's last name, so lanes that come and go in between do no harm, and a lane that is there from
/// beginning to end is listed exactly once.
namespace fairlane::command {

struct LanePage {
  std::string after;       ///< names behind this one; empty for all
  std::size_t most = 100;  ///< lanes
  std::string_view match = "*";
};

/// "0", where a walk begins and ends, or the hexadecimal digits of a name. Nothing when it is neither.
std::optional<std::string> parse_lane_cursor(std::string_view cursor);

/// A cursor, and an array of maps, a lane each: every lane that has jobs waiting or in flight, is paused, or has a
/// weight, a limit or a rate. O(lanes) whatever the page holds. Changes nothing. `wrong_type`.
Step write_lanes(Queue& queue, const LanePage& page, protocol::Reply& reply);

}  // namespace fairlane::command
