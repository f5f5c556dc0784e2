#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> string_number_commands() { return {}; }

}  // namespace fairlane::command
