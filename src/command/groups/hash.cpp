// hash.cpp - single fields of hashes: setting, getting, counting up, removing.
#include <cmath>

#include "command/arity.hpp"
#include "command/groups.hpp"
#include "command/hash_fields.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using data::Hash;

const Hash::Limits& limits(const Context& ctx) noexcept { return ctx.services.settings.hash; }

// --- writing

Outcome set_pairs(Context& ctx, Args& args, std::size_t& inserted) {
  const std::string_view key = args.text();
  if (args.left() % 2 != 0) return wrong_arity(ctx);
  auto hash = ctx.keys.upsert<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  inserted = hash->put_all(args.rest(), limits(ctx));
  hash.commit(engine::events::kHSet);
  return Outcome::done;
}

Outcome hset(Context& ctx, Args& args) {
  std::size_t inserted = 0;
  const Outcome outcome = set_pairs(ctx, args, inserted);
  if (outcome == Outcome::done) ctx.reply.integer(static_cast<std::int64_t>(inserted));
  return outcome;
}

Outcome hmset(Context& ctx, Args& args) {
  std::size_t inserted = 0;
  const Outcome outcome = set_pairs(ctx, args, inserted);
  if (outcome == Outcome::done) ctx.reply.ok();
  return outcome;
}

Outcome hsetnx(Context& ctx, Args& args) {
  auto hash = ctx.keys.upsert<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const std::string_view field = args.text();
  if (hash->find(field)) {
    ctx.reply.integer(0);
    return Outcome::done;
  }
  hash->put(field, args.text(), limits(ctx));
  hash.commit(engine::events::kHSet);
  ctx.reply.integer(1);
  return Outcome::done;
}

Outcome hdel(Context& ctx, Args& args) {
  auto hash = ctx.keys.edit<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  std::int64_t removed = 0;
  if (!hash.absent()) {
    for (const std::string_view field : args.rest()) removed += hash->erase(field) ? 1 : 0;
  }
  ctx.reply.integer(removed);
  if (removed != 0) hash.commit(engine::events::kHDel);
  return Outcome::done;
}

Outcome hincrby(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view field = args.text();
  const std::int64_t increment = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  auto hash = ctx.keys.upsert<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto old = hash->find(field);
  const auto value = old ? base::parse_integer(*old) : 0;
  if (!value) return ctx.fail("ERR hash value is not an integer");
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*value, increment, &sum)) return ctx.fail(errors::kOverflow);
  hash->put_keeping(field, base::NumberText(sum), limits(ctx));
  hash.commit(engine::events::kHIncrBy);
  ctx.reply.integer(sum);
  return Outcome::done;
}

Outcome hincrbyfloat(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view field = args.text();
  const auto increment = base::parse_long_double(args.text());
  if (!increment) return ctx.fail(errors::kNotFloat);
  if (std::isinf(*increment)) return ctx.fail("ERR value is NaN or Infinity");
  auto hash = ctx.keys.upsert<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto old = hash->find(field);
  const auto value = old ? base::parse_long_double(*old) : 0.0L;
  if (!value) return ctx.fail("ERR hash value is not a float");
  const long double sum = *value + *increment;
  if (std::isnan(sum) || std::isinf(sum)) return ctx.fail(errors::kNanOrInfinity);
  char text[base::kLongDoubleChars];
  const std::string_view written(text, base::format_long_double(text, sum));
  hash->put_keeping(field, written, limits(ctx));
  hash.commit(engine::events::kHIncrByFloat);
  ctx.reply.bulk(written);
  return Outcome::done;
}

// --- reading

Outcome hget(Context& ctx, Args& args) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  if (hash.absent()) {
    ctx.reply.null();
  } else {
    reply_field(ctx.reply, hash->find(args.text()));
  }
  return Outcome::done;
}

Outcome hmget(Context& ctx, Args& args) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto fields = args.rest();
  ctx.reply.array(fields.size());
  for (const std::string_view field : fields) {
    if (hash.absent()) {
      ctx.reply.null();
    } else {
      reply_field(ctx.reply, hash->find(field));
    }
  }
  return Outcome::done;
}

