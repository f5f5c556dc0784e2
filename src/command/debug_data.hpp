#pragma once

#include "fairlane/command/context.hpp"

/// The parts of DEBUG that look at data as a whole.
namespace fairlane::command {

Outcome debug_digest(Context& ctx, Args& args);
Outcome debug_digest_value(Context& ctx, Args& args);
Outcome debug_htstats(Context& ctx, Args& args);
Outcome debug_htstats_key(Context& ctx, Args& args);
/// Writes every value as DUMP does, reads it back and goes on with that: encodings are what they are after a restart.
Outcome debug_reload(Context& ctx, Args& args);

}  // namespace fairlane::command
