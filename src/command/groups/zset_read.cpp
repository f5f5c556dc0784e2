#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> zset_read_commands() { return {}; }

}  // namespace fairlane::command
