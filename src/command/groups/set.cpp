#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> set_commands() { return {}; }

}  // namespace fairlane::command
