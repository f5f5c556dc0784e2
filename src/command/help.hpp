#pragma once

#include "fairlane/command/args.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {

/// The HELP subcommand of any container: lists its subcommands as they are declared, each with its arguments and
/// summary.
Outcome help(Context& ctx, Args& args);

}  // namespace fairlane::command
