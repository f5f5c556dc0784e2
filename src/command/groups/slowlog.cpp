// slowlog.cpp - SLOWLOG: the requests that took longest.
#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/slow_log.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

constexpr std::int64_t kDefaultCount = 10;
constexpr std::string_view kBadCount = "ERR count should be greater than or equal to -1";

void reply_entry(protocol::Reply& reply, const SlowLog::Entry& entry) {
  reply.array(6);
  reply.integer(entry.id);
  reply.integer(entry.unix_seconds);
  reply.integer(entry.micros);
  reply.array(entry.words.size());
  for (const std::string& word : entry.words) reply.bulk(word);
  reply.bulk(entry.address);
  reply.bulk(entry.client_name);
}

Outcome get(Context& ctx, Args& args) {
  if (args.left() > 1) {
    return ctx.fail("ERR unknown subcommand or wrong number of arguments for '" + std::string(ctx.request[1]) +
                    "'. Try SLOWLOG HELP.");
  }
  const std::int64_t wanted = args.more() ? args.integer_in(-1, INT64_MAX, kBadCount, kBadCount) : kDefaultCount;
  if (!args.ok()) return ctx.fail(args.error());
  const auto& entries = ctx.services.slow_log->entries();
  // -1, as an unsigned number, is more than there can be.
  const std::size_t count = std::min(static_cast<std::size_t>(wanted), entries.size());
  ctx.reply.array(count);
  for (std::size_t i = 0; i < count; ++i) reply_entry(ctx.reply, entries[i]);
  return Outcome::done;
}

Outcome length(Context& ctx, Args&) {
  ctx.reply.integer(static_cast<std::int64_t>(ctx.services.slow_log->entries().size()));
  return Outcome::done;
}

Outcome reset(Context& ctx, Args&) {
  ctx.services.slow_log->clear();
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Flag kFlags = Flag::admin | Flag::loading | Flag::stale;

constexpr Spec kSpecs[] = {
    {.syntax = "SLOWLOG",
     .group = Group::server,
     .docs = {.summary = "Contains the commands of the slow log.",
              .complexity = "Depends on the subcommand",
              .since = "2.2.12"},
     .arity = -2},
    {.syntax = "SLOWLOG GET [count:integer]",
     .handler = get,
     .flags = kFlags,
     .group = Group::server,
     .docs = {.summary = "Answers the newest entries, ten unless told otherwise; -1 for all.",
              .complexity = "O(N), N entries answered",
              .since = "2.2.12"},
     .tips = "request_policy:all_nodes nondeterministic_output"},
    {.syntax = "SLOWLOG HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "6.2.0"}},
    {.syntax = "SLOWLOG LEN",
     .handler = length,
     .flags = kFlags,
     .group = Group::server,
     .docs = {.summary = "Tells how many entries there are.", .complexity = "O(1)", .since = "2.2.12"},
     .tips = "request_policy:all_nodes response_policy:agg_sum nondeterministic_output"},
    {.syntax = "SLOWLOG RESET",
     .handler = reset,
     .flags = kFlags,
     .group = Group::server,
     .docs = {.summary = "Drops all entries.", .complexity = "O(N), N entries", .since = "2.2.12"},
     .tips = "request_policy:all_nodes response_policy:all_succeeded"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> slowlog_commands() { return kSpecs; }

}  // namespace fairlane::command
