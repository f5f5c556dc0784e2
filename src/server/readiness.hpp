#pragma once

#include <cstdint>
#include <string>

#include "fairlane/command/settings.hpp"

namespace fairlane::server {

/// Where clients of this machine reach the server: redis://127.0.0.1:6379, or unix:///path without TCP. With the
/// password, where there is one.
std::string url_of(const command::Settings& settings, std::uint16_t port);

/// Tells whoever started the server, by the ways that the options name, that it listens. Returns what went wrong, or
/// nothing.
std::string announce_readiness(const command::Settings& settings, std::uint16_t port);

}  // namespace fairlane::server
