#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> scan_commands() { return {}; }

}  // namespace fairlane::command
