// string_number.cpp - strings that are numbers: counting up and down.
#include <cmath>

#include "command/groups.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

namespace events = engine::events;

Outcome add(Context& ctx, std::string_view key, std::int64_t increment) {
  auto value = ctx.keys.edit_string(key);
  std::int64_t number = 0;
  if (!value.absent()) {
    if (value.wrong_type()) return ctx.fail(errors::kWrongType);
    if (value.is_integer()) [[likely]] {
      number = value.integer();
    } else {
      // Text that was put together in place (APPEND, SETRANGE) may still read as an integer.
      engine::Scratch scratch;
      const auto parsed = base::parse_integer(value.text(scratch));
      if (!parsed) return ctx.fail(errors::kNotInteger);
      number = *parsed;
    }
  }
  if (__builtin_add_overflow(number, increment, &number)) return ctx.fail(errors::kOverflow);
  value.assign_integer(number);
  value.commit(events::kIncrBy);
  ctx.reply.integer(number);
  return Outcome::done;
}

Outcome incr(Context& ctx, Args&) { return add(ctx, ctx.request[1], 1); }
Outcome decr(Context& ctx, Args&) { return add(ctx, ctx.request[1], -1); }

Outcome incrby(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t increment = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  return add(ctx, key, increment);
}

Outcome decrby(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t decrement = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  if (decrement == INT64_MIN) return ctx.fail("ERR decrement would overflow");
  return add(ctx, key, -decrement);
}

Outcome incrbyfloat(Context& ctx, Args& args) {
  auto value = ctx.keys.edit_string(args.text());
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  engine::Scratch scratch;
  const auto number = value.absent() ? 0.0L : base::parse_long_double(value.text(scratch));
  const auto increment = base::parse_long_double(args.text());
  if (!number || !increment) return ctx.fail(errors::kNotFloat);
  const long double sum = *number + *increment;
  if (std::isnan(sum) || std::isinf(sum)) return ctx.fail(errors::kNanOrInfinity);
  char text[base::kLongDoubleChars];
  const std::string_view result(text, base::format_long_double(text, sum));
  value.assign_text(result);
  value.commit(events::kIncrByFloat);
  ctx.reply.bulk(result);
  return Outcome::done;
}

constexpr Flag kFlags = Flag::write | Flag::denyoom | Flag::fast;
constexpr Keys kKeys = key_at(1, Use::rw | Use::access | Use::update);

constexpr Spec kSpecs[] = {
    {.syntax = "INCR key",
     .handler = incr,
     .flags = kFlags,
     .keys = kKeys,
     .group = Group::string,
     .docs = {.summary = "Adds one to the integer value of a key.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "DECR key",
     .handler = decr,
     .flags = kFlags,
     .keys = kKeys,
     .group = Group::string,
     .docs = {.summary = "Subtracts one from the integer value of a key.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "INCRBY key increment:integer",
     .handler = incrby,
     .flags = kFlags,
     .keys = kKeys,
     .group = Group::string,
     .docs = {.summary = "Adds an integer to the integer value of a key.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "DECRBY key decrement:integer",
     .handler = decrby,
     .flags = kFlags,
     .keys = kKeys,
     .group = Group::string,
     .docs = {.summary = "Subtracts an integer from the integer value of a key.",
              .complexity = "O(1)",
              .since = "1.0.0"}},
    {.syntax = "INCRBYFLOAT key increment:double",
     .handler = incrbyfloat,
     .flags = kFlags,
     .keys = kKeys,
     .group = Group::string,
     .docs = {.summary = "Adds a number to the numeric value of a key.", .complexity = "O(1)", .since = "2.6.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> string_number_commands() { return kSpecs; }

}  // namespace fairlane::command
