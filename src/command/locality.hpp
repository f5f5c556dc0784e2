#pragma once

#include <string_view>

#include "fairlane/command/session.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {

/// Does the client run on this machine?
inline bool is_local(const Session& session) noexcept {
  const std::string_view address = session.peer.address;
  return session.peer.unix_socket || address.starts_with("127.") || address.starts_with("[::1]") ||
         address.starts_with("[::ffff:127.");
}

inline bool allowed(Allowance allowance, const Session& session) noexcept {
  return allowance == Allowance::everybody || (allowance == Allowance::local_clients && is_local(session));
}

}  // namespace fairlane::command
