// set_combine.cpp - intersections, unions and differences of sets, answered or stored.
#include <algorithm>
#include <vector>

#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {
namespace {

using data::Set;

constexpr std::size_t kStride = 64;

/// The sets of a request in the order of their keys, null where there is none. Good until a key changes.
using Sources = std::vector<const Set*>;

/// False when a key holds something else.
bool find_sources(Context& ctx, std::span<const std::string_view> keys, Sources& sources) {
  sources.reserve(keys.size());
  for (const std::string_view key : keys) {
    const auto set = ctx.keys.find<Set>(key);
    if (set.wrong_type()) return false;
    sources.push_back(set.absent() ? nullptr : &*set);
  }
  return true;
}

/// Calls take(member) for every member that all sources have, until it answers false.
template <class Take>
void intersect(Sources& sources, Take&& take) {
  if (std::find(sources.begin(), sources.end(), nullptr) != sources.end()) return;
  // The smallest set is walked through, and the next smallest asked first, for it refuses most.
  std::sort(sources.begin(), sources.end(), [](const Set* a, const Set* b) { return a->size() < b->size(); });
  const Set& smallest = *sources.front();
  const auto others = std::span<const Set* const>(sources).subspan(1);
  bool goes_on = true;
  const auto visit = [&](std::string_view member) {
    if (!goes_on) return;
    const bool common = std::all_of(others.begin(), others.end(),
                                    [&](const Set* other) { return other == &smallest || other->contains(member); });
    if (common) goes_on = take(member);
  };
  // A scan visits every member of an unchanging set once, and unlike for_each can stop on the way.
  std::uint64_t cursor = 0;
  do {
    cursor = smallest.scan(cursor, kStride, visit);
  } while (cursor != 0 && goes_on);
}

void add_all(Set& to, const Set& from, const Set::Limits& limits) {
  from.for_each([&](std::string_view member) { to.add(member, limits); });
}

Set unite(const Sources& sources, const Set::Limits& limits) {
  Set result;
  for (const Set* source : sources) {
    if (source != nullptr) add_all(result, *source, limits);
  }
  return result;
}

/// Calls take(member) for every member that the first source has and no other.
template <class Take>
void subtract(Sources& sources, const Set::Limits& limits, Take&& take) {
  const Set* first = sources.front();
  if (first == nullptr) return;
  std::vector<const Set*> others;
  std::size_t members = 0;
  for (const Set* other : std::span(sources).subspan(1)) {
    if (other == first) return;
    if (other == nullptr) continue;
    others.push_back(other);
    members += other->size();
  }
  // Many small sets are cheaper to ask once they are one.
  Set merged;
  if (others.size() > 1 && members < first->size() * (others.size() - 1)) {
    merged = unite(others, limits);
    others.assign(1, &merged);
  }
  // The largest set is asked first, for it refuses most.
  std::sort(others.begin(), others.end(), [](const Set* a, const Set* b) { return a->size() > b->size(); });
  first->for_each([&](std::string_view member) {
    if (std::none_of(others.begin(), others.end(), [&](const Set* other) { return other->contains(member); })) {
      take(member);
    }
  });
}

// --- answered

/// Writes the members that `walk` takes as one set.
template <class Walk>
Outcome reply_set(Context& ctx, Walk&& walk) {
  const auto place = ctx.reply.open();
  std::size_t count = 0;
  walk([&](std::string_view member) {
    ctx.reply.bulk(member);
    ++count;
    return true;
  });
  ctx.reply.close_set(place, count);
  return Outcome::done;
}

Outcome sinter(Context& ctx, Args& args) {
  Sources sources;
  if (!find_sources(ctx, args.rest(), sources)) return ctx.fail(errors::kWrongType);
  return reply_set(ctx, [&](auto&& take) { intersect(sources, take); });
}

Outcome sunion(Context& ctx, Args& args) {
  Sources sources;
  if (!find_sources(ctx, args.rest(), sources)) return ctx.fail(errors::kWrongType);
  const Set united = sources.size() > 1 ? unite(sources, ctx.services.settings.set) : Set();
  const Set* result = sources.size() > 1 ? &united : sources.front();
  return reply_set(ctx, [&](auto&& take) {
    if (result != nullptr) result->for_each(take);
  });
}

Outcome sdiff(Context& ctx, Args& args) {
  Sources sources;
  if (!find_sources(ctx, args.rest(), sources)) return ctx.fail(errors::kWrongType);
  return reply_set(ctx, [&](auto&& take) { subtract(sources, ctx.services.settings.set, take); });
}

Outcome sintercard(Context& ctx, Args& args) {
  const std::int64_t numkeys = args.integer_in(1, INT64_MAX, errors::kNumkeys, errors::kNumkeys);
  if (!args.ok()) return ctx.fail(args.error());
  if (static_cast<std::uint64_t>(numkeys) > args.left()) {
    return ctx.fail("ERR Number of keys can't be greater than number of args");
  }
  const auto keys = args.rest().first(static_cast<std::size_t>(numkeys));
  args.skip(keys.size());
  std::int64_t limit = 0;
  while (args.more()) {
    if (!args.option_with("LIMIT", 1)) return ctx.fail(errors::kSyntax);
    limit = args.integer_in(0, INT64_MAX, "ERR LIMIT can't be negative", "ERR LIMIT can't be negative");
  }
  if (!args.ok()) return ctx.fail(args.error());
  Sources sources;
  if (!find_sources(ctx, keys, sources)) return ctx.fail(errors::kWrongType);
  std::int64_t count = 0;
  intersect(sources, [&](std::string_view) { return ++count != limit; });
  ctx.reply.integer(count);
  return Outcome::done;
}

// --- stored

Outcome store(Context& ctx, std::string_view key, Set result, engine::Event event) {
  const auto size = static_cast<std::int64_t>(result.size());
  ctx.keys.store(key, std::move(result), event);
  ctx.reply.integer(size);
  return Outcome::done;
}

Outcome sinterstore(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  Sources sources;
  if (!find_sources(ctx, args.rest(), sources)) return ctx.fail(errors::kWrongType);
  Set result;
  intersect(sources, [&](std::string_view member) {
    result.add(member, ctx.services.settings.set);
    return true;
  });
  return store(ctx, key, std::move(result), engine::events::kSInterStore);
}

Outcome sunionstore(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  Sources sources;
  if (!find_sources(ctx, args.rest(), sources)) return ctx.fail(errors::kWrongType);
  return store(ctx, key, unite(sources, ctx.services.settings.set), engine::events::kSUnionStore);
}

Outcome sdiffstore(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  Sources sources;
  if (!find_sources(ctx, args.rest(), sources)) return ctx.fail(errors::kWrongType);
  const Set::Limits& limits = ctx.services.settings.set;
  Set result;
  subtract(sources, limits, [&](std::string_view member) { result.add(member, limits); });
  return store(ctx, key, std::move(result), engine::events::kSDiffStore);
}

constexpr Keys kSources = keys_from(1, Use::ro | Use::access);
constexpr Keys kStoredSources = keys_from(2, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "SINTER key [key ...]",
     .handler = sinter,
     .flags = Flag::readonly,
     .keys = kSources,
     .group = Group::set,
     .docs = {.summary = "Returns the members that all sets have.",
              .complexity = "O(N*M), N members of the smallest set, M sets",
              .since = "1.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "SUNION key [key ...]",
     .handler = sunion,
     .flags = Flag::readonly,
     .keys = kSources,
     .group = Group::set,
     .docs = {.summary = "Returns the members that any of the sets has.",
              .complexity = "O(N), N members of all sets",
              .since = "1.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "SDIFF key [key ...]",
     .handler = sdiff,
     .flags = Flag::readonly,
     .keys = kSources,
     .group = Group::set,
     .docs = {.summary = "Returns the members that the first set has and no other.",
              .complexity = "O(N), N members of all sets",
              .since = "1.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "SINTERCARD numkeys:integer key [key ...] [LIMIT limit:integer]",
     .handler = sintercard,
     .flags = Flag::readonly | Flag::movablekeys,
     .keys = keys_counted_at(1, Use::ro | Use::access),
     .group = Group::set,
     .docs = {.summary = "Counts the members that all sets have, up to a limit.",
              .complexity = "O(N*M), N members of the smallest set, M sets",
              .since = "7.0.0"}},
    {.syntax = "SINTERSTORE destination:key key [key ...]",
     .handler = sinterstore,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::update).and_(kStoredSources),
     .group = Group::set,
     .docs = {.summary = "Stores the members that all sets have.",
              .complexity = "O(N*M), N members of the smallest set, M sets",
              .since = "1.0.0"}},
    {.syntax = "SUNIONSTORE destination:key key [key ...]",
     .handler = sunionstore,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update).and_(kStoredSources),
     .group = Group::set,
     .docs = {.summary = "Stores the members that any of the sets has.",
              .complexity = "O(N), N members of all sets",
              .since = "1.0.0"}},
    {.syntax = "SDIFFSTORE destination:key key [key ...]",
     .handler = sdiffstore,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update).and_(kStoredSources),
     .group = Group::set,
     .docs = {.summary = "Stores the members that the first set has and no other.",
              .complexity = "O(N), N members of all sets",
              .since = "1.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> set_combine_commands() { return kSpecs; }

}  // namespace fairlane::command
