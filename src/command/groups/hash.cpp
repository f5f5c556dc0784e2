#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> hash_commands() { return {}; }

}  // namespace fairlane::command
