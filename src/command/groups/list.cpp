#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> list_commands() { return {}; }

}  // namespace fairlane::command
