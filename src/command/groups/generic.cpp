// generic.cpp - keys whatever they hold: whether they are there, their names, copies and removal.
#include "command/groups.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kNotInt = "ERR value is out of range, value must between -2147483648 and 2147483647";

Outcome reply_one_or_zero(Context& ctx, bool one) {
  ctx.reply.integer(one ? 1 : 0);
  return Outcome::done;
}

template <class Counts>
Outcome reply_count(Context& ctx, Args& args, Counts&& counts) {
  std::int64_t count = 0;
  for (const std::string_view key : args.rest()) count += counts(key) ? 1 : 0;
  ctx.reply.integer(count);
  return Outcome::done;
}

Outcome del(Context& ctx, Args& args) {
  return reply_count(ctx, args, [&](std::string_view key) { return ctx.keys.erase(key); });
}

Outcome exists(Context& ctx, Args& args) {
  return reply_count(ctx, args, [&](std::string_view key) { return ctx.keys.inspect(key) != nullptr; });
}

Outcome touch(Context& ctx, Args& args) {
  return reply_count(ctx, args, [&](std::string_view key) { return ctx.keys.find_entry(key) != nullptr; });
}

Outcome type(Context& ctx, Args& args) {
  const engine::Entry* entry = ctx.keys.inspect(args.text());
  ctx.reply.simple(entry == nullptr ? "none" : engine::type_name(entry->type()));
  return Outcome::done;
}

Outcome keys(Context& ctx, Args& args) {
  const std::string_view pattern = args.text();
  const bool all = pattern == "*";
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  ctx.keys.for_each([&](const engine::Entry& entry) {
    if (ctx.keys.expired(entry) || (!all && !base::glob_match(pattern, entry.key()))) return;
    ctx.reply.bulk(entry.key());
    ++count;
  });
  ctx.reply.close_array(place, count);
  return Outcome::done;
}

Outcome randomkey(Context& ctx, Args&) {
  const engine::Entry* entry = ctx.keys.random(ctx.services.random);
  if (entry == nullptr) {
    ctx.reply.null();
  } else {
    ctx.reply.bulk(entry->key());
  }
  return Outcome::done;
}

