#pragma once

#include "fairlane/base/log.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/net/reactor.hpp"

namespace fairlane::server {

/// Lets the parts of the running server follow the options that CONFIG SET changes, and brings those that the system
/// does not allow in line with it.
void follow_options(command::Services& services, net::Reactor& reactor, base::Log& log);

}  // namespace fairlane::server
