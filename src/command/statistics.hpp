#pragma once

#include "fairlane/command/services.hpp"

namespace fairlane::command {

/// CONFIG RESETSTAT: every counter back to zero.
void reset_statistics(Services& services);

}  // namespace fairlane::command
