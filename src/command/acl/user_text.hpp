#pragma once

#include <string>

#include "command/acl/user.hpp"

/// Users in words: the shortest rules we know to lead to what they have.
namespace fairlane::command {

/// "-@all +@hash -hset +select|0". Categories come first, those that fit best, then single commands.
std::string describe_commands(const Permissions& permissions, const Catalog& catalog);
/// "~* " or "~a* %R~b*"; empty without keys.
std::string describe_keys(const Permissions& permissions);
/// "&*" or "&a* &b*"; empty without channels.
std::string describe_channels(const Permissions& permissions);
/// The words of ACL GETUSER's flags, in their order there.
std::vector<std::string_view> flags_of(const User& user);
/// "user name on nopass ~* &* +@all": a line of the file of users, of the configuration file and of ACL LIST.
std::string describe(const User& user, const Catalog& catalog);

}  // namespace fairlane::command
