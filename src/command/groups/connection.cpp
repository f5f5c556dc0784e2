// connection.cpp - what a client says about its connection: hello, authentication, database, farewell.
#include <climits>
#include <string>

#include "command/acl/access.hpp"
#include "command/client_info.hpp"
#include "command/groups.hpp"
#include "command/secrets.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/users.hpp"
#include "fairlane/command/version.hpp"
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

// --- logging in

Outcome log_in(Context& ctx, std::string_view user, std::string_view password) {
  if (ctx.services.users->log_in(ctx.session, user, password)) return Outcome::done;
  note_failed_login(ctx.services, ctx.session, ctx.request, user);
  return ctx.fail(errors::kWrongPass);
}

Outcome auth(Context& ctx, Args& args) {
  if (args.left() > 2) return ctx.fail(errors::kSyntax);
  if (args.left() == 1 && ctx.services.users->find(kDefaultUser)->any_password) {
    return ctx.fail(
        "ERR AUTH <password> called without any password configured for the default user. "
        "Are you sure your configuration is correct?");
  }
  const std::string_view user = args.left() == 2 ? args.text() : kDefaultUser;
  if (log_in(ctx, user, args.text()) == Outcome::failed) return Outcome::failed;
  ctx.reply.ok();
  return Outcome::done;
}

/// Logs in and sets the name as it reads: what stands before a faulty option has been done, as with Redis 7.0. The
/// protocol changes only when all is well.
Outcome follow_hello_options(Context& ctx, Args& args) {
  Session& session = ctx.session;
  while (args.more()) {
    if (args.option_with("AUTH", 2)) {
      const std::string_view user = args.text();
      if (log_in(ctx, user, args.text()) == Outcome::failed) return Outcome::failed;
    } else if (args.option_with("SETNAME", 1)) {
      const std::string_view name = args.text();
      if (!valid_client_name(name)) return ctx.fail(kBadClientName);
      session.name = name;
    } else {
      return ctx.fail("ERR Syntax error in HELLO option '" + std::string(args.text()) + "'");
    }
  }
  return Outcome::done;
}

void describe_server(Context& ctx) {
  protocol::Reply& reply = ctx.reply;
  reply.map(7);
  reply.bulk("server");
  reply.bulk("redis");
  reply.bulk("version");
  reply.bulk(kRedisVersion);
  reply.bulk("proto");
  reply.integer(reply.resp3() ? 3 : 2);
  reply.bulk("id");
  reply.integer(static_cast<std::int64_t>(ctx.session.id));
  reply.bulk("mode");
  reply.bulk("standalone");
  reply.bulk("role");
  reply.bulk("master");
  reply.bulk("modules");
  reply.array(0);
}

Outcome hello(Context& ctx, Args& args) {
  Session& session = ctx.session;
  std::int64_t version = 0;
  if (args.more()) {
    version = args.integer("ERR Protocol version is not an integer or out of range");
    if (!args.ok()) return ctx.fail(args.error());
    if (version < 2 || version > 3) return ctx.fail("NOPROTO unsupported protocol version");
  }
  if (const Outcome outcome = follow_hello_options(ctx, args); outcome != Outcome::done) return outcome;
  if (ctx.services.users->must_log_in(session)) {
    return ctx.fail(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> "
        "option can be used to authenticate the client and select the RESP protocol version at the same time");
  }
  if (version != 0) session.version = version == 3 ? protocol::Version::resp3 : protocol::Version::resp2;
  ctx.reply.set_version(session.version);
  describe_server(ctx);
  return Outcome::done;
}

// --- database, farewell

Outcome select(Context& ctx, Args& args) {
  const std::int64_t index =
      args.integer_in(INT_MIN, INT_MAX, "ERR value is out of range, value must between -2147483648 and 2147483647");
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

Outcome reset(Context& ctx, Args&) {
  Session& session = ctx.session;
  session.db = 0;
  session.version = protocol::Version::resp2;
  ctx.reply.set_version(session.version);
  ctx.services.users->log_out(session);
  ctx.services.executor->leave_registries(session);
  session.name.clear();
  if (session.reply_mode != ReplyMode::skip_this) session.reply_mode = ReplyMode::on;
  ctx.reply.simple("RESET");
  return Outcome::done;
}

constexpr Flag kAtOnce = Flag::loading | Flag::stale | Flag::fast;
constexpr Flag kAnybody = kAtOnce | Flag::noscript | Flag::no_auth | Flag::allow_busy;

constexpr Spec kSpecs[] = {
    {.syntax = "PING [message]",
     .handler = ping,
     .flags = Flag::fast | Flag::when_subscribed,
     .group = Group::connection,
     .docs = {.summary = "Answers PONG, or the message given.", .complexity = "O(1)", .since = "1.0.0"},
     .tips = "request_policy:all_shards response_policy:all_succeeded"},
    {.syntax = "ECHO message",
     .handler = echo,
     .flags = kAtOnce,
     .group = Group::connection,
     .docs = {.summary = "Answers the message given.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "AUTH [username] password",
     .handler = auth,
     .flags = kAnybody | Flag::secret,
     .group = Group::connection,
     .docs = {.summary = "Logs the connection in.", .complexity = "O(N), N passwords of the user", .since = "1.0.0"},
     .find_secrets = secrets_of_auth},
    {.syntax = "HELLO [protover:integer [AUTH username password] [SETNAME clientname]]",
     .handler = hello,
     .flags = kAnybody | Flag::secret,
     .group = Group::connection,
     .docs = {.summary = "Chooses the protocol version, and logs in and names the connection.",
              .complexity = "O(1)",
              .since = "6.0.0"},
     .find_secrets = secrets_of_hello},
    {.syntax = "SELECT index:integer",
     .handler = select,
     .flags = kAtOnce,
     .group = Group::connection,
     .docs = {.summary = "Changes the connection's database.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "QUIT",
     .handler = quit,
     .flags = kAnybody | Flag::when_subscribed | Flag::not_queued,
     .group = Group::connection,
     .docs = {.summary = "Closes the connection.", .complexity = "O(1)", .since = "1.0.0"},
     .arity = -1},
    {.syntax = "RESET",
     .handler = reset,
     .flags = kAnybody | Flag::when_subscribed | Flag::not_queued,
     .group = Group::connection,
     .docs = {.summary = "Makes the connection as it was when it was new.", .complexity = "O(1)", .since = "6.2.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> connection_commands() { return kSpecs; }

}  // namespace fairlane::command
