// client.cpp - CLIENT: connections seen from outside, and what a client says about itself.
#include <algorithm>
#include <optional>
#include <string>

#include "command/acl/user.hpp"
#include "command/client_info.hpp"
#include "command/groups.hpp"
#include "command/help.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/command/users.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kBadId = "ERR client-id should be greater than 0";
constexpr std::string_view kNoSuchClient = "ERR No such client";

std::string quoting(std::string_view before, std::string_view word, std::string_view after) {
  return std::string(before).append(word).append(after);
}

/// A subcommand with more words than it knows, where the arity leaves the number open.
Outcome too_many_words(Context& ctx) {
  return ctx.fail(quoting("ERR unknown subcommand or wrong number of arguments for '", ctx.request[1].substr(0, 128),
                          "'. Try CLIENT HELP."));
}

Outcome unknown_type(Context& ctx, std::string_view type) {
  return ctx.fail(quoting("ERR Unknown client type '", type, "'"));
}

/// ON or OFF, for the switches.
Outcome set_switch(Context& ctx, Args& args, bool& value) {
  const std::string_view word = args.text();
  const bool on = base::equal_ignoring_case(word, "on");
  if (!on && !base::equal_ignoring_case(word, "off")) return ctx.fail(errors::kSyntax);
  value = on;
  ctx.reply.ok();
  return Outcome::done;
}

std::size_t bytes_of(std::span<const std::string_view> words) noexcept {
  std::size_t bytes = 0;
  for (const std::string_view word : words) bytes += word.size();
  return bytes;
}

void describe_line(Context& ctx, const Session& session, std::string& text) {
  const std::size_t arguments = &session == &ctx.session ? bytes_of(ctx.request) : 0;
  describe(session, base::from_unix_millis(ctx.now), arguments, text);
  text += '\n';
}

// --- about oneself

Outcome client_id(Context& ctx, Args&) {
  ctx.reply.integer(static_cast<std::int64_t>(ctx.session.id));
  return Outcome::done;
}

Outcome client_getname(Context& ctx, Args&) {
  if (ctx.session.name.empty()) {
    ctx.reply.null();
  } else {
    ctx.reply.bulk(ctx.session.name);
  }
  return Outcome::done;
}

Outcome client_setname(Context& ctx, Args& args) {
  const std::string_view name = args.text();
  if (!valid_client_name(name)) return ctx.fail(kBadClientName);
  ctx.session.name = name;
  ctx.reply.ok();
  return Outcome::done;
}

Outcome client_setinfo(Context& ctx, Args& args) {
  const std::string_view attribute = args.text();
  const std::string_view value = args.text();
  const bool is_name = base::equal_ignoring_case(attribute, "lib-name");
  if (!is_name && !base::equal_ignoring_case(attribute, "lib-ver")) {
    return ctx.fail(quoting("ERR Unrecognized option '", attribute, "'"));
  }
  if (!valid_client_name(value)) {
    return ctx.fail(quoting("ERR ", attribute, " cannot contain spaces, newlines or special characters."));
  }
  (is_name ? ctx.session.library_name : ctx.session.library_version) = value;
  ctx.reply.ok();
  return Outcome::done;
}

Outcome client_info(Context& ctx, Args&) {
  std::string text;
  describe_line(ctx, ctx.session, text);
  ctx.reply.verbatim("txt", text);
  return Outcome::done;
}

Outcome client_no_evict(Context& ctx, Args& args) { return set_switch(ctx, args, ctx.session.no_evict); }
Outcome client_no_touch(Context& ctx, Args& args) { return set_switch(ctx, args, ctx.session.no_touch); }

Outcome client_reply(Context& ctx, Args& args) {
  const std::string_view word = args.text();
  ReplyMode& mode = ctx.session.reply_mode;
  if (base::equal_ignoring_case(word, "on")) {
    mode = ReplyMode::on;
    ctx.reply.ok();
  } else if (base::equal_ignoring_case(word, "off")) {
    mode = ReplyMode::off;
  } else if (base::equal_ignoring_case(word, "skip")) {
    if (mode != ReplyMode::off) mode = ReplyMode::skip_next;
  } else {
    return ctx.fail(errors::kSyntax);
  }
  return Outcome::done;
}

// --- about others

Outcome list_by_id(Context& ctx, Args& args) {
  std::string text;
  while (args.more()) {
    const std::int64_t id = args.integer("ERR Invalid client ID");
    if (!args.ok()) return ctx.fail(args.error());
    const Session* session = ctx.services.sessions.find(static_cast<SessionId>(id));
    if (session != nullptr) describe_line(ctx, *session, text);
  }
  ctx.reply.verbatim("txt", text);
  return Outcome::done;
}

