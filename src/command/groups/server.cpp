// server.cpp - the server as a whole: its time and role, its end, and the saving and copying that it does not do.
#include "command/groups.hpp"
#include "command/script/running_script.hpp"
#include "command/timeout.hpp"
#include "fairlane/base/log.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/version.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kMemoryOnly = "ERR Fairlane keeps its data in memory only: there is nothing to save it to";
constexpr std::string_view kBadMasterPort = "ERR Invalid master port";

Outcome time(Context& ctx, Args&) {
  constexpr std::int64_t kMicros = 1'000'000;
  const std::int64_t now = ctx.services.clock.wall_micros();
  ctx.reply.array(2);
  ctx.reply.bulk_integer(now / kMicros);
  ctx.reply.bulk_integer(now % kMicros);
  return Outcome::done;
}

Outcome role(Context& ctx, Args&) {
  ctx.reply.array(3);
  ctx.reply.bulk("master");
  ctx.reply.integer(0);
  ctx.reply.array(0);
  return Outcome::done;
}

/// There are no replicas: any number of them above none is waited for in vain.
Outcome wait(Context& ctx, Args& args) {
  // redis-server keeps the low 32 bits of the number.
  const auto replicas = static_cast<std::int32_t>(args.integer());
  const std::int64_t timeout = args.integer(errors::kTimeoutNotInteger);
  if (!args.ok()) return ctx.fail(args.error());
  if (timeout < 0) return ctx.fail(errors::kTimeoutNegative);
  if (replicas <= 0 || !ctx.may_wait) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  const std::int64_t bounded = timeout > INT64_MAX - ctx.now ? 0 : timeout;
  return ctx.wait({}, bounded, [](protocol::Reply& reply) { reply.integer(0); });
}

Outcome lolwut(Context& ctx, Args& args) {
  // The pictures of versions 5 and 6 take numbers that tell their size.
  if (args.option_with("VERSION", 1)) {
    const std::int64_t version = args.integer();
    for (int sizes = version == 5 ? 3 : version == 6 ? 2 : 0; sizes > 0 && args.more(); --sizes) args.integer();
  }
  if (!args.ok()) return ctx.fail(args.error());
  std::string text = "Redis ver. ";
  ctx.reply.verbatim("txt", text.append(kRedisVersion).append("\n"));
  return Outcome::done;
}

Outcome shutdown(Context& ctx, Args& args) {
  bool save = false;
  bool discard = false;
  bool other = false;
  bool abort = false;
  while (args.more()) {
    if (args.option("SAVE")) {
      save = true;
    } else if (args.option("NOSAVE")) {
      discard = true;
    } else if (args.option("NOW") || args.option("FORCE")) {
      other = true;
    } else if (args.option("ABORT")) {
      abort = true;
    } else {
      return ctx.fail(errors::kSyntax);
    }
  }
  if ((abort && (save || discard || other)) || (save && discard)) return ctx.fail(errors::kSyntax);
  if (abort) return ctx.fail("ERR No shutdown in progress.");
  const RunningScript* script = ctx.services.scripts->running();
  if (script != nullptr && !discard) return ctx.fail(script->busy_error());
  ctx.session.close_after_reply = true;
  ctx.services.host->shut_down();
  return Outcome::done;
}

Outcome save(Context& ctx, Args&) { return ctx.fail(kMemoryOnly); }

Outcome bgsave(Context& ctx, Args& args) {
  if (args.more() && !(args.option("SCHEDULE") && !args.more())) return ctx.fail(errors::kSyntax);
  return ctx.fail(kMemoryOnly);
}

Outcome lastsave(Context& ctx, Args&) {
  ctx.reply.integer(base::unix_millis(ctx.services.facts.started) / 1000);
  return Outcome::done;
}

Outcome replicaof(Context& ctx, Args& args) {
  constexpr std::int64_t kPortMost = 65535;
  const std::string_view host = args.text();
  const std::string_view port = args.text();
  if (base::equal_ignoring_case(host, "no") && base::equal_ignoring_case(port, "one")) {
    ctx.reply.ok();
    return Outcome::done;
  }
  const auto number = base::parse_integer(port);
  if (!number || *number < 0 || *number > kPortMost) return ctx.fail(kBadMasterPort);
  return ctx.fail("ERR Fairlane does not copy other servers");
}

