// connection.cpp - what a client says about its connection: hello, authentication, database, farewell.
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

Outcome ping(Context& ctx, Args& args) {
  if (ctx.request.size() > 2) return ctx.fail("ERR wrong number of arguments for 'ping' command");
  if (ctx.session.push_only()) {
    ctx.reply.array(2);
    ctx.reply.bulk("pong");
    ctx.reply.bulk(args.more() ? args.text() : std::string_view());
    return Outcome::done;
  }
  if (args.more()) {
    ctx.reply.bulk(args.text());
  } else {
    ctx.reply.simple("PONG");
  }
  return Outcome::done;
}

Outcome echo(Context& ctx, Args& args) {
  ctx.reply.bulk(args.text());
  return Outcome::done;
}

Outcome select(Context& ctx, Args& args) {
  const std::int64_t index = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  if (index < 0 || index >= static_cast<std::int64_t>(ctx.services.keyspace.count())) return ctx.fail(errors::kBadDb);
  ctx.session.db = static_cast<engine::DbIndex>(index);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome quit(Context& ctx, Args&) {
  ctx.reply.ok();
  ctx.session.close_after_reply = true;
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "PING [message]",
     .handler = ping,
     .flags = Flag::fast | Flag::when_subscribed,
     .group = Group::connection,
     .docs = {.summary = "Answers PONG, or the message given.", .complexity = "O(1)", .since = "1.0.0"},
     .tips = "request_policy:all_shards response_policy:all_succeeded"},
    {.syntax = "ECHO message",
     .handler = echo,
     .flags = Flag::loading | Flag::stale | Flag::fast,
     .group = Group::connection,
     .docs = {.summary = "Answers the message given.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SELECT index:integer",
     .handler = select,
     .flags = Flag::loading | Flag::stale | Flag::fast,
     .group = Group::connection,
     .docs = {.summary = "Changes the connection's database.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "QUIT",
     .handler = quit,
     .flags = Flag::noscript | Flag::loading | Flag::stale | Flag::fast | Flag::no_auth | Flag::allow_busy |
              Flag::when_subscribed | Flag::not_queued,
     .group = Group::connection,
     .docs = {.summary = "Closes the connection.", .complexity = "O(1)", .since = "1.0.0"},
     .arity = -1},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> connection_commands() { return kSpecs; }

}  // namespace fairlane::command
