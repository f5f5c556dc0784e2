#pragma once

#include <span>
#include <string_view>

#include "server/cli/options.hpp"

namespace fairlane::server::cli {

/// A client for the command line, in the manner of redis-cli: sends a command and prints the reply. Returns the exit
/// status.
int run(std::span<const std::string_view> words);

/// Whether the server answers PING: 0 or 1, as an exit status, and a line that says so.
int ping(const Options& options);

}  // namespace fairlane::server::cli
