// scripting.cpp - EVAL, EVALSHA, EVAL_RO, EVALSHA_RO, SCRIPT.
#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/script/run.hpp"
#include "command/script/scripts.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kNoScript = "NOSCRIPT No matching script. Please use EVAL.";

Outcome run_script(Context& ctx, const Script& script, const ScriptInput& input, bool read_only) {
  if (script.has_header && read_only && !has(script.flags, ScriptFlag::no_writes)) return ctx.fail(kWritesInReadOnly);
  const bool no_writes = script.has_header && has(script.flags, ScriptFlag::no_writes);
  const bool allow_oom = script.has_header && has(script.flags, ScriptFlag::allow_oom);
  const RunningScript::Rights rights{!read_only && !no_writes, allow_oom};
  const bool needs_memory = script.has_header && !allow_oom && !no_writes;
  return run(ctx, {RunningScript::Kind::script, script.digest, script.code, rights, needs_memory}, input);
}

template <bool read_only>
Outcome eval(Context& ctx, Args& args) {
  const std::string_view text = args.text();
  ScriptInput input;
  if (const std::string_view error = read_input(args, errors::kNotInteger, input); !error.empty()) {
    return ctx.fail(error);
  }
  std::string error;
  const Script* script = ctx.services.scripts->load(text, error);
  return script != nullptr ? run_script(ctx, *script, input, read_only) : ctx.fail(error);
}

template <bool read_only>
Outcome evalsha(Context& ctx, Args& args) {
  const std::string_view digest = args.text();
  if (digest.size() != 40) return ctx.fail(kNoScript);
  ScriptInput input;
  if (const std::string_view error = read_input(args, errors::kNotInteger, input); !error.empty()) {
    return ctx.fail(error);
  }
  const Script* script = ctx.services.scripts->find(digest);
  return script != nullptr ? run_script(ctx, *script, input, read_only) : ctx.fail(kNoScript);
}

Outcome script_load(Context& ctx, Args& args) {
  std::string error;
  const Script* script = ctx.services.scripts->load(args.text(), error);
  if (script == nullptr) return ctx.fail(error);
  ctx.reply.bulk(script->digest);
  return Outcome::done;
}

Outcome script_exists(Context& ctx, Args& args) {
  ctx.reply.array(args.left());
  for (const std::string_view digest : args.rest()) {
    ctx.reply.integer(ctx.services.scripts->find(digest) != nullptr ? 1 : 0);
  }
  return Outcome::done;
}

Outcome script_flush(Context& ctx, Args& args) {
  const bool good = args.left() == 0 || (args.left() == 1 && (args.option("SYNC") || args.option("ASYNC")));
  if (!good) return ctx.fail("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  ctx.services.scripts->flush();
  ctx.reply.ok();
  return Outcome::done;
}

Outcome script_kill(Context& ctx, Args&) { return kill_running(ctx, RunningScript::Kind::script); }

/// There is no debugger: turning it off is all that works.
Outcome script_debug(Context& ctx, Args& args) {
  if (args.option("NO")) {
    ctx.reply.ok();
    return Outcome::done;
  }
  if (args.option("YES") || args.option("SYNC")) return ctx.fail("ERR the script debugger is not supported");
  return ctx.fail("ERR Use SCRIPT DEBUG YES/SYNC/NO");
}

constexpr Flag kEval = Flag::noscript | Flag::stale | Flag::skip_monitor | Flag::may_replicate |
                       Flag::no_mandatory_keys | Flag::movablekeys;
constexpr Flag kEvalRo =
    Flag::readonly | Flag::noscript | Flag::stale | Flag::skip_monitor | Flag::no_mandatory_keys | Flag::movablekeys;
constexpr Use kAnyUse = Use::rw | Use::access | Use::update;
constexpr Use kReadUse = Use::ro | Use::access;
constexpr std::string_view kAnyUseNote =
    "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE";
constexpr std::string_view kReadUseNote =
    "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS";
constexpr std::string_view kScriptCost = "Depends on the script";

constexpr Spec kSpecs[] = {
    {.syntax = "EVAL script numkeys:integer [key ...] [arg ...]",
     .handler = eval<false>,
     .flags = kEval,
     .keys = keys_counted_at(2, kAnyUse),
     .group = Group::scripting,
     .docs = {.summary = "Runs a Lua script.", .complexity = kScriptCost, .since = "2.6.0"},
     .key_notes = kAnyUseNote},
    {.syntax = "EVALSHA sha1 numkeys:integer [key ...] [arg ...]",
     .handler = evalsha<false>,
     .flags = kEval,
     .keys = keys_counted_at(2, kAnyUse),
     .group = Group::scripting,
     .docs = {.summary = "Runs a known Lua script, by its digest.", .complexity = kScriptCost, .since = "2.6.0"}},
    {.syntax = "EVAL_RO script numkeys:integer [key ...] [arg ...]",
     .handler = eval<true>,
     .flags = kEvalRo,
     .keys = keys_counted_at(2, kReadUse),
     .group = Group::scripting,
     .docs = {.summary = "Runs a Lua script that may only read.", .complexity = kScriptCost, .since = "7.0.0"},
     .key_notes = kReadUseNote},
    {.syntax = "EVALSHA_RO sha1 numkeys:integer [key ...] [arg ...]",
     .handler = evalsha<true>,
     .flags = kEvalRo,
     .keys = keys_counted_at(2, kReadUse),
     .group = Group::scripting,
     .docs = {.summary = "Runs a known Lua script that may only read.", .complexity = kScriptCost, .since = "7.0.0"}},
    {.syntax = "SCRIPT",
     .group = Group::scripting,
     .docs = {.summary = "Commands about scripts.", .complexity = "Depends on the subcommand", .since = "2.6.0"},
     .arity = -2},
    {.syntax = "SCRIPT LOAD script",
     .handler = script_load,
     .flags = Flag::noscript | Flag::stale,
     .group = Group::scripting,
     .docs = {.summary = "Keeps a script for EVALSHA.", .complexity = "O(N), its length", .since = "2.6.0"},
     .tips = "request_policy:all_nodes response_policy:all_succeeded"},
    {.syntax = "SCRIPT EXISTS sha1 [sha1 ...]",
     .handler = script_exists,
     .flags = Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Tells which scripts are known.", .complexity = "O(1) a digest", .since = "2.6.0"},
     .tips = "request_policy:all_shards response_policy:agg_logical_and"},
    {.syntax = "SCRIPT FLUSH [ASYNC | SYNC]",
     .handler = script_flush,
     .flags = Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Forgets all scripts.", .complexity = "O(N), N scripts", .since = "2.6.0"},
     .tips = "request_policy:all_nodes response_policy:all_succeeded"},
    {.syntax = "SCRIPT KILL",
     .handler = script_kill,
     .flags = Flag::noscript | Flag::allow_busy,
     .group = Group::scripting,
     .docs = {.summary = "Ends the script that runs, if it has written nothing.",
              .complexity = "O(1)",
              .since = "2.6.0"},
     .tips = "request_policy:all_shards response_policy:one_succeeded"},
    {.syntax = "SCRIPT DEBUG <YES | SYNC | NO>",
     .handler = script_debug,
     .flags = Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Sets the debugging of scripts: NO, since there is no debugger.",
              .complexity = "O(1)",
              .since = "3.2.0"}},
    {.syntax = "SCRIPT HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::scripting,
     .docs = {.summary = "Prints this help.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> scripting_commands() { return kSpecs; }

}  // namespace fairlane::command
