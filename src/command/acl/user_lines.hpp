#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "command/acl/rules.hpp"
#include "fairlane/command/users.hpp"

namespace fairlane::command {

/// What a file of users says: the users, or everything that is wrong with it.
struct UserLines {
  Users::ByName users;
  std::string errors;
};

/// Reads lines "user name rule ...". The name of the file stands in the errors.
UserLines read_user_lines(std::string_view text, const std::string& file, const Rules& rules);

}  // namespace fairlane::command
