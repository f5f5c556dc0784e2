#pragma once

#include <string_view>

/// Which of its programs this one is to be: by the name it was called by, as busybox does, or by its first word.
namespace fairlane::server {

/// redis-cli and its like.
bool is_client_name(std::string_view path) noexcept;
/// redis-server and its like.
bool is_server_name(std::string_view path) noexcept;
/// The first program of the image (container.hpp).
bool is_entry_name(std::string_view path) noexcept;
/// A first word behind fairlane-server that makes it something else than the server: "cli", "run", "health".
bool is_subcommand(std::string_view word) noexcept;

}  // namespace fairlane::server