constexpr Flag kAdmin = Flag::admin | Flag::noscript;
constexpr Docs kReplicaDocs = {.summary = "Stops copying another server (NO ONE); copying is not supported.",
                               .complexity = "O(1)",
                               .since = "5.0.0"};

constexpr Spec kSpecs[] = {
    {.syntax = "TIME",
     .handler = time,
     .flags = Flag::loading | Flag::stale | Flag::fast,
     .group = Group::server,
     .docs = {.summary = "Returns the server's time: seconds since 1970, and microseconds.",
              .complexity = "O(1)",
              .since = "2.6.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "ROLE",
     .handler = role,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::fast,
     .group = Group::server,
     .docs = {.summary = "Returns the part that the server plays in replication.",
              .complexity = "O(1)",
              .since = "2.8.12"},
     .categories = Category::admin | Category::dangerous},
    {.syntax = "WAIT numreplicas:integer timeout:integer",
     .handler = wait,
     .flags = Flag::noscript,
     .group = Group::generic,
     .docs = {.summary = "Waits until so many replicas have the client's writes, and returns how many have.",
              .complexity = "O(1)",
              .since = "3.0.0"},
     .categories = Category::connection,
     .tips = "request_policy:all_shards response_policy:agg_min"},
    {.syntax = "LOLWUT [VERSION version:integer]",
     .handler = lolwut,
     .flags = Flag::readonly | Flag::fast,
     .group = Group::server,
     .docs = {.summary = "Returns the version.", .complexity = "", .since = "5.0.0"}},
    {.syntax = "SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
     .handler = shutdown,
     .flags = kAdmin | Flag::loading | Flag::stale | Flag::no_multi | Flag::allow_busy,
     .group = Group::server,
     .docs = {.summary = "Ends the server.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SAVE",
     .handler = save,
     .flags = kAdmin | Flag::no_async_loading | Flag::no_multi,
     .group = Group::server,
     .docs = {.summary = "Would save the data; refused, as data stays in memory.",
              .complexity = "O(1)",
              .since = "1.0.0"}},
    {.syntax = "BGSAVE [SCHEDULE]",
     .handler = bgsave,
     .flags = kAdmin | Flag::no_async_loading,
     .group = Group::server,
     .docs = {.summary = "Would save the data in the background; refused, as data stays in memory.",
              .complexity = "O(1)",
              .since = "1.0.0"}},
    {.syntax = "LASTSAVE",
     .handler = lastsave,
     .flags = Flag::loading | Flag::stale | Flag::fast,
     .group = Group::server,
     .docs = {.summary = "Returns the second of the last save, which is that of the start.",
              .complexity = "O(1)",
              .since = "1.0.0"},
     .categories = Category::admin | Category::dangerous,
     .tips = "nondeterministic_output"},
    {.syntax = "BGREWRITEAOF",
     .handler = save,
     .flags = kAdmin | Flag::no_async_loading,
     .group = Group::server,
     .docs = {.summary = "Would rewrite the log of changes; refused, as data stays in memory.",
              .complexity = "O(1)",
              .since = "1.0.0"}},
    {.syntax = "REPLICAOF <host port:integer | NO ONE>",
     .handler = replicaof,
     .flags = kAdmin | Flag::stale | Flag::no_async_loading,
     .group = Group::server,
     .docs = kReplicaDocs},
    {.syntax = "SLAVEOF <host port:integer | NO ONE>",
     .handler = replicaof,
     .flags = kAdmin | Flag::stale | Flag::no_async_loading,
     .group = Group::server,
     .docs = {.summary = kReplicaDocs.summary,
              .complexity = "O(1)",
              .since = "1.0.0",
              .deprecated_since = "5.0.0",
              .replaced_by = "`REPLICAOF`"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> server_commands() { return kSpecs; }

}  // namespace fairlane::command
