#pragma once

#include <string>
#include <string_view>

#include "fairlane/command/session.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {

inline constexpr std::string_view kDefaultUser = "default";

/// Must this client log in before it may do anything else?
inline bool must_log_in(const Session& session, const Settings& settings) noexcept {
  return !session.authenticated && !settings.requirepass.empty();
}

/// Is there a user of this name?
inline bool user_exists(std::string_view user) noexcept { return user == kDefaultUser; }

/// Logs the session in; false, and nothing has changed, when the name or the password is wrong.
bool log_in(Session& session, const Settings& settings, std::string_view user, std::string_view password);

/// Makes the session what it was when it had just connected: the default user, logged in when no password is asked for.
void log_out(Session& session, const Settings& settings);

}  // namespace fairlane::command
