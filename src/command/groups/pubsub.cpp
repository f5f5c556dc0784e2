#include "command/groups.hpp"

namespace fairlane::command {

std::span<const Spec> pubsub_commands() { return {}; }

}  // namespace fairlane::command
