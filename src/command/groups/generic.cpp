#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> generic_commands() { return {}; }

}  // namespace fairlane::command
