#include "command/script/run.hpp"

#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {

std::string_view read_input(Args& args, std::string_view not_a_number, ScriptInput& input) {
  const std::int64_t count = args.integer(not_a_number);
  if (!args.ok()) return args.error();
  if (count > static_cast<std::int64_t>(args.left())) return "ERR Number of keys can't be greater than number of args";
  if (count < 0) return "ERR Number of keys can't be negative";
  const auto keys = static_cast<std::size_t>(count);
  input = {args.rest().first(keys), args.rest().subspan(keys)};
  return {};
}

Outcome run(Context& context, const ScriptToRun& script, const ScriptInput& input) {
  if (script.needs_memory && context.services.executor->out_of_memory()) {
    return context.fail(errors::kOutOfMemory);
  }
  context.services.executor->show_to_monitors(context.session, context.command, context.request);
  RunningScript running(context, script.kind, script.name, script.rights);
  ScriptEngine::Run run{running, script.name, input.keys, input.arguments, context.reply};
  ScriptEngine& engine = *context.services.script_engine;
  script.kind == RunningScript::Kind::script ? engine.run(script.code, run) : engine.run_function(script.code, run);
  return Outcome::done;
}

Outcome kill_running(Context& context, RunningScript::Kind kind) {
  RunningScript* running = context.services.scripts->running();
  if (running == nullptr) return context.fail("NOTBUSY No scripts in execution right now.");
  if (running->kind() != kind) return context.fail(running->busy_error());
  if (running->wrote()) {
    return context.fail(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the "
        "script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.");
  }
  running->kill();
  context.reply.ok();
  return Outcome::done;
}

}  // namespace fairlane::command
