// list_blocking.cpp - list commands that wait for an element when there is none.
#include "command/groups.hpp"
#include "command/list_ends.hpp"
#include "command/timeout.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using data::List;

void nothing_came(protocol::Reply& reply) { reply.null_array(); }

Outcome pop(Context& ctx, Args& args, ListEnd end) {
  const auto keys = args.rest().first(args.left() - 1);
  args.skip(keys.size());
  const std::int64_t timeout = timeout_millis(args, ctx.now);
  if (!args.ok()) return ctx.fail(args.error());
  for (const std::string_view key : keys) {
    if (!ctx.considers(key)) continue;
    auto list = ctx.keys.edit<List>(key);
    if (list.wrong_type()) return ctx.fail(errors::kWrongType);
    if (list.absent()) continue;
    ctx.reply.array(2);
    ctx.reply.bulk(key);
    pop_element(ctx.reply, list, end);
    return Outcome::done;
  }
  return ctx.wait(keys, timeout, nothing_came);
}

Outcome blpop(Context& ctx, Args& args) { return pop(ctx, args, ListEnd::left); }
Outcome brpop(Context& ctx, Args& args) { return pop(ctx, args, ListEnd::right); }

Outcome blmpop(Context& ctx, Args& args) {
  // What is wrong with the time-out is said last, although it stands first.
  Args timeout_word = args;
  args.skip(1);
  const ListPop pop = parse_list_pop(args);
  if (!args.ok()) return ctx.fail(args.error());
  const std::int64_t timeout = timeout_millis(timeout_word, ctx.now);
  if (!timeout_word.ok()) return ctx.fail(timeout_word.error());
  const Outcome outcome = pop_from_first(ctx, pop);
  return outcome == Outcome::wait ? ctx.wait(pop.keys, timeout, nothing_came) : outcome;
}

Outcome move(Context& ctx, std::span<const std::string_view> source, const ListMove& move, std::int64_t timeout) {
  auto list = ctx.keys.edit<List>(move.source);
  if (list.wrong_type()) return ctx.fail(errors::kWrongType);
  if (!list.absent()) return move_element(ctx, list, move);
  // Where nobody may wait, Redis answers what the command without the B answers, not what a time-out does.
  if (ctx.may_wait) return ctx.wait(source, timeout, nothing_came);
  ctx.reply.null();
  return Outcome::done;
}

Outcome blmove(Context& ctx, Args& args) {
  const auto source = args.rest().first(1);
  args.skip(1);
  const std::string_view destination = args.text();
  const ListEnd from = list_end(args);
  const ListEnd to = list_end(args);
  const std::int64_t timeout = timeout_millis(args, ctx.now);
  if (!args.ok()) return ctx.fail(args.error());
  return move(ctx, source, {source[0], destination, from, to}, timeout);
}

Outcome brpoplpush(Context& ctx, Args& args) {
  const auto source = args.rest().first(1);
  args.skip(1);
  const std::string_view destination = args.text();
  const std::int64_t timeout = timeout_millis(args, ctx.now);
  if (!args.ok()) return ctx.fail(args.error());
  return move(ctx, source, {source[0], destination, ListEnd::right, ListEnd::left}, timeout);
}

constexpr Use kPopped = Use::rw | Use::access | Use::del;
constexpr Keys kMoved = key_at(1, kPopped).and_(key_at(2, Use::rw | Use::insert));

constexpr Spec kSpecs[] = {
    {.syntax = "BLPOP key [key ...] timeout:double",
     .handler = blpop,
     .flags = Flag::write | Flag::noscript | Flag::blocking,
     .keys = keys_from(1, kPopped, -2),
     .group = Group::list,
     .docs = {.summary = "Takes the first element of the first list that has any, and waits for one if need be.",
              .complexity = "O(N), N keys",
              .since = "2.0.0"}},
    {.syntax = "BRPOP key [key ...] timeout:double",
     .handler = brpop,
     .flags = Flag::write | Flag::noscript | Flag::blocking,
     .keys = keys_from(1, kPopped, -2),
     .group = Group::list,
     .docs = {.summary = "Takes the last element of the first list that has any, and waits for one if need be.",
              .complexity = "O(N), N keys",
              .since = "2.0.0"}},
    {.syntax = "BLMPOP timeout:double numkeys:integer key [key ...] LEFT | RIGHT [COUNT count:integer]",
     .handler = blmpop,
     .flags = Flag::write | Flag::blocking | Flag::movablekeys,
     .keys = keys_counted_at(2, kPopped),
     .group = Group::list,
     .docs = {.summary = "Takes elements from one end of the first list that has any, and waits for them if need be.",
              .complexity = "O(N+M), N keys and M elements taken",
              .since = "7.0.0"}},
    {.syntax = "BLMOVE source:key destination:key LEFT | RIGHT LEFT | RIGHT timeout:double",
     .handler = blmove,
     .flags = Flag::write | Flag::denyoom | Flag::noscript | Flag::blocking,
     .keys = kMoved,
     .group = Group::list,
     .docs = {.summary = "Moves an element from an end of a list to an end of a list, and waits for one if need be.",
              .complexity = "O(1)",
              .since = "6.2.0"}},
    {.syntax = "BRPOPLPUSH source:key destination:key timeout:double",
     .handler = brpoplpush,
     .flags = Flag::write | Flag::denyoom | Flag::noscript | Flag::blocking,
     .keys = kMoved,
     .group = Group::list,
     .docs = {.summary = "Moves the last element of a list before the first of a list, and waits for one if need be.",
              .complexity = "O(1)",
              .since = "2.2.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`BLMOVE` with the `RIGHT` and `LEFT` arguments"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> list_blocking_commands() { return kSpecs; }

}  // namespace fairlane::command
