#include "command/groups.hpp"
namespace fairlane::command {
std::span<const Spec> memory_commands() { return {}; }
}
