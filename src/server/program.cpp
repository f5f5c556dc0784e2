#include "server/program.hpp"

#include <algorithm>
#include <array>

namespace fairlane::server {
namespace {

std::string_view name_of(std::string_view path) noexcept { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool is_client_name(std::string_view path) noexcept {
  const std::string_view name = name_of(path);
  return name == "redis-cli" || name == "valkey-cli" || name == "fairlane-cli";
}

bool is_server_name(std::string_view path) noexcept {
  const std::string_view name = name_of(path);
  return name == "fairlane-server" || name == "redis-server" || name == "valkey-server";
}

bool is_entry_name(std::string_view path) noexcept { return name_of(path) == "fairlane-entrypoint"; }

bool is_subcommand(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 3> kSubcommands = {"cli", "run", "health"};
  return std::find(kSubcommands.begin(), kSubcommands.end(), word) != kSubcommands.end();
}

}  // namespace fairlane::server
