// zset_pop.cpp - taking members from the ends of sorted sets, and waiting for them.
#include <algorithm>

#include "command/groups.hpp"
#include "command/timeout.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;

enum class End : bool { min, max };

/// Takes `count` members, 1 or more, hands each to visit(item), and ends the edit. The set is there.
template <class Visit>
void take(engine::Edit<SortedSet>& set, End end, std::size_t count, Visit&& visit) {
  if (end == End::min) {
    set->pop_min(count, visit);
    set.commit(engine::events::kZPopMin);
  } else {
    set->pop_max(count, visit);
    set.commit(engine::events::kZPopMax);
  }
}

Outcome pop(Context& ctx, Args& args, End end) {
  const std::string_view key = args.text();
  if (args.left() > 1) return ctx.fail(errors::kSyntax);
  const bool counted = args.more();
  const std::int64_t count = counted ? args.integer_in(0, INT64_MAX, errors::kNotPositive, errors::kNotPositive) : 1;
  if (!args.ok()) return ctx.fail(args.error());
  auto set = ctx.keys.edit<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent() || count == 0) {
    ctx.reply.array(0);
    return Outcome::done;
  }
  const std::size_t taken = std::min(static_cast<std::size_t>(count), set->size());
  // Only a count asks RESP3 for pairs; both forms are flat in RESP2.
  const bool pairs = counted && ctx.reply.resp3();
  ctx.reply.array(pairs ? taken : taken * 2);
  take(set, end, taken, [&](const SortedSet::Item& item) {
    if (pairs) ctx.reply.array(2);
    ctx.reply.bulk(item.member);
    ctx.reply.number(item.score);
  });
  return Outcome::done;
}

Outcome zpopmin(Context& ctx, Args& args) { return pop(ctx, args, End::min); }
Outcome zpopmax(Context& ctx, Args& args) { return pop(ctx, args, End::max); }

void nothing_came(protocol::Reply& reply) { reply.null_array(); }

Outcome blocking_pop(Context& ctx, Args& args, End end) {
  const auto keys = args.rest().first(args.left() - 1);
  args.skip(keys.size());
  const std::int64_t timeout = timeout_millis(args, ctx.now);
  if (!args.ok()) return ctx.fail(args.error());
  for (const std::string_view key : keys) {
    if (!ctx.considers(key)) continue;
    auto set = ctx.keys.edit<SortedSet>(key);
    if (set.wrong_type()) return ctx.fail(errors::kWrongType);
    if (set.absent()) continue;
    ctx.reply.array(3);
    ctx.reply.bulk(key);
    take(set, end, 1, [&](const SortedSet::Item& item) {
      ctx.reply.bulk(item.member);
      ctx.reply.number(item.score);
    });
    return Outcome::done;
  }
  return ctx.wait(keys, timeout, nothing_came);
}

Outcome bzpopmin(Context& ctx, Args& args) { return blocking_pop(ctx, args, End::min); }
Outcome bzpopmax(Context& ctx, Args& args) { return blocking_pop(ctx, args, End::max); }

/// The words of ZMPOP and BZMPOP from the number of keys on.
struct ManyPop {
  std::span<const std::string_view> keys;
  End end = End::min;
  std::int64_t count = 1;
};

ManyPop parse_many(Args& args) noexcept {
  ManyPop pop;
  const std::int64_t numkeys = args.integer_in(1, INT64_MAX, errors::kNumkeys, errors::kNumkeys);
  if (!args.ok()) return pop;
  // At least one word has to follow the keys.
  if (static_cast<std::uint64_t>(numkeys) >= args.left()) {
    args.fail(errors::kSyntax);
    return pop;
  }
  pop.keys = args.rest().first(static_cast<std::size_t>(numkeys));
  args.skip(pop.keys.size());
  if (args.option("MAX")) {
    pop.end = End::max;
  } else if (!args.option("MIN")) {
    args.fail(errors::kSyntax);
  }
  if (args.option_with("COUNT", 1)) {
    pop.count = args.integer_in(1, INT64_MAX, errors::kCountPositive, errors::kCountPositive);
  }
  if (args.more()) args.fail(errors::kSyntax);
  return pop;
}

