// set.cpp - sets: members in and out, membership, and what is in them.
#include "command/groups.hpp"
#include "command/scan_options.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {
namespace {

using data::Set;

Outcome sadd(Context& ctx, Args& args) {
  auto set = ctx.keys.upsert<Set>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  std::int64_t added = 0;
  for (const std::string_view member : args.rest()) added += set->add(member, ctx.services.settings.set) ? 1 : 0;
  if (added != 0) set.commit(engine::events::kSAdd);
  ctx.reply.integer(added);
  return Outcome::done;
}

Outcome srem(Context& ctx, Args& args) {
  auto set = ctx.keys.edit<Set>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  std::int64_t removed = 0;
  if (!set.absent()) {
    for (const std::string_view member : args.rest()) removed += set->erase(member) ? 1 : 0;
    if (removed != 0) set.commit(engine::events::kSRem);
  }
  ctx.reply.integer(removed);
  return Outcome::done;
}

Outcome scard(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<Set>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(set.absent() ? 0 : static_cast<std::int64_t>(set->size()));
  return Outcome::done;
}

Outcome sismember(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<Set>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(!set.absent() && set->contains(args.text()) ? 1 : 0);
  return Outcome::done;
}

Outcome smismember(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<Set>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.array(args.left());
  for (const std::string_view member : args.rest()) {
    ctx.reply.integer(!set.absent() && set->contains(member) ? 1 : 0);
  }
  return Outcome::done;
}

void reply_all(Context& ctx, const Set& set) {
  ctx.reply.set(set.size());
  set.for_each([&](std::string_view member) { ctx.reply.bulk(member); });
}

Outcome smembers(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<Set>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent()) {
    ctx.reply.set(0);
  } else {
    reply_all(ctx, *set);
  }
  return Outcome::done;
}

/// Both sets are there, or `to` is still to be made.
void move_member(Context& ctx, engine::Edit<Set>& from, std::string_view to, std::string_view member) {
  from.commit(engine::events::kSRem);
  auto target = ctx.keys.upsert<Set>(to);
  if (target->add(member, ctx.services.settings.set)) target.commit(engine::events::kSAdd);
}

Outcome smove(Context& ctx, Args& args) {
  const std::string_view source = args.text();
  const std::string_view destination = args.text();
  const std::string_view member = args.text();
  auto from = ctx.keys.edit<Set>(source);
  if (from.absent()) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  if (from.wrong_type()) return ctx.fail(errors::kWrongType);
  if (source == destination) {
    ctx.reply.integer(from.peek().contains(member) ? 1 : 0);
    return Outcome::done;
  }
  if (ctx.keys.edit<Set>(destination).wrong_type()) return ctx.fail(errors::kWrongType);
  const bool moved = from->erase(member);
  if (moved) move_member(ctx, from, destination, member);
  ctx.reply.integer(moved ? 1 : 0);
  return Outcome::done;
}

Outcome sscan(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const auto cursor = parse_cursor(args.text());
  if (!cursor) return ctx.fail(errors::kBadCursor);
  const auto set = ctx.keys.find<Set>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  // An absent key is answered before the options are looked at.
  const auto options = set.absent() ? ScanOptions{} : take_scan_options(args);
  if (!args.ok()) return ctx.fail(args.error());
  const auto elements = ctx.reply.open();
  std::size_t found = 0;
  std::uint64_t next = 0;
  if (!set.absent()) {
    next = set->scan(*cursor, options.count, [&](std::string_view member) {
      if (!options.wants(member)) return;
      ctx.reply.bulk(member);
      ++found;
    });
  }
  close_scan(ctx.reply, elements, next, found);
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "SADD key member [member ...]",
     .handler = sadd,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::insert),
     .group = Group::set,
     .docs = {.summary = "Adds members to a set, which is made when there is none.",
              .complexity = "O(1) a member",
              .since = "1.0.0"}},
    {.syntax = "SREM key member [member ...]",
     .handler = srem,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::set,
     .docs = {.summary = "Removes members from a set.", .complexity = "O(1) a member", .since = "1.0.0"}},
    {.syntax = "SCARD key",
     .handler = scard,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .group = Group::set,
     .docs = {.summary = "Counts the members of a set.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SISMEMBER key member",
     .handler = sismember,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .group = Group::set,
     .docs = {.summary = "Tells whether a set has a member.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SMISMEMBER key member [member ...]",
     .handler = smismember,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::set,
     .docs = {.summary = "Tells for each of several members whether a set has it.",
              .complexity = "O(1) a member",
              .since = "6.2.0"}},
    {.syntax = "SMEMBERS key",
     .handler = smembers,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::set,
     .docs = {.summary = "Returns all members of a set.", .complexity = "O(N), N members", .since = "1.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "SMOVE source:key destination:key member",
     .handler = smove,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del).and_(key_at(2, Use::rw | Use::insert)),
     .group = Group::set,
     .docs = {.summary = "Moves a member from one set to another.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SSCAN key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
     .handler = sscan,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::set,
     .docs = {.summary = "Walks through the members of a set, some at each call.",
              .complexity = "O(1) a call, O(N) for the whole walk",
              .since = "2.8.0"},
     .tips = "nondeterministic_output"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> set_commands() { return kSpecs; }

}  // namespace fairlane::command
