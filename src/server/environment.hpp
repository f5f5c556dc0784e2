#pragma once

#include <string>

namespace fairlane::server {

/// Every option is an environment variable as well: FAIRLANE_MAXMEMORY_POLICY=noeviction. Returns a directive a line. A
/// variable that is empty, or that names no option, says nothing.
std::string directives_of_environment();

}  // namespace fairlane::server
