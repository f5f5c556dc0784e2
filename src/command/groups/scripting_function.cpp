// scripting_function.cpp - FUNCTION, FCALL, FCALL_RO.
#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/script/library_dump.hpp"
#include "command/script/run.hpp"
#include "command/script/scripts.hpp"
#include "command/script/shebang.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

template <bool read_only>
Outcome fcall(Context& ctx, Args& args) {
  const ScriptEngine::Function* function = ctx.services.scripts->libraries().find(args.text());
  if (function == nullptr) return ctx.fail("ERR Function not found");
  ScriptInput input;
  if (const std::string_view error = read_input(args, "ERR Bad number of keys provided", input); !error.empty()) {
    return ctx.fail(error);
  }
  const bool writes = !has(function->flags, ScriptFlag::no_writes);
  if (read_only && writes) return ctx.fail(kWritesInReadOnly);
  const bool allow_oom = has(function->flags, ScriptFlag::allow_oom);
  const bool needs_memory = writes && !allow_oom;
  return run(ctx, {RunningScript::Kind::function, function->name, function->code, {writes, allow_oom}, needs_memory},
             input);
}

Outcome function_load(Context& ctx, Args& args) {
  bool replace = false;
  while (args.left() > 1) {
    if (!args.option("REPLACE")) return ctx.fail("ERR Unknown option given: " + std::string(args.text()));
    replace = true;
  }
  if (args.left() == 0) return ctx.fail("ERR Function code is missing");
  std::string name;
  const std::string error = ctx.services.scripts->libraries().load(args.text(), replace, name);
  if (!error.empty()) return ctx.fail(error);
  ctx.reply.bulk(name);
  return Outcome::done;
}

Outcome function_delete(Context& ctx, Args& args) {
  if (!ctx.services.scripts->libraries().remove(args.text())) return ctx.fail("ERR Library not found");
  ctx.reply.ok();
  return Outcome::done;
}

