#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// Which words of a request MONITOR and the slow log must not show; for Spec::find_secrets.
namespace fairlane::command {

/// AUTH [username] password.
std::uint64_t secrets_of_auth(std::span<const std::string_view> words);
/// HELLO ... AUTH username password ...
std::uint64_t secrets_of_hello(std::span<const std::string_view> words);

}  // namespace fairlane::command
