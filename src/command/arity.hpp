#pragma once

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {

/// Refuses a number of words that the arity alone does not rule out.
inline Outcome wrong_arity(Context& ctx) {
  return ctx.fail("ERR wrong number of arguments for '" + ctx.command.name + "' command");
}

}  // namespace fairlane::command
