// lane_id.cpp - what gives jobs their order: branded ids, and scores of a priority and a counter.
#include "command/groups.hpp"
#include "command/lane/arguments.hpp"
#include "command/lane/queue.hpp"

namespace fairlane::command {
namespace {

constexpr std::int64_t kMostIds = 100'000;
constexpr std::int64_t kTierSize = std::int64_t{1} << 32;
constexpr std::int64_t kMaxPriority = (std::int64_t{1} << 21) - 1;
constexpr std::string_view kBadCount = "ERR count must be a number from 1 to 100000";
constexpr std::string_view kBadPriority = "ERR priority must be a number from 0 to 2097151";
constexpr std::string_view kBadCounter = "ERR the counter would leave its range of 1 to 4294967295";

Outcome lane_mint(Context& ctx, Args& args) {
  const std::string_view brand = args.text();
  if (!base::is_brand(brand)) args.fail(lane_errors::kBrand);
  std::int64_t count = 1;
  while (args.more()) {
    if (!args.option_with("COUNT", 1)) return ctx.fail(errors::kSyntax);
    count = args.integer_in(1, kMostIds, kBadCount, kBadCount);
  }
  if (!args.ok()) return ctx.fail(args.error());
  ctx.reply.array(static_cast<std::size_t>(count));
  base::Minter& minter = ctx.services.lanes->minter();
  for (; count > 0; --count) {
    ctx.reply.bulk(base::BrandedIdText(brand, minter.next(static_cast<std::uint64_t>(ctx.now))));
  }
  return Outcome::done;
}

Outcome lane_id(Context& ctx, Args& args) {
  const auto id = base::parse_branded_id(args.text());
  if (!id) return ctx.fail(lane_errors::kBrandedId);
  ctx.reply.map(5);
  ctx.reply.bulk("brand");
  ctx.reply.bulk(id->brand_text());
  const std::pair<std::string_view, std::uint64_t> fields[] = {
      {"snowflake", id->snowflake}, {"ms", id->unix_ms()}, {"node", id->node()}, {"seq", id->sequence()}};
  for (const auto& [field, value] : fields) {
    ctx.reply.bulk(field);
    ctx.reply.integer(static_cast<std::int64_t>(value));
  }
  return Outcome::done;
}

/// The counter's next value, or an error.
std::string_view read_next(const engine::EditString& counter, std::int64_t& next) {
  next = 1;
  if (counter.absent()) return {};
  if (counter.wrong_type()) return errors::kWrongType;
  if (!counter.is_integer()) return errors::kNotInteger;
  const std::int64_t last = counter.integer();
  if (last < 0 || last >= kTierSize - 1) return kBadCounter;
  next = last + 1;
  return {};
}

Outcome tier_push(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view counter_key = args.text();
  const std::int64_t priority = args.integer_in(0, kMaxPriority, kBadPriority, kBadPriority);
  const std::string_view member = args.text();
  if (!args.ok()) return ctx.fail(args.error());
  if (key == counter_key) return ctx.fail(errors::kSameObject);
  auto tier = ctx.keys.upsert<data::SortedSet>(key);
  if (tier.wrong_type()) return ctx.fail(errors::kWrongType);
  auto counter = ctx.keys.edit_string(counter_key);
  std::int64_t next = 0;
  if (const std::string_view error = read_next(counter, next); !error.empty()) return ctx.fail(error);
  counter.assign_integer(next);
  counter.commit(engine::events::kIncrBy);
  const auto score = static_cast<double>(priority * kTierSize + next);
  tier->put(member, score, ctx.services.settings.sorted_set);
  tier.commit(engine::events::kZAdd);
  ctx.reply.array(2);
  ctx.reply.number(score);
  ctx.reply.integer(next);
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "LANE.MINT brand [COUNT count:integer]",
     .handler = lane_mint,
     .flags = Flag::fast,
     .group = Group::lane,
     .docs = {.summary = "Mints ids that sort in the order of their minting.",
              .complexity = "O(N), N ids",
              .since = "0.1.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "LANE.ID id",
     .handler = lane_id,
     .flags = Flag::fast,
     .group = Group::lane,
     .docs = {.summary = "Takes a branded id apart.", .complexity = "O(1)", .since = "0.1.0"}},
    {.syntax = "TIER.PUSH key counter:key priority:integer member",
     .handler = tier_push,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update).and_(key_at(2, Use::rw | Use::access | Use::update)),
     .group = Group::lane,
     .docs = {.summary = "Adds a member behind those of its priority.", .complexity = "O(log(N))", .since = "0.1.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> lane_id_commands() { return kSpecs; }

}  // namespace fairlane::command
