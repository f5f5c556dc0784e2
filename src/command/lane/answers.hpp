#pragma once

#include "command/lane/arguments.hpp"
#include "command/lane/queue.hpp"

namespace fairlane::command {

/// The error of a step that was refused.
Outcome fail_step(Context& ctx, Step step);

}  // namespace fairlane::command
