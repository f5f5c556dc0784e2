#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> config_commands() { return {}; }

}  // namespace fairlane::command
