// zset_pop.cpp - taking members from the ends of sorted sets.
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

enum class End : bool { min, max };

Outcome pop(Context& ctx, Args& args, End end) {
  const std::string_view key = args.text();
  const bool counted = args.more();
  const std::int64_t count = counted ? args.integer_in(0, INT64_MAX, errors::kNotPositive, errors::kNotPositive) : 1;
  if (!args.ok()) return ctx.fail(args.error());
  if (args.left() != 0) return ctx.fail(errors::kSyntax);
  auto set = ctx.keys.edit<data::SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent() || count == 0) {
    ctx.reply.array(0);
    return Outcome::done;
  }
  const std::size_t taken = std::min(static_cast<std::size_t>(count), set->size());
  // Only a count asks RESP3 for pairs; both forms are flat in RESP2.
  const bool pairs = counted && ctx.reply.resp3();
  ctx.reply.array(pairs ? taken : taken * 2);
  const auto visit = [&](const data::SortedSet::Item& item) {
    if (pairs) ctx.reply.array(2);
    ctx.reply.bulk(item.member);
    ctx.reply.number(item.score);
  };
  if (end == End::min) {
    set->pop_min(taken, visit);
  } else {
    set->pop_max(taken, visit);
  }
  set.commit(end == End::min ? engine::events::kZPopMin : engine::events::kZPopMax);
  return Outcome::done;
}

Outcome zpopmin(Context& ctx, Args& args) { return pop(ctx, args, End::min); }
Outcome zpopmax(Context& ctx, Args& args) { return pop(ctx, args, End::max); }

constexpr Spec kSpecs[] = {
    {.syntax = "ZPOPMIN key [count:integer]",
     .handler = zpopmin,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes the members with the lowest scores.", .complexity = "O(log(N)*M)", .since = "5.0.0"}},
    {.syntax = "ZPOPMAX key [count:integer]",
     .handler = zpopmax,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del),
     .group = Group::sorted_set,
     .docs = {.summary = "Takes the members with the highest scores.", .complexity = "O(log(N)*M)", .since = "5.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> zset_pop_commands() { return kSpecs; }

}  // namespace fairlane::command
