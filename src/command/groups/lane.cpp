#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> lane_commands() { return {}; }

}  // namespace fairlane::command