Outcome function_flush(Context& ctx, Args& args) {
  if (args.left() > 1) {
    return ctx.fail("ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
                    "'. Try FUNCTION HELP.");
  }
  if (args.left() == 1 && !args.option("SYNC") && !args.option("ASYNC")) {
    return ctx.fail("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  }
  ctx.services.scripts->libraries().flush();
  ctx.reply.ok();
  return Outcome::done;
}

void write_flags(protocol::Reply& reply, ScriptFlag flags) {
  const auto place = reply.open();
  std::size_t count = 0;
  for (const ScriptFlagName& one : script_flag_names()) {
    if (!has(flags, one.flag)) continue;
    reply.simple(one.name);
    ++count;
  }
  reply.close_set(place, count);
}

void write_library(protocol::Reply& reply, const Library& library, bool with_code) {
  reply.map(with_code ? 4 : 3);
  reply.bulk("library_name");
  reply.bulk(library.name);
  reply.bulk("engine");
  reply.bulk("LUA");
  reply.bulk("functions");
  reply.array(library.functions.size());
  for (const ScriptEngine::Function& function : library.functions) {
    reply.map(3);
    reply.bulk("name");
    reply.bulk(function.name);
    reply.bulk("description");
    function.description ? reply.bulk(*function.description) : reply.null();
    reply.bulk("flags");
    write_flags(reply, function.flags);
  }
  if (!with_code) return;
  reply.bulk("library_code");
  reply.bulk(library.code);
}

Outcome function_list(Context& ctx, Args& args) {
  bool with_code = false;
  bool by_name = false;
  std::string_view pattern;
  while (args.left() > 0) {
    if (!with_code && args.option("WITHCODE")) {
      with_code = true;
    } else if (!by_name && args.option("LIBRARYNAME")) {
      if (args.left() == 0) return ctx.fail("ERR library name argument was not given");
      by_name = true;
      pattern = args.text();
    } else {
      return ctx.fail("ERR Unknown argument " + std::string(args.text()));
    }
  }
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  for (const auto& [name, library] : ctx.services.scripts->libraries().all()) {
    if (by_name && !base::glob_match(pattern, name, base::Case::ignored)) continue;
    write_library(ctx.reply, library, with_code);
    ++count;
  }
  ctx.reply.close_array(place, count);
  return Outcome::done;
}

void write_running(protocol::Reply& reply, const RunningScript& running) {
  reply.map(3);
  reply.bulk("name");
  reply.bulk(running.name());
  reply.bulk("command");
  reply.array(running.request().size());
  for (const std::string_view word : running.request()) reply.bulk(word);
  reply.bulk("duration_ms");
  reply.integer(running.milliseconds());
}

Outcome function_stats(Context& ctx, Args&) {
  Scripts& scripts = *ctx.services.scripts;
  const RunningScript* running = scripts.running();
  if (running != nullptr && running->kind() == RunningScript::Kind::script) return ctx.fail(running->busy_error());
  ctx.reply.map(2);
  ctx.reply.bulk("running_script");
  running != nullptr ? write_running(ctx.reply, *running) : ctx.reply.null();
  ctx.reply.bulk("engines");
  ctx.reply.map(1);
  ctx.reply.bulk("LUA");
  ctx.reply.map(2);
  ctx.reply.bulk("libraries_count");
  ctx.reply.integer(static_cast<std::int64_t>(scripts.libraries().all().size()));
  ctx.reply.bulk("functions_count");
  ctx.reply.integer(static_cast<std::int64_t>(scripts.libraries().functions()));
  return Outcome::done;
}

Outcome function_dump(Context& ctx, Args&) {
  std::vector<std::string_view> codes;
  for (const auto& [name, library] : ctx.services.scripts->libraries().all()) codes.emplace_back(library.code);
  ctx.reply.bulk(dump_libraries(codes));
  return Outcome::done;
}

Outcome function_restore(Context& ctx, Args& args) {
  if (args.left() > 2) {
    return ctx.fail("ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
                    "'. Try FUNCTION HELP.");
  }
  const std::string_view payload = args.text();
  auto policy = Libraries::Policy::append;
  if (args.option("FLUSH")) {
    policy = Libraries::Policy::flush;
  } else if (args.option("REPLACE")) {
    policy = Libraries::Policy::replace;
  } else if (args.more() && !args.option("APPEND")) {
    return ctx.fail("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
  }
  std::vector<std::string> codes;
  std::string error = read_libraries(payload, codes);
  if (error.empty()) error = ctx.services.scripts->libraries().restore(codes, policy);
  if (!error.empty()) return ctx.fail(error);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome function_kill(Context& ctx, Args&) { return kill_running(ctx, RunningScript::Kind::function); }

constexpr Flag kFcall = Flag::noscript | Flag::stale | Flag::skip_monitor | Flag::may_replicate |
                        Flag::no_mandatory_keys | Flag::movablekeys;
constexpr Flag kFcallRo =
    Flag::readonly | Flag::noscript | Flag::stale | Flag::skip_monitor | Flag::no_mandatory_keys | Flag::movablekeys;
constexpr std::string_view kEveryShard = "request_policy:all_shards response_policy:all_succeeded";

constexpr Spec kSpecs[] = {
    {.syntax = "FCALL function numkeys:integer [key ...] [arg ...]",
     .handler = fcall<false>,
     .flags = kFcall,
     .keys = keys_counted_at(2, Use::rw | Use::access | Use::update),
     .group = Group::scripting,
     .docs = {.summary = "Calls a function.", .complexity = "Depends on the function", .since = "7.0.0"},
     .key_notes = "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"},
    {.syntax = "FCALL_RO function numkeys:integer [key ...] [arg ...]",
     .handler = fcall<true>,
     .flags = kFcallRo,
     .keys = keys_counted_at(2, Use::ro | Use::access),
     .group = Group::scripting,
     .docs = {.summary = "Calls a function that only reads.",
              .complexity = "Depends on the function",
              .since = "7.0.0"},
     .key_notes = "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"},
    {.syntax = "FUNCTION",
     .group = Group::scripting,
     .docs = {.summary = "Commands about functions.", .complexity = "Depends on the subcommand", .since = "7.0.0"},
     .arity = -2},
    {.syntax = "FUNCTION LOAD [REPLACE] function-code",
     .handler = function_load,
     .flags = Flag::write | Flag::denyoom | Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Adds a library of functions.", .complexity = "O(1), and its code runs", .since = "7.0.0"},
     .tips = kEveryShard},
    {.syntax = "FUNCTION DELETE library-name",
     .handler = function_delete,
     .flags = Flag::write | Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Removes a library and its functions.", .complexity = "O(1)", .since = "7.0.0"},
     .tips = kEveryShard},
    {.syntax = "FUNCTION FLUSH [ASYNC | SYNC]",
     .handler = function_flush,
     .flags = Flag::write | Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Removes all libraries.", .complexity = "O(N), N functions", .since = "7.0.0"},
     .tips = kEveryShard},
    {.syntax = "FUNCTION LIST [LIBRARYNAME library-name-pattern] [WITHCODE]",
     .handler = function_list,
     .flags = Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Lists the libraries.", .complexity = "O(N), N functions", .since = "7.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "FUNCTION DUMP",
     .handler = function_dump,
     .flags = Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Returns all libraries in one piece.", .complexity = "O(N), N functions", .since = "7.0.0"}},
    {.syntax = "FUNCTION RESTORE serialized-value [FLUSH | APPEND | REPLACE]",
     .handler = function_restore,
     .flags = Flag::write | Flag::denyoom | Flag::noscript,
     .group = Group::scripting,
     .docs = {.summary = "Adds what FUNCTION DUMP gave.", .complexity = "O(N), N functions", .since = "7.0.0"},
     .tips = kEveryShard},
    {.syntax = "FUNCTION STATS",
     .handler = function_stats,
     .flags = Flag::noscript | Flag::allow_busy,
     .group = Group::scripting,
     .docs = {.summary = "Tells which function runs, and how many there are.", .complexity = "O(1)", .since = "7.0.0"},
     .tips = "nondeterministic_output request_policy:all_shards response_policy:special"},
    {.syntax = "FUNCTION KILL",
     .handler = function_kill,
     .flags = Flag::noscript | Flag::allow_busy,
     .group = Group::scripting,
     .docs = {.summary = "Ends the function that runs, if it has written nothing.",
              .complexity = "O(1)",
              .since = "7.0.0"},
     .tips = "request_policy:all_shards response_policy:one_succeeded"},
    {.syntax = "FUNCTION HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::scripting,
     .docs = {.summary = "Prints this help.", .complexity = "O(1)", .since = "7.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> scripting_function_commands() { return kSpecs; }

}  // namespace fairlane::command