Outcome client_list(Context& ctx, Args& args) {
  if (args.option_with("ID", 1)) return list_by_id(ctx, args);
  std::optional<ClientType> type;
  if (args.left() == 2 && args.option("TYPE")) {
    const std::string_view name = args.text();
    type = parse_client_type(name);
    if (!type) return unknown_type(ctx, name);
  }
  if (args.more()) return ctx.fail(errors::kSyntax);
  std::string text;
  ctx.services.sessions.for_each([&](const Session& session) {
    if (!type || is_type(session, *type)) describe_line(ctx, session, text);
  });
  ctx.reply.verbatim("txt", text);
  return Outcome::done;
}

/// Which clients CLIENT KILL ends: those that agree with everything that was named.
struct Filter {
  std::optional<std::string_view> address;
  std::optional<std::string_view> local_address;
  const User* user = nullptr;  // null: any
  std::optional<ClientType> type;
  SessionId id = 0;  ///< 0: any
  bool skip_me = true;

  bool matches(const Session& session) const noexcept {
    if (address && session.peer.address != *address) return false;
    if (local_address && session.peer.local_address != *local_address) return false;
    if (user != nullptr && session.user != user) return false;
    if (type && !is_type(session, *type)) return false;
    return id == 0 || session.id == id;
  }
};

/// Reads one option and its value; gives the error, or nothing.
std::string read_filter(const Users& users, Args& args, Filter& filter) {
  if (args.option_with("ID", 1)) {
    const std::int64_t id = args.integer_in(1, INT64_MAX, kBadId, kBadId);
    filter.id = static_cast<SessionId>(id);
    return std::string(args.error());
  }
  if (args.option_with("TYPE", 1)) {
    const std::string_view name = args.text();
    filter.type = parse_client_type(name);
    return filter.type ? std::string() : quoting("ERR Unknown client type '", name, "'");
  }
  if (args.option_with("USER", 1)) {
    const std::string_view name = args.text();
    filter.user = users.find(name);
    return filter.user != nullptr ? std::string() : quoting("ERR No such user '", name, "'");
  }
  if (args.option_with("ADDR", 1)) {
    filter.address = args.text();
  } else if (args.option_with("LADDR", 1)) {
    filter.local_address = args.text();
  } else if (args.option_with("SKIPME", 1)) {
    filter.skip_me = args.option("YES");
    if (!filter.skip_me && !args.option("NO")) return std::string(errors::kSyntax);
  } else {
    return std::string(errors::kSyntax);
  }
  return {};
}

/// Ends the matching clients, oneself after the reply; returns how many.
std::int64_t kill(Context& ctx, const Filter& filter) {
  std::vector<SessionId> others;
  bool oneself = false;
  ctx.services.sessions.for_each([&](const Session& session) {
    if (!filter.matches(session)) return;
    if (&session != &ctx.session) {
      others.push_back(session.id);
    } else if (!filter.skip_me) {
      oneself = true;
    }
  });
  for (const SessionId id : others) ctx.services.executor->drop(*ctx.services.sessions.find(id));
  if (oneself) ctx.session.close_after_reply = true;
  return static_cast<std::int64_t>(others.size()) + (oneself ? 1 : 0);
}

Outcome client_kill(Context& ctx, Args& args) {
  Filter filter;
  if (args.left() == 1) {
    filter.address = args.text();
    filter.skip_me = false;
    if (kill(ctx, filter) == 0) return ctx.fail(kNoSuchClient);
    ctx.reply.ok();
    return Outcome::done;
  }
  while (args.more()) {
    if (const std::string error = read_filter(*ctx.services.users, args, filter); !error.empty())
      return ctx.fail(error);
  }
  ctx.reply.integer(kill(ctx, filter));
  return Outcome::done;
}

Outcome client_pause(Context& ctx, Args& args) {
  if (args.left() > 2) return too_many_words(ctx);
  bool writes_only = false;
  if (args.left() == 2) {
    const std::string_view mode = args.rest()[1];
    writes_only = base::equal_ignoring_case(mode, "write");
    if (!writes_only && !base::equal_ignoring_case(mode, "all")) {
      return ctx.fail("ERR CLIENT PAUSE mode must be WRITE or ALL");
    }
  }
  const std::int64_t millis = args.integer_in(0, INT64_MAX, errors::kTimeoutNegative, errors::kTimeoutNotInteger);
  if (!args.ok()) return ctx.fail(args.error());
  // An end beyond what a time can be wraps around for Redis 7.0 and is over at once.
  if (millis <= INT64_MAX - ctx.now) {
    ctx.services.executor->pause(base::from_unix_millis(ctx.now + millis), writes_only);
  }
  ctx.reply.ok();
  return Outcome::done;
}

Outcome client_unpause(Context& ctx, Args&) {
  ctx.services.executor->unpause();
  ctx.reply.ok();
  return Outcome::done;
}

