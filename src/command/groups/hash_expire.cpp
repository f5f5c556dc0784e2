// hash_expire.cpp - how long single fields of hashes live.
#include "command/deadline.hpp"
#include "command/groups.hpp"
#include "command/hash_fields.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::Hash;
namespace events = engine::events;

// What HEXPIRE, HTTL, HPERSIST and their kin answer of a field.
constexpr std::int64_t kNoField = -2;
constexpr std::int64_t kNoDeadline = -1;
constexpr std::int64_t kRefused = 0;
constexpr std::int64_t kDone = 1;
constexpr std::int64_t kErased = 2;

std::int64_t set_deadline(Hash& hash, std::string_view field, const DeadlineConditions& conditions,
                          const FieldEnd& end) {
  if (!hash.find(field)) return kNoField;
  if (!conditions.hold(hash.deadline(field), end.when())) return kRefused;
  end.apply(hash, field);
  return end.passed() ? kErased : kDone;
}

Outcome set_deadlines(Context& ctx, Args& args, TimeForm form) {
  auto hash = ctx.keys.edit<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto when = parse_field_deadline(ctx, args.text(), form);
  if (!when) return Outcome::failed;
  DeadlineConditions conditions;
  conditions.take(args);
  const auto fields = take_fields(ctx, args, "ERR Parameter `numFields` should be greater than 0");
  if (!fields) return Outcome::failed;
  const FieldEnd end(ctx, *when);
  bool changed = false;
  ctx.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    const std::int64_t result = hash.absent() ? kNoField : set_deadline(*hash, field, conditions, end);
    changed = changed || result > kRefused;
    ctx.reply.integer(result);
  }
  if (changed) hash.commit(end.event());
  return Outcome::done;
}

Outcome hexpire(Context& ctx, Args& args) { return set_deadlines(ctx, args, kSeconds); }
Outcome hpexpire(Context& ctx, Args& args) { return set_deadlines(ctx, args, kMillis); }
Outcome hexpireat(Context& ctx, Args& args) { return set_deadlines(ctx, args, kUnixSeconds); }
Outcome hpexpireat(Context& ctx, Args& args) { return set_deadlines(ctx, args, kUnixMillis); }

std::int64_t deadline_of(const Hash& hash, std::string_view field, TimeForm form, std::int64_t now) {
  const auto deadline = hash.deadline(field);
  if (!deadline) return hash.find(field) ? kNoDeadline : kNoField;
  const std::int64_t time = *deadline - (form.from == TimeForm::From::now ? now : 0);
  return form.unit == TimeForm::Unit::seconds ? (time + 999) / 1000 : time;
}

Outcome reply_deadlines(Context& ctx, Args& args, TimeForm form) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto fields = take_fields(ctx, args);
  if (!fields) return Outcome::failed;
  ctx.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    ctx.reply.integer(hash.absent() ? kNoField : deadline_of(*hash, field, form, ctx.now));
  }
  return Outcome::done;
}

Outcome httl(Context& ctx, Args& args) { return reply_deadlines(ctx, args, kSeconds); }
Outcome hpttl(Context& ctx, Args& args) { return reply_deadlines(ctx, args, kMillis); }
Outcome hexpiretime(Context& ctx, Args& args) { return reply_deadlines(ctx, args, kUnixSeconds); }
Outcome hpexpiretime(Context& ctx, Args& args) { return reply_deadlines(ctx, args, kUnixMillis); }

Outcome hpersist(Context& ctx, Args& args) {
  auto hash = ctx.keys.edit<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto fields = take_fields(ctx, args);
  if (!fields) return Outcome::failed;
  bool changed = false;
  ctx.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    const bool there = !hash.absent() && hash->find(field);
    const bool persists = there && hash->clear_deadline(field);
    changed = changed || persists;
    ctx.reply.integer(persists ? kDone : there ? kNoDeadline : kNoField);
  }
  if (changed) hash.commit(events::kHPersist);
  return Outcome::done;
}

constexpr Flag kSets = Flag::write | Flag::denyoom | Flag::fast;
constexpr Flag kReads = Flag::readonly | Flag::fast;
constexpr Keys kChanged = key_at(1, Use::rw | Use::update);
constexpr Keys kRead = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "HEXPIRE key seconds:integer [NX | XX | GT | LT] FIELDS numfields:integer field [field ...]",
     .handler = hexpire,
     .flags = kSets,
     .keys = kChanged,
     .group = Group::hash,
     .docs = {.summary = "Lets fields of a hash live for some seconds.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
    {.syntax = "HPEXPIRE key milliseconds:integer [NX | XX | GT | LT] FIELDS numfields:integer field [field ...]",
     .handler = hpexpire,
     .flags = kSets,
     .keys = kChanged,
     .group = Group::hash,
     .docs = {.summary = "Lets fields of a hash live for some milliseconds.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
    {.syntax = "HEXPIREAT key unix-time-seconds:unix-time [NX | XX | GT | LT] FIELDS numfields:integer "
               "field [field ...]",
     .handler = hexpireat,
     .flags = kSets,
     .keys = kChanged,
     .group = Group::hash,
     .docs = {.summary = "Lets fields of a hash live up to an instant in seconds.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
    {.syntax = "HPEXPIREAT key unix-time-milliseconds:unix-time [NX | XX | GT | LT] FIELDS numfields:integer "
               "field [field ...]",
     .handler = hpexpireat,
     .flags = kSets,
     .keys = kChanged,
     .group = Group::hash,
     .docs = {.summary = "Lets fields of a hash live up to an instant in milliseconds.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
    {.syntax = "HTTL key FIELDS numfields:integer field [field ...]",
     .handler = httl,
     .flags = kReads,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns how many seconds fields of a hash have left.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "HPTTL key FIELDS numfields:integer field [field ...]",
     .handler = hpttl,
     .flags = kReads,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns how many milliseconds fields of a hash have left.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "HEXPIRETIME key FIELDS numfields:integer field [field ...]",
     .handler = hexpiretime,
     .flags = kReads,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns the instants, in seconds, up to which fields of a hash live.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
    {.syntax = "HPEXPIRETIME key FIELDS numfields:integer field [field ...]",
     .handler = hpexpiretime,
     .flags = kReads,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns the instants, in milliseconds, up to which fields of a hash live.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
    {.syntax = "HPERSIST key FIELDS numfields:integer field [field ...]",
     .handler = hpersist,
     .flags = Flag::write | Flag::fast,
     .keys = kChanged,
     .group = Group::hash,
     .docs = {.summary = "Lets fields of a hash live as long as the hash.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "7.4.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> hash_expire_commands() { return kSpecs; }

}  // namespace fairlane::command
