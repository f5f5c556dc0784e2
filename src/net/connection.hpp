#pragma once

#include <cstddef>

#include "fairlane/base/buffer.hpp"
#include "fairlane/command/session.hpp"
#include "fairlane/protocol/request_parser.hpp"

namespace fairlane::net {

/// One client's socket and what lies between it and the executor.
struct Connection {
  int descriptor = -1;
  command::Session* session = nullptr;
  protocol::RequestParser parser;
  base::Buffer unread;        ///< received and not executed yet: an unfinished request, or what waits behind a parked one
  std::size_t sent = 0;       ///< bytes of the session's output that are with the kernel already
  bool awaits_writable = false;
  bool listed = false;        ///< in the reactor's list of connections to look after
  bool closed = false;
};

}  // namespace fairlane::net
