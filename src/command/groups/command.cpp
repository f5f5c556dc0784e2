#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> command_commands() { return {}; }

}  // namespace fairlane::command
