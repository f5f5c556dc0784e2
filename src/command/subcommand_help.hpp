#pragma once

#include "fairlane/command/spec.hpp"

namespace fairlane::command {

/// The handler of HELP in every container command: what its subcommands are, from their declarations.
Outcome subcommand_help(Context& ctx, Args& args);

}  // namespace fairlane::command
