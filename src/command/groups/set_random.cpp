// set_random.cpp - members of a set by chance: taken out or looked at.
#include <algorithm>

#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {
namespace {

using data::Set;

/// With repetition a client may ask for more members than any memory holds; no more than these are written.
constexpr std::int64_t kMostRepeated = std::int64_t{1} << 27;
/// Up to this size a set may be walked through whatever the count: drawing one by one and remembering what was drawn
/// would cost more.
constexpr std::size_t kSmall = 512;

void reply_members(Context& ctx, const Set& set) {
  set.for_each([&](std::string_view member) { ctx.reply.bulk(member); });
}

Outcome spop_one(Context& ctx, std::string_view key) {
  auto set = ctx.keys.edit<Set>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  set->take_random(ctx.services.random, [&](std::string_view member) { ctx.reply.bulk(member); });
  set.commit(engine::events::kSPop);
  return Outcome::done;
}

Outcome spop(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  if (args.left() > 1) return ctx.fail(errors::kSyntax);
  if (!args.more()) return spop_one(ctx, key);
  const std::int64_t count = args.integer_in(0, INT64_MAX, errors::kNotPositive, errors::kNotPositive);
  if (!args.ok()) return ctx.fail(args.error());
  auto set = ctx.keys.edit<Set>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent() || count == 0) {
    ctx.reply.set(0);
    return Outcome::done;
  }
  if (static_cast<std::uint64_t>(count) >= set->size()) {
    ctx.reply.set(set->size());
    reply_members(ctx, *set);
    set->clear();
  } else {
    ctx.reply.set(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      set->take_random(ctx.services.random, [&](std::string_view member) { ctx.reply.bulk(member); });
    }
  }
  set.commit(engine::events::kSPop);
  return Outcome::done;
}

/// Walks through the set and leaves each member out with the chance that makes every choice as likely.
void reply_by_walk(Context& ctx, const Set& set, std::size_t count) {
  std::size_t left = set.size();
  set.for_each([&](std::string_view member) {
    if (ctx.services.random.below(left--) >= count) return;
    ctx.reply.bulk(member);
    --count;
  });
}

/// Draws until enough different members were seen: cheap when they are few among many.
void reply_by_drawing(Context& ctx, const Set& set, std::size_t count) {
  Set::Scratch scratch;
  Set seen;
  while (seen.size() < count) {
    const std::string_view member = set.random(ctx.services.random, scratch);
    if (seen.add(member, ctx.services.settings.set)) ctx.reply.bulk(member);
  }
}

void reply_distinct(Context& ctx, const Set& set, std::size_t count) {
  ctx.reply.array(std::min(count, set.size()));
  if (count >= set.size()) {
    reply_members(ctx, set);
  } else if (set.size() <= kSmall || count * 3 > set.size()) {
    reply_by_walk(ctx, set, count);
  } else {
    reply_by_drawing(ctx, set, count);
  }
}

Outcome srandmember_one(Context& ctx, std::string_view key) {
  const auto set = ctx.keys.find<Set>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  Set::Scratch scratch;
  ctx.reply.bulk(set->random(ctx.services.random, scratch));
  return Outcome::done;
}

Outcome srandmember(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  if (args.left() > 1) return ctx.fail(errors::kSyntax);
  if (!args.more()) return srandmember_one(ctx, key);
  const std::int64_t count =
      args.integer_in(-INT64_MAX, INT64_MAX,
                      "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807");
  if (!args.ok()) return ctx.fail(args.error());
  const auto set = ctx.keys.find<Set>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent() || count == 0) {
    ctx.reply.array(0);
    return Outcome::done;
  }
  if (count > 0) {
    reply_distinct(ctx, *set, static_cast<std::size_t>(count));
    return Outcome::done;
  }
  if (count < -kMostRepeated) return ctx.fail(errors::kOutOfRange);
  ctx.reply.array(static_cast<std::size_t>(-count));
  Set::Scratch scratch;
  for (std::int64_t i = count; i < 0; ++i) ctx.reply.bulk(set->random(ctx.services.random, scratch));
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "SPOP key [count:integer]",
     .handler = spop,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del),
     .group = Group::set,
     .docs = {.summary = "Takes members out of a set at random.",
              .complexity = "O(1) without a count, O(N) for N members",
              .since = "1.0.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "SRANDMEMBER key [count:integer]",
     .handler = srandmember,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::set,
     .docs = {.summary = "Returns members of a set at random and leaves them there.",
              .complexity = "O(1) without a count, O(N) for N members",
              .since = "1.0.0"},
     .tips = "nondeterministic_output"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> set_random_commands() { return kSpecs; }

}  // namespace fairlane::command
