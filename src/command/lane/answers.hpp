#pragma once

#include "command/lane/arguments.hpp"
#include "command/lane/queue.hpp"

namespace fairlane::command {

/// The error of a step that was refused.
Outcome fail_step(Context& ctx, Step step);

/// A field of a row; null when the row has none.
inline void write_field(protocol::Reply& reply, std::optional<std::string_view> value) {
  if (value) [[likely]] {
    reply.bulk(*value);
  } else {
    reply.null();
  }
}

/// A job as claimers get it: id, payload, attempts and lane.
inline void write_job(protocol::Reply& reply, std::string_view id, std::optional<std::string_view> payload,
                      std::int64_t attempts, std::string_view lane) {
  reply.array(4);
  reply.bulk(id);
  write_field(reply, payload);
  reply.integer(attempts);
  reply.bulk(lane);
}

}  // namespace fairlane::command
