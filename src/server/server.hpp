#pragma once

#include "fairlane/base/log.hpp"
#include "server/start_options.hpp"

namespace fairlane::server {

/// Builds the whole server, runs it until it is told to stop, and returns the exit status.
int run(StartOptions& start, base::Log& log);

}  // namespace fairlane::server
