#pragma once

#include <algorithm>
#include <utility>

#include "fairlane/command/session.hpp"
#include "fairlane/protocol/reply.hpp"

namespace fairlane::command {

/// Writes what is no reply to a request (a message, the confirmation of a subscription) to a session's output:
/// `write(Reply&)` writes it. It is sent even where replies are not wanted, or where the running request fails
/// afterwards, but not behind the last reply of a connection that closes. The caller announces the output of sessions
/// whose request does not run.
template <class Write>
void push(Session& session, Write&& write) {
  if (session.close_after_reply) return;
  if (!session.mute()) {
    protocol::Reply reply(session.out, session.version);
    write(reply);
    session.reply_start = session.out.size();
    return;
  }
  // The reply written so far will be cut off: this goes before it.
  base::Buffer bytes;
  protocol::Reply reply(bytes, session.version);
  write(reply);
  const std::size_t place = std::min(session.reply_start, session.out.size());
  session.out.insert(place, bytes.view());
  session.reply_start = place + bytes.size();
}

}  // namespace fairlane::command
