#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> client_commands() { return {}; }

}  // namespace fairlane::command
