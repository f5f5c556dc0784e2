// geo.cpp - GEOADD, GEOPOS, GEODIST, GEOHASH: places as members of sorted sets.
#include <vector>

#include "command/geo.hpp"
#include "command/geo_words.hpp"
#include "command/groups.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;

struct AddRules {
  bool absent_only = false;
  bool present_only = false;
  bool count_moved = false;

  static AddRules read(Args& args) noexcept {
    AddRules rules;
    while (true) {
      if (args.option("NX")) {
        rules.absent_only = true;
      } else if (args.option("XX")) {
        rules.present_only = true;
      } else if (args.option("CH")) {
        rules.count_moved = true;
      } else {
        return rules;
      }
    }
  }
  bool allow(const SortedSet& set, std::string_view member) const {
    if (!absent_only && !present_only) return true;
    return set.score(member).has_value() == present_only;
  }
};

Outcome add(Context& ctx, std::string_view key, const AddRules& rules, std::span<const SortedSet::Item> items) {
  auto set = rules.present_only ? ctx.keys.edit<SortedSet>(key) : ctx.keys.upsert<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  std::int64_t inserted = 0;
  std::int64_t moved = 0;
  if (!set.absent()) {
    for (const auto& [member, score] : items) {
      if (!rules.allow(*set, member)) continue;
      const SortedSet::Put put = set->put(member, score, ctx.services.settings.sorted_set);
      inserted += put == SortedSet::Put::inserted ? 1 : 0;
      moved += put == SortedSet::Put::moved ? 1 : 0;
    }
    if (inserted + moved != 0) set.commit(engine::events::kZAdd);
  }
  ctx.reply.integer(rules.count_moved ? inserted + moved : inserted);
  return Outcome::done;
}

Outcome geoadd(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const AddRules rules = AddRules::read(args);
  const bool contradiction = rules.absent_only && rules.present_only;
  if (args.left() == 0 || args.left() % 3 != 0 || contradiction) return ctx.fail(errors::kSyntax);
  std::vector<SortedSet::Item> items;
  items.reserve(args.left() / 3);
  while (args.more()) {
    std::string error;
    const auto place = geo::read_place(args, error);
    if (!place) return ctx.fail(error);
    items.push_back({args.text(), geo::score_of(*place)});
  }
  return add(ctx, key, rules, items);
}

/// The scores of the members that are named, none for those that are not there.
template <class Answer>
Outcome answer_members(Context& ctx, Args& args, Answer&& answer) {
  const auto set = ctx.keys.find<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.array(args.left());
  for (const std::string_view member : args.rest()) answer(set.absent() ? std::nullopt : set->score(member));
  return Outcome::done;
}

Outcome geopos(Context& ctx, Args& args) {
  return answer_members(ctx, args, [&](std::optional<double> score) {
    score ? geo::reply_place(ctx.reply, geo::place_of(*score)) : ctx.reply.null_array();
  });
}

Outcome geohash(Context& ctx, Args& args) {
  return answer_members(ctx, args, [&](std::optional<double> score) {
    score ? ctx.reply.bulk(geo::geohash_of(*score)) : ctx.reply.null();
  });
}

Outcome geodist(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view from = args.text();
  const std::string_view to = args.text();
  if (args.left() > 1) return ctx.fail(errors::kSyntax);
  const auto unit = args.more() ? geo::metres_in(args.text()) : 1;
  if (!unit) return ctx.fail(geo::kBadUnit);
  const auto set = ctx.keys.find<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto from_score = set.absent() ? std::nullopt : set->score(from);
  const auto to_score = set.absent() ? std::nullopt : set->score(to);
  if (from_score && to_score) {
    geo::reply_distance(ctx.reply, geo::distance(geo::place_of(*from_score), geo::place_of(*to_score)) / *unit);
  } else {
    ctx.reply.null();
  }
  return Outcome::done;
}

constexpr Keys kRead = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "GEOADD key [NX | XX] [CH] longitude:double latitude:double member "
               "[longitude:double latitude:double member ...]",
     .handler = geoadd,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::geo,
     .docs = {.summary = "Adds members to a sorted set whose scores stand for places, or moves them.",
              .complexity = "O(log(N)) a member",
              .since = "3.2.0"}},
    {.syntax = "GEOPOS key [member [member ...]]",
     .handler = geopos,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::geo,
     .docs = {.summary = "Returns the places of members.", .complexity = "O(1) a member", .since = "3.2.0"}},
    {.syntax = "GEODIST key member1 member2 [M | KM | FT | MI]",
     .handler = geodist,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::geo,
     .docs = {.summary = "Returns the distance of two members.", .complexity = "O(1)", .since = "3.2.0"}},
    {.syntax = "GEOHASH key [member [member ...]]",
     .handler = geohash,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::geo,
     .docs = {.summary = "Returns the places of members as geohashes.",
              .complexity = "O(1) a member",
              .since = "3.2.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> geo_commands() { return kSpecs; }

}  // namespace fairlane::command
