#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> slowlog_commands() { return {}; }

}  // namespace fairlane::command
