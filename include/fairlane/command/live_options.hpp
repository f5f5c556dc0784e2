#pragma once

#include "fairlane/command/services.hpp"

namespace fairlane::command {

/// Lets the engine follow the options that CONFIG SET changes and that it does not look up each time: the classes of
/// events, the slow log. The services have options and an executor.
void follow_options(Services& services);

}  // namespace fairlane::command
