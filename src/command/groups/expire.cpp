#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> expire_commands() { return {}; }

}  // namespace fairlane::command
