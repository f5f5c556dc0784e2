#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> server_commands() { return {}; }

}  // namespace fairlane::command