/// Answers the first key that has members and up to `count` of them. `wait` when no key has any and nothing was
/// answered.
Outcome pop_from_first(Context& ctx, const ManyPop& pop) {
  for (const std::string_view key : pop.keys) {
    if (!ctx.considers(key)) continue;
    auto set = ctx.keys.edit<SortedSet>(key);
    if (set.wrong_type()) return ctx.fail(errors::kWrongType);
    if (set.absent()) continue;
    const std::size_t taken = std::min(static_cast<std::size_t>(pop.count), set->size());
    ctx.reply.array(2);
    ctx.reply.bulk(key);
    ctx.reply.array(taken);
    take(set, pop.end, taken, [&](const SortedSet::Item& item) {
      ctx.reply.array(2);
      ctx.reply.bulk(item.member);
      ctx.reply.number(item.score);
    });
    return Outcome::done;
  }
  return Outcome::wait;
}

Outcome zmpop(Context& ctx, Args& args) {
  const ManyPop pop = parse_many(args);
  if (!args.ok()) return ctx.fail(args.error());
  const Outcome outcome = pop_from_first(ctx, pop);
  if (outcome != Outcome::wait) return outcome;
  ctx.reply.null_array();
  return Outcome::done;
}

Outcome bzmpop(Context& ctx, Args& args) {
  // What is wrong with the time-out is said last, although it stands first.
  Args timeout_word = args;
  args.skip(1);
  const ManyPop pop = parse_many(args);
  if (!args.ok()) return ctx.fail(args.error());
  const std::int64_t timeout = timeout_millis(timeout_word, ctx.now);
  if (!timeout_word.ok()) return ctx.fail(timeout_word.error());
  const Outcome outcome = pop_from_first(ctx, pop);
  return outcome == Outcome::wait ? ctx.wait(pop.keys, timeout, nothing_came) : outcome;
}

constexpr Use kPopped = Use::rw | Use::access | Use::del;
constexpr std::string_view kManyComplexity = "O(K+M*log(N)), K keys and M members taken";

constexpr Spec kSpecs[] = {
    {.syntax = "ZPOPMIN key [count:integer]",
     .handler = zpopmin,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, kPopped),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes the members with the lowest scores.",
              .complexity = "O(log(N)) a member, O(1) when all scores are equal",
              .since = "5.0.0"}},
    {.syntax = "ZPOPMAX key [count:integer]",
     .handler = zpopmax,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, kPopped),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes the members with the highest scores.",
              .complexity = "O(log(N)) a member, O(1) when all scores are equal",
              .since = "5.0.0"}},
    {.syntax = "BZPOPMIN key [key ...] timeout:double",
     .handler = bzpopmin,
     .flags = Flag::write | Flag::noscript | Flag::blocking | Flag::fast,
     .keys = keys_from(1, kPopped, -2),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes the member with the lowest score from the first sorted set that has any, and waits for "
                         "one if need be.",
              .complexity = "O(K+log(N)), K keys",
              .since = "5.0.0"}},
    {.syntax = "BZPOPMAX key [key ...] timeout:double",
     .handler = bzpopmax,
     .flags = Flag::write | Flag::noscript | Flag::blocking | Flag::fast,
     .keys = keys_from(1, kPopped, -2),
     .group = Group::sorted_set,
     .docs = {.summary =
                  "Takes the member with the highest score from the first sorted set that has any, and waits for "
                  "one if need be.",
              .complexity = "O(K+log(N)), K keys",
              .since = "5.0.0"}},
    {.syntax = "ZMPOP numkeys:integer key [key ...] MIN | MAX [COUNT count:integer]",
     .handler = zmpop,
     .flags = Flag::write | Flag::movablekeys,
     .keys = keys_counted_at(1, kPopped),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes members from one end of the first sorted set that has any.",
              .complexity = kManyComplexity,
              .since = "7.0.0"}},
    {.syntax = "BZMPOP timeout:double numkeys:integer key [key ...] MIN | MAX [COUNT count:integer]",
     .handler = bzmpop,
     .flags = Flag::write | Flag::blocking | Flag::movablekeys,
     .keys = keys_counted_at(2, kPopped),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes members from one end of the first sorted set that has any, and waits for them if need "
                         "be.",
              .complexity = kManyComplexity,
              .since = "7.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> zset_pop_commands() { return kSpecs; }

}  // namespace fairlane::command
