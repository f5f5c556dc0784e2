#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "command/script/running_script.hpp"
#include "fairlane/command/args.hpp"
#include "fairlane/command/context.hpp"

/// What EVAL and FCALL have in common.
namespace fairlane::command {

inline constexpr std::string_view kWritesInReadOnly =
    "ERR Can not execute a script with write flag using *_ro command.";

struct ScriptInput {
  std::span<const std::string_view> keys;
  std::span<const std::string_view> arguments;
};
/// Reads "numkeys key... arg...". Returns an error, or nothing.
std::string_view read_input(Args& args, std::string_view not_a_number, ScriptInput& input);

struct ScriptToRun {
  RunningScript::Kind kind;
  std::string_view name;
  ScriptEngine::Code code;
  RunningScript::Rights rights;
  bool needs_memory;  ///< by the flags it declares
};
/// Shows the request to MONITOR, ahead of the commands that it calls, and runs the script, which replies.
/// Where there is no memory left, a script that declares its flags has to say that it can do without.
Outcome run(Context& context, const ScriptToRun& script, const ScriptInput& input);

/// SCRIPT KILL, FUNCTION KILL.
Outcome kill_running(Context& context, RunningScript::Kind kind);

}  // namespace fairlane::command