Outcome hlen(Context& ctx, Args& args) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(hash.absent() ? 0 : static_cast<std::int64_t>(hash->size()));
  return Outcome::done;
}

Outcome hstrlen(Context& ctx, Args& args) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto value = hash.absent() ? std::nullopt : hash->find(args.text());
  ctx.reply.integer(value ? static_cast<std::int64_t>(value->size()) : 0);
  return Outcome::done;
}

Outcome hexists(Context& ctx, Args& args) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(!hash.absent() && hash->find(args.text()) ? 1 : 0);
  return Outcome::done;
}

constexpr Keys kRead = key_at(1, Use::ro | Use::access);
constexpr Keys kMeasured = key_at(1, Use::ro);
constexpr Keys kCounted = key_at(1, Use::rw | Use::access | Use::update);

constexpr Spec kSpecs[] = {
    {.syntax = "HSET key field value [field value ...]",
     .handler = hset,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::hash,
     .docs = {.summary = "Sets fields of a hash; makes the hash.", .complexity = "O(1) a field", .since = "2.0.0"}},
    {.syntax = "HMSET key field value [field value ...]",
     .handler = hmset,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::hash,
     .docs = {.summary = "Sets fields of a hash and answers OK.",
              .complexity = "O(1) a field",
              .since = "2.0.0",
              .deprecated_since = "4.0.0",
              .replaced_by = "`HSET` with multiple field-value pairs"}},
    {.syntax = "HSETNX key field value",
     .handler = hsetnx,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::insert),
     .group = Group::hash,
     .docs = {.summary = "Sets a field that the hash does not have yet.", .complexity = "O(1)", .since = "2.0.0"}},
    {.syntax = "HDEL key field [field ...]",
     .handler = hdel,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::hash,
     .docs = {.summary = "Removes fields of a hash.", .complexity = "O(1) a field", .since = "2.0.0"}},
    {.syntax = "HINCRBY key field increment:integer",
     .handler = hincrby,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = kCounted,
     .group = Group::hash,
     .docs = {.summary = "Adds to the integer in a field, which starts at 0.", .complexity = "O(1)", .since = "2.0.0"}},
    {.syntax = "HINCRBYFLOAT key field increment:double",
     .handler = hincrbyfloat,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = kCounted,
     .group = Group::hash,
     .docs = {.summary = "Adds to the number in a field, which starts at 0.", .complexity = "O(1)", .since = "2.6.0"}},
    {.syntax = "HGET key field",
     .handler = hget,
     .flags = Flag::readonly | Flag::fast,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns the value of a field.", .complexity = "O(1)", .since = "2.0.0"}},
    {.syntax = "HMGET key field [field ...]",
     .handler = hmget,
     .flags = Flag::readonly | Flag::fast,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns the values of fields, in their order.",
              .complexity = "O(1) a field",
              .since = "2.0.0"}},
    {.syntax = "HLEN key",
     .handler = hlen,
     .flags = Flag::readonly | Flag::fast,
     .keys = kMeasured,
     .group = Group::hash,
     .docs = {.summary = "Counts the fields of a hash.", .complexity = "O(1)", .since = "2.0.0"}},
    {.syntax = "HSTRLEN key field",
     .handler = hstrlen,
     .flags = Flag::readonly | Flag::fast,
     .keys = kMeasured,
     .group = Group::hash,
     .docs = {.summary = "Returns the length of the value of a field.", .complexity = "O(1)", .since = "3.2.0"}},
    {.syntax = "HEXISTS key field",
     .handler = hexists,
     .flags = Flag::readonly | Flag::fast,
     .keys = kMeasured,
     .group = Group::hash,
     .docs = {.summary = "Tells whether a hash has a field.", .complexity = "O(1)", .since = "2.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> hash_commands() { return kSpecs; }

}  // namespace fairlane::command
