// object.cpp - OBJECT: how a value is kept.
#include <cstdint>

#include "command/encoding.hpp"
#include "command/groups.hpp"
#include "command/help.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

/// Replies null and gives null when there is no key. Looking is no access.
const engine::Entry* look_up(Context& ctx, Args& args) {
  const engine::Entry* entry = ctx.keys.peek(args.text());
  ++(entry != nullptr ? ctx.keys.shared().hits : ctx.keys.shared().misses);
  if (entry == nullptr) ctx.reply.null();
  return entry;
}

Outcome encoding(Context& ctx, Args& args) {
  if (const engine::Entry* entry = look_up(ctx, args)) ctx.reply.bulk(encoding_of(*entry));
  return Outcome::done;
}

Outcome refcount(Context& ctx, Args& args) {
  if (const engine::Entry* entry = look_up(ctx, args)) {
    ctx.reply.integer(reference_count(*entry));
  }
  return Outcome::done;
}

Outcome idletime(Context& ctx, Args& args) {
  const engine::Entry* entry = look_up(ctx, args);
  if (entry == nullptr) return Outcome::done;
  const engine::Shared& shared = ctx.keys.shared();
  if (shared.access_rule.counted) {
    return ctx.fail(
        "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between "
        "policies at runtime LRU and LFU data will take some time to adjust.");
  }
  ctx.reply.integer(engine::idle_seconds(entry->access(), shared.access_clock));
  return Outcome::done;
}

Outcome freq(Context& ctx, Args& args) {
  const engine::Entry* entry = look_up(ctx, args);
  if (entry == nullptr) return Outcome::done;
  const engine::Shared& shared = ctx.keys.shared();
  if (!shared.access_rule.counted) {
    return ctx.fail(
        "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching "
        "between policies at runtime LRU and LFU data will take some time to adjust.");
  }
  ctx.reply.integer(engine::access_count(shared.access_rule, entry->access(), shared.access_clock));
  return Outcome::done;
}

constexpr Keys kKey = key_at(2, Use::ro);

constexpr Spec kSpecs[] = {
    {.syntax = "OBJECT",
     .docs = {.summary = "Tells how values are kept.", .complexity = "Depends on subcommand.", .since = "2.2.3"},
     .arity = -2},
    {.syntax = "OBJECT ENCODING key",
     .handler = encoding,
     .flags = Flag::readonly,
     .keys = kKey,
     .docs = {.summary = "Names the representation of a value.", .complexity = "O(1)", .since = "2.2.3"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "OBJECT FREQ key",
     .handler = freq,
     .flags = Flag::readonly,
     .keys = kKey,
     .docs = {.summary = "Tells how often a value is accessed, where that is counted.",
              .complexity = "O(1)",
              .since = "4.0.0"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "OBJECT IDLETIME key",
     .handler = idletime,
     .flags = Flag::readonly,
     .keys = kKey,
     .docs = {.summary = "Returns the seconds since a value was accessed.", .complexity = "O(1)", .since = "2.2.3"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "OBJECT REFCOUNT key",
     .handler = refcount,
     .flags = Flag::readonly,
     .keys = kKey,
     .docs = {.summary = "Returns the number of references to a value.", .complexity = "O(1)", .since = "2.2.3"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "OBJECT HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "6.2.0"},
     .categories = Category::keyspace},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> object_commands() { return kSpecs; }

}  // namespace fairlane::command
