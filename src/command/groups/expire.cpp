// expire.cpp - how long keys live.
#include <algorithm>
#include <string>

#include "command/deadline.hpp"
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

namespace events = engine::events;
using From = TimeForm::From;
using Unit = TimeForm::Unit;

/// False with an error in the context.
bool parse_conditions(Context& ctx, Args& args, DeadlineConditions& conditions) {
  while (args.more()) {
    if (conditions.take(args)) continue;
    const std::string_view word = args.text();
    static_cast<void>(ctx.fail("ERR Unsupported option " + std::string(word.substr(0, word.find('\0')))));
    return false;
  }
  std::string_view error;
  if (conditions.without && (conditions.with || conditions.later || conditions.earlier)) {
    error = "ERR NX and XX, GT or LT options at the same time are not compatible";
  } else if (conditions.later && conditions.earlier) {
    error = "ERR GT and LT options at the same time are not compatible";
  }
  if (!error.empty()) static_cast<void>(ctx.fail(error));
  return error.empty();
}

Outcome reply_one_or_zero(Context& ctx, bool one) {
  ctx.reply.integer(one ? 1 : 0);
  return Outcome::done;
}

Outcome set_deadline(Context& ctx, Args& args, TimeForm form) {
  const std::string_view key = args.text();
  const std::string_view time = args.text();
  DeadlineConditions conditions;
  if (!parse_conditions(ctx, args, conditions)) return Outcome::failed;
  const auto when = parse_deadline(ctx, time, form, Times::any);
  if (!when) return Outcome::failed;
  auto deadline = ctx.keys.edit_deadline(key);
  if (deadline.absent() || !conditions.hold(deadline.when(), *when)) return reply_one_or_zero(ctx, false);
  if (*when <= ctx.now) {
    ctx.keys.erase(key);
  } else {
    deadline.set(*when);
    ctx.keys.published(key, events::kExpire);
  }
  return reply_one_or_zero(ctx, true);
}

Outcome expire(Context& ctx, Args& args) { return set_deadline(ctx, args, kSeconds); }
Outcome pexpire(Context& ctx, Args& args) { return set_deadline(ctx, args, kMillis); }
Outcome expireat(Context& ctx, Args& args) { return set_deadline(ctx, args, kUnixSeconds); }
Outcome pexpireat(Context& ctx, Args& args) { return set_deadline(ctx, args, kUnixMillis); }

Outcome reply_deadline(Context& ctx, Args& args, TimeForm form) {
  const engine::Entry* entry = ctx.keys.inspect(args.text());
  if (entry == nullptr || !entry->has_deadline()) {
    ctx.reply.integer(entry == nullptr ? -2 : -1);
    return Outcome::done;
  }
  std::int64_t time = entry->deadline();
  if (form.from == From::now) time = std::max<std::int64_t>(time - ctx.now, 0);
  if (form.unit == Unit::seconds) time = time / 1000 + (time % 1000 >= 500 ? 1 : 0);
  ctx.reply.integer(time);
  return Outcome::done;
}

Outcome ttl(Context& ctx, Args& args) { return reply_deadline(ctx, args, kSeconds); }
Outcome pttl(Context& ctx, Args& args) { return reply_deadline(ctx, args, kMillis); }
Outcome expiretime(Context& ctx, Args& args) { return reply_deadline(ctx, args, kUnixSeconds); }
Outcome pexpiretime(Context& ctx, Args& args) { return reply_deadline(ctx, args, kUnixMillis); }

Outcome persist(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  auto deadline = ctx.keys.edit_deadline(key);
  const bool persists = !deadline.absent() && deadline.clear();
  if (persists) ctx.keys.published(key, events::kPersist);
  return reply_one_or_zero(ctx, persists);
}

constexpr Flag kWrites = Flag::write | Flag::fast;
constexpr Flag kReads = Flag::readonly | Flag::fast;
constexpr Keys kChanged = key_at(1, Use::rw | Use::update);
constexpr Keys kRead = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "EXPIRE key seconds:integer [NX | XX | GT | LT]",
     .handler = expire,
     .flags = kWrites,
     .keys = kChanged,
     .docs = {.summary = "Lets a key live for some seconds.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::keyspace},
    {.syntax = "PEXPIRE key milliseconds:integer [NX | XX | GT | LT]",
     .handler = pexpire,
     .flags = kWrites,
     .keys = kChanged,
     .docs = {.summary = "Lets a key live for some milliseconds.", .complexity = "O(1)", .since = "2.6.0"},
     .categories = Category::keyspace},
    {.syntax = "EXPIREAT key unix-time-seconds:unix-time [NX | XX | GT | LT]",
     .handler = expireat,
     .flags = kWrites,
     .keys = kChanged,
     .docs = {.summary = "Lets a key live up to an instant in seconds.", .complexity = "O(1)", .since = "1.2.0"},
     .categories = Category::keyspace},
    {.syntax = "PEXPIREAT key unix-time-milliseconds:unix-time [NX | XX | GT | LT]",
     .handler = pexpireat,
     .flags = kWrites,
     .keys = kChanged,
     .docs = {.summary = "Lets a key live up to an instant in milliseconds.", .complexity = "O(1)", .since = "2.6.0"},
     .categories = Category::keyspace},
    {.syntax = "TTL key",
     .handler = ttl,
     .flags = kReads,
     .keys = kRead,
     .docs = {.summary = "Returns how many seconds a key has left.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "PTTL key",
     .handler = pttl,
     .flags = kReads,
     .keys = kRead,
     .docs = {.summary = "Returns how many milliseconds a key has left.", .complexity = "O(1)", .since = "2.6.0"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "EXPIRETIME key",
     .handler = expiretime,
     .flags = kReads,
     .keys = kRead,
     .docs = {.summary = "Returns the instant, in seconds, up to which a key lives.",
              .complexity = "O(1)",
              .since = "7.0.0"},
     .categories = Category::keyspace},
    {.syntax = "PEXPIRETIME key",
     .handler = pexpiretime,
     .flags = kReads,
     .keys = kRead,
     .docs = {.summary = "Returns the instant, in milliseconds, up to which a key lives.",
              .complexity = "O(1)",
              .since = "7.0.0"},
     .categories = Category::keyspace},
    {.syntax = "PERSIST key",
     .handler = persist,
     .flags = kWrites,
     .keys = kChanged,
     .docs = {.summary = "Lets a key live for ever.", .complexity = "O(1)", .since = "2.2.0"},
     .categories = Category::keyspace},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> expire_commands() { return kSpecs; }

}  // namespace fairlane::command
