#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> list_blocking_commands() { return {}; }

}  // namespace fairlane::command
