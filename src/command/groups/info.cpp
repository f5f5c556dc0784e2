#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> info_commands() { return {}; }

}  // namespace fairlane::command