Outcome client_unblock(Context& ctx, Args& args) {
  if (args.left() > 2) return too_many_words(ctx);
  std::string_view error;
  if (args.left() == 2) {
    const std::string_view reason = args.rest()[1];
    if (base::equal_ignoring_case(reason, "error")) {
      error = "UNBLOCKED client unblocked via CLIENT UNBLOCK";
    } else if (!base::equal_ignoring_case(reason, "timeout")) {
      return ctx.fail("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
  }
  const std::int64_t id = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  Session* session = ctx.services.sessions.find(static_cast<SessionId>(id));
  const bool unblocked = session != nullptr && ctx.services.executor->unblock(*session, error);
  ctx.reply.integer(unblocked ? 1 : 0);
  return Outcome::done;
}

constexpr Flag kOwn = Flag::noscript | Flag::loading | Flag::stale;
constexpr Flag kOthers = kOwn | Flag::admin;
constexpr std::string_view kVaries = "nondeterministic_output";

constexpr Spec kSpecs[] = {
    {.syntax = "CLIENT",
     .group = Group::connection,
     .docs = {.summary = "Commands about client connections.",
              .complexity = "Depends on the subcommand",
              .since = "2.4.0"},
     .arity = -2},
    {.syntax = "CLIENT GETNAME",
     .handler = client_getname,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Tells the connection's name.", .complexity = "O(1)", .since = "2.6.9"}},
    {.syntax = "CLIENT ID",
     .handler = client_id,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Tells the connection's number, which is never used again.",
              .complexity = "O(1)",
              .since = "5.0.0"}},
    {.syntax = "CLIENT INFO",
     .handler = client_info,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Describes the connection in one line.", .complexity = "O(1)", .since = "6.2.0"},
     .tips = kVaries},
    {.syntax = "CLIENT KILL [address] [ID client-id:integer] [TYPE NORMAL | MASTER | SLAVE | REPLICA | PUBSUB] "
               "[USER username] [ADDR address] [LADDR address] [SKIPME YES | NO]",
     .handler = client_kill,
     .flags = kOthers,
     .group = Group::connection,
     .docs = {.summary = "Closes the connections that agree with all filters given.",
              .complexity = "O(N), N client connections",
              .since = "2.4.0"},
     .arity = -3},
    {.syntax = "CLIENT LIST [TYPE NORMAL | MASTER | REPLICA | PUBSUB] [ID client-id:integer [client-id:integer ...]]",
     .handler = client_list,
     .flags = kOthers,
     .group = Group::connection,
     .docs = {.summary = "Describes connections, one a line.",
              .complexity = "O(N), N client connections",
              .since = "2.4.0"},
     .tips = kVaries},
    {.syntax = "CLIENT NO-EVICT ON | OFF",
     .handler = client_no_evict,
     .flags = kOthers,
     .group = Group::connection,
     .docs = {.summary = "Keeps the connection from being closed for want of memory.",
              .complexity = "O(1)",
              .since = "7.0.0"}},
    {.syntax = "CLIENT NO-TOUCH ON | OFF",
     .handler = client_no_touch,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Lets the connection's commands leave the keys' last access as it is.",
              .complexity = "O(1)",
              .since = "7.2.0"}},
    {.syntax = "CLIENT PAUSE timeout:integer [WRITE | ALL]",
     .handler = client_pause,
     .flags = kOthers,
     .group = Group::connection,
     .docs = {.summary = "Holds back all commands, or those that write, for some milliseconds.",
              .complexity = "O(1)",
              .since = "2.9.50"}},
    {.syntax = "CLIENT REPLY ON | OFF | SKIP",
     .handler = client_reply,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Says whether the connection wants replies.", .complexity = "O(1)", .since = "3.2.0"}},
    {.syntax = "CLIENT SETINFO <LIB-NAME libname | LIB-VER libver>",
     .handler = client_setinfo,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Tells which library the client uses.", .complexity = "O(1)", .since = "7.2.0"},
     .arity = 4},
    {.syntax = "CLIENT SETNAME connection-name",
     .handler = client_setname,
     .flags = kOwn,
     .group = Group::connection,
     .docs = {.summary = "Names the connection; an empty name takes the name away.",
              .complexity = "O(1)",
              .since = "2.6.9"}},
    {.syntax = "CLIENT UNBLOCK client-id:integer [TIMEOUT | ERROR]",
     .handler = client_unblock,
     .flags = kOthers,
     .group = Group::connection,
     .docs = {.summary = "Ends the wait of another connection in a blocking command.",
              .complexity = "O(log(N)), N client connections",
              .since = "5.0.0"}},
    {.syntax = "CLIENT UNPAUSE",
     .handler = client_unpause,
     .flags = kOthers,
     .group = Group::connection,
     .docs = {.summary = "Lets held back commands go on.",
              .complexity = "O(N), N held back connections",
              .since = "6.2.0"}},
    {.syntax = "CLIENT HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::connection,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> client_commands() { return kSpecs; }

}  // namespace fairlane::command
