#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> lane_control_commands() { return {}; }

}  // namespace fairlane::command
