// string.cpp - strings as a whole and in pieces: SET and GET with their kin, APPEND, ranges.
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

Outcome get(Context& ctx, Args& args) {
  const auto value = ctx.keys.find_string(args.text());
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  if (value.absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  engine::Scratch scratch;
  ctx.reply.bulk(value.text(scratch));
  return Outcome::done;
}

Outcome set(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const bool created = ctx.keys.store_string(key, args.text(), engine::Deadline::clear);
  ctx.keys.published(key, engine::events::kSet, created, true);
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "GET key",
     .handler = get,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::string,
     .docs = {.summary = "Returns the string value of a key.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SET key value [...]",
     .handler = set,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::access | Use::update | Use::variable_flags),
     .group = Group::string,
     .docs = {.summary = "Sets a key to a string value, whatever it held.", .complexity = "O(1)", .since = "1.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> string_commands() { return kSpecs; }

}  // namespace fairlane::command
