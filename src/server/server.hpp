#pragma once

#include "fairlane/command/settings.hpp"
#include "fairlane/net/reactor.hpp"

namespace fairlane::server {

/// What the command line and the configuration file decide before anything runs.
struct StartOptions {
  command::Settings settings;
  net::ListenOptions listen;
};

/// Builds the whole server, runs it until it is told to stop, and returns the exit status.
int run(StartOptions& options);

}  // namespace fairlane::server
