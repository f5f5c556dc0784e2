#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command/acl/denials.hpp"
#include "command/acl/user.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/session.hpp"

/// The questions that requests lead to: may this client, and what is he told when he may not.
namespace fairlane::command {

/// May the session's user run the request? A refusal is noted.
Verdict ask_permission(Services& services, const Session& session, const Command& command,
                       std::span<const std::string_view> words, Denials::Place place);
/// A login failed: noted.
void note_failed_login(Services& services, const Session& session, std::span<const std::string_view> words,
                       std::string_view user);
/// May the session's user read any key in the course of this request?
bool reads_all_keys(const Session& session, const Command& command, std::span<const std::string_view> words);

/// The error for a refused request; for one that a script makes; for one that EXEC was to run.
std::string refusal(const Verdict& verdict, const Command& command);
std::string_view refusal_in_script(const Verdict& verdict);
std::string refusal_in_exec(const Verdict& verdict);

}  // namespace fairlane::command
