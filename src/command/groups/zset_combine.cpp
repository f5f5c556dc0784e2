#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> zset_combine_commands() { return {}; }

}  // namespace fairlane::command