Outcome rename(Context& ctx, Args& args) {
  const std::string_view from = args.text();
  const std::string_view to = args.text();
  if (!ctx.keys.contains(from)) return ctx.fail(errors::kNoSuchKey);
  if (from != to) ctx.keys.rename(from, to);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome renamenx(Context& ctx, Args& args) {
  const std::string_view from = args.text();
  const std::string_view to = args.text();
  if (!ctx.keys.contains(from)) return ctx.fail(errors::kNoSuchKey);
  const bool is_free = from != to && !ctx.keys.contains(to);
  if (is_free) ctx.keys.rename(from, to);
  return reply_one_or_zero(ctx, is_free);
}

/// The database whose number comes next; null with an error when there is none.
engine::Database* take_database(Context& ctx, Args& args) {
  const std::int64_t index = args.integer_in(INT32_MIN, INT32_MAX, kNotInt);
  if (args.ok() && (index < 0 || index >= static_cast<std::int64_t>(ctx.services.keyspace.count()))) {
    args.fail(errors::kBadDb);
  }
  return args.ok() ? &ctx.services.keyspace.at(static_cast<engine::DbIndex>(index)) : nullptr;
}

Outcome copy(Context& ctx, Args& args) {
  const std::string_view from = args.text();
  const std::string_view to = args.text();
  engine::Database* target = &ctx.keys;
  bool replace = false;
  while (args.more()) {
    if (args.option("REPLACE")) {
      replace = true;
    } else if (args.option_with("DB", 1)) {
      target = take_database(ctx, args);
    } else {
      args.fail(errors::kSyntax);
    }
  }
  if (!args.ok()) return ctx.fail(args.error());
  if (target == &ctx.keys && from == to) return ctx.fail(errors::kSameObject);
  if (ctx.keys.find_entry(from) == nullptr) return reply_one_or_zero(ctx, false);
  const bool copies = !target->contains(to) || replace;
  if (copies) ctx.keys.copy_to(from, *target, to);
  return reply_one_or_zero(ctx, copies);
}

Outcome move(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  engine::Database* target = take_database(ctx, args);
  if (target == nullptr) return ctx.fail(args.error());
  if (target == &ctx.keys) return ctx.fail(errors::kSameObject);
  const bool moves = ctx.keys.contains(key) && !target->contains(key);
  if (moves) ctx.keys.move_to(key, *target);
  return reply_one_or_zero(ctx, moves);
}

constexpr std::string_view kPerKey = "O(N) where N is the number of keys.";

constexpr Spec kSpecs[] = {
    {.syntax = "DEL key [key ...]",
     .handler = del,
     .flags = Flag::write,
     .keys = keys_from(1, Use::rm | Use::del),
     .docs = {.summary = "Removes keys.",
              .complexity = "O(N) where N is the number of keys, and of the elements that they hold.",
              .since = "1.0.0"},
     .categories = Category::keyspace,
     .tips = "request_policy:multi_shard response_policy:agg_sum"},
    {.syntax = "UNLINK key [key ...]",
     .handler = del,
     .flags = Flag::write | Flag::fast,
     .keys = keys_from(1, Use::rm | Use::del),
     .docs = {.summary = "Removes keys.",
              .complexity = "O(N) where N is the number of keys, and of the elements that they hold.",
              .since = "4.0.0"},
     .categories = Category::keyspace,
     .tips = "request_policy:multi_shard response_policy:agg_sum"},
    {.syntax = "EXISTS key [key ...]",
     .handler = exists,
     .flags = Flag::readonly | Flag::fast,
     .keys = keys_from(1, Use::ro),
     .docs = {.summary = "Counts which of the keys exist; a key named twice counts twice.",
              .complexity = kPerKey,
              .since = "1.0.0"},
     .categories = Category::keyspace,
     .tips = "request_policy:multi_shard response_policy:agg_sum"},
    {.syntax = "TOUCH key [key ...]",
     .handler = touch,
     .flags = Flag::readonly | Flag::fast,
     .keys = keys_from(1, Use::ro),
     .docs = {.summary = "Marks keys as accessed now and counts those that exist.",
              .complexity = kPerKey,
              .since = "3.2.1"},
     .categories = Category::keyspace,
     .tips = "request_policy:multi_shard response_policy:agg_sum"},
    {.syntax = "TYPE key",
     .handler = type,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .docs = {.summary = "Tells what kind of value a key holds.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::keyspace},
    {.syntax = "KEYS pattern:pattern",
     .handler = keys,
     .flags = Flag::readonly,
     .docs = {.summary = "Returns all keys that match a pattern.",
              .complexity = "O(N) where N is the number of keys in the database.",
              .since = "1.0.0"},
     .categories = Category::keyspace | Category::dangerous,
     .tips = "request_policy:all_shards nondeterministic_output_order"},
    {.syntax = "RANDOMKEY",
     .handler = randomkey,
     .flags = Flag::readonly,
     .docs = {.summary = "Returns a key chosen at random.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::keyspace,
     .tips = "request_policy:all_shards nondeterministic_output"},
    {.syntax = "RENAME key newkey:key",
     .handler = rename,
     .flags = Flag::write,
     .keys = key_at(1, Use::rw | Use::access | Use::del).and_(key_at(2, Use::ow | Use::update)),
     .docs = {.summary = "Gives a key another name and removes what had that name.",
              .complexity = "O(1)",
              .since = "1.0.0"},
     .categories = Category::keyspace},
    {.syntax = "RENAMENX key newkey:key",
     .handler = renamenx,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del).and_(key_at(2, Use::ow | Use::insert)),
     .docs = {.summary = "Gives a key another name if no key has it.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::keyspace},
    {.syntax = "COPY source:key destination:key [DB destination-db:integer] [REPLACE]",
     .handler = copy,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ro | Use::access).and_(key_at(2, Use::ow | Use::update)),
     .docs = {.summary = "Copies a key with its value and its time to live.",
              .complexity = "O(N) where N is the number of elements of the value, O(1) for strings.",
              .since = "6.2.0"},
     .categories = Category::keyspace},
    {.syntax = "MOVE key db:integer",
     .handler = move,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .docs = {.summary = "Moves a key to another database if there is none of its name there.",
              .complexity = "O(1)",
              .since = "1.0.0"},
     .categories = Category::keyspace},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> generic_commands() { return kSpecs; }

}  // namespace fairlane::command
