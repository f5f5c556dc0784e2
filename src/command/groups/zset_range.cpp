// zset_range.cpp - parts of sorted sets, by position, score or member; answered or stored.
#include <variant>

#include "command/groups.hpp"
#include "command/zset_put.hpp"
#include "command/zset_range.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;

enum class By : std::uint8_t { rank, score, member };

/// What the name of a command leaves open for its options to say.
struct Fixed {
  std::optional<By> by = {};
  std::optional<Direction> direction = {};
  bool stores = false;
};

struct Query {
  std::string_view key;
  std::variant<RankRange, ScoreRange, MemberRange> range;
  Direction direction = Direction::forward;
  Window window;
  bool scores = false;
};

struct Options {
  By by = By::rank;
  Direction direction = Direction::forward;
  Window window;
  bool scores = false;
};

Options take_options(Args& args, Fixed fixed) noexcept {
  Options options;
  while (args.more()) {
    if (!fixed.stores && args.option("WITHSCORES")) {
      options.scores = true;
    } else if (args.option_with("LIMIT", 2)) {
      options.window.offset = args.integer();
      options.window.limit = args.integer();
    } else if (!fixed.direction && args.option("REV")) {
      fixed.direction = Direction::backward;
    } else if (!fixed.by && args.option("BYLEX")) {
      fixed.by = By::member;
    } else if (!fixed.by && args.option("BYSCORE")) {
      fixed.by = By::score;
    } else {
      args.fail(errors::kSyntax);
    }
  }
  options.by = fixed.by.value_or(By::rank);
  options.direction = fixed.direction.value_or(Direction::forward);
  if (options.window.limit != -1 && options.by == By::rank) {
    args.fail("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  if (options.scores && options.by == By::member) {
    args.fail("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  }
  return options;
}

/// Reads key, range and options; what is wrong with the options is said before what is wrong with the range.
Query parse_query(Args& args, const Fixed& fixed) {
  Query query;
  query.key = args.text();
  Args bounds = args;
  args.skip(2);
  const Options options = take_options(args, fixed);
  if (!args.ok()) return query;
  query.direction = options.direction;
  query.window = options.window;
  query.scores = options.scores;
  if (options.by == By::rank) {
    const std::int64_t start = bounds.integer();
    query.range = RankRange{start, bounds.integer()};
    args.fail(bounds.error());
    return query;
  }
  std::string_view low = bounds.text();
  std::string_view high = bounds.text();
  if (options.direction == Direction::backward) std::swap(low, high);
  if (options.by == By::score) {
    const auto range = parse_score_range(low, high);
    if (!range) args.fail(errors::kNotScoreRange);
    query.range = range.value_or(ScoreRange{});
  } else {
    const auto range = parse_member_range(low, high);
    if (!range) args.fail(errors::kNotMemberRange);
    query.range = range.value_or(MemberRange{});
  }
  return query;
}

template <class Visit>
std::size_t visit(const SortedSet& set, const Query& query, Visit&& visitor) {
  return std::visit([&](const auto& range) { return visit_range(set, range, query.direction, query.window, visitor); },
                    query.range);
}

void answer(protocol::Reply& reply, const SortedSet& set, const Query& query) {
  const bool pairs = query.scores && reply.resp3();
  const std::size_t words = query.scores && !pairs ? 2 : 1;
  const auto write = [&](const SortedSet::Item& item) {
    if (pairs) reply.array(2);
    reply.bulk(item.member);
    if (query.scores) reply.number(item.score);
  };
  if (const RankRange* ranks = std::get_if<RankRange>(&query.range)) {
    reply.array(ranks->in(set.size()).count * words);
    visit(set, query, write);
    return;
  }
  const auto place = reply.open();
  reply.close_array(place, visit(set, query, write) * words);
}

Outcome range(Context& ctx, Args& args, const Fixed& fixed) {
  const Query query = parse_query(args, fixed);
  if (!args.ok()) return ctx.fail(args.error());
  const auto set = ctx.keys.find<SortedSet>(query.key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent()) {
    ctx.reply.array(0);
  } else {
    answer(ctx.reply, *set, query);
  }
  return Outcome::done;
}

Outcome zrange(Context& ctx, Args& args) { return range(ctx, args, {}); }
Outcome zrevrange(Context& ctx, Args& args) { return range(ctx, args, {By::rank, Direction::backward}); }
Outcome zrangebyscore(Context& ctx, Args& args) { return range(ctx, args, {By::score, Direction::forward}); }
Outcome zrevrangebyscore(Context& ctx, Args& args) { return range(ctx, args, {By::score, Direction::backward}); }
Outcome zrangebylex(Context& ctx, Args& args) { return range(ctx, args, {By::member, Direction::forward}); }
Outcome zrevrangebylex(Context& ctx, Args& args) { return range(ctx, args, {By::member, Direction::backward}); }

Outcome zrangestore(Context& ctx, Args& args) {
  const std::string_view destination = args.text();
  const Query query = parse_query(args, {.stores = true});
  if (!args.ok()) return ctx.fail(args.error());
  const auto set = ctx.keys.find<SortedSet>(query.key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  SortedSet stored;
  if (!set.absent()) {
    const SortedSet::Limits& limits = ctx.services.settings.sorted_set;
    // Of positions Redis knows the number in advance and makes a large set at once, which matters to -0.
    const RankRange* ranks = std::get_if<RankRange>(&query.range);
    const bool large = ranks != nullptr && ranks->in(set->size()).count > limits.max_packed_entries;
    visit(*set, query, [&](const SortedSet::Item& item) {
      if (large) {
        stored.put(item.member, item.score, limits);
      } else {
        put_score(stored, item.member, item.score, limits);
      }
    });
  }
  const std::size_t size = stored.size();
  ctx.keys.store(destination, std::move(stored), engine::events::kZRangeStore);
  ctx.reply.integer(static_cast<std::int64_t>(size));
  return Outcome::done;
}

constexpr std::string_view kComplexity = "O(log(N)+M), M members returned";
constexpr Keys kRead = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset:integer count:integer] [WITHSCORES]",
     .handler = zrange,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members between two positions, scores or members, from either end.",
              .complexity = kComplexity,
              .since = "1.2.0"}},
    {.syntax = "ZREVRANGE key start:integer stop:integer [WITHSCORES]",
     .handler = zrevrange,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members between two positions, counted from the highest score down.",
              .complexity = kComplexity,
              .since = "1.2.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`ZRANGE` with the `REV` argument"}},
    {.syntax = "ZRANGEBYSCORE key min:double max:double [WITHSCORES] [LIMIT offset:integer count:integer]",
     .handler = zrangebyscore,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members between two scores.",
              .complexity = kComplexity,
              .since = "1.0.5",
              .deprecated_since = "6.2.0",
              .replaced_by = "`ZRANGE` with the `BYSCORE` argument"}},
    {.syntax = "ZREVRANGEBYSCORE key max:double min:double [WITHSCORES] [LIMIT offset:integer count:integer]",
     .handler = zrevrangebyscore,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members between two scores, from the higher one down.",
              .complexity = kComplexity,
              .since = "2.2.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`ZRANGE` with the `REV` and `BYSCORE` arguments"}},
    {.syntax = "ZRANGEBYLEX key min max [LIMIT offset:integer count:integer]",
     .handler = zrangebylex,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members between two members of a set whose scores are equal.",
              .complexity = kComplexity,
              .since = "2.8.9",
              .deprecated_since = "6.2.0",
              .replaced_by = "`ZRANGE` with the `BYLEX` argument"}},
    {.syntax = "ZREVRANGEBYLEX key max min [LIMIT offset:integer count:integer]",
     .handler = zrevrangebylex,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary =
                  "Returns the members between two members of a set whose scores are equal, in descending order.",
              .complexity = kComplexity,
              .since = "2.8.9",
              .deprecated_since = "6.2.0",
              .replaced_by = "`ZRANGE` with the `REV` and `BYLEX` arguments"}},
    {.syntax = "ZRANGESTORE dst:key src:key min max [BYSCORE | BYLEX] [REV] [LIMIT offset:integer count:integer]",
     .handler = zrangestore,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update).and_(key_at(2, Use::ro | Use::access)),
     .group = Group::sorted_set,
     .docs = {.summary = "Stores the members between two positions, scores or members under another key.",
              .complexity = "O(log(N)+M), M members stored",
              .since = "6.2.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> zset_range_commands() { return kSpecs; }

}  // namespace fairlane::command
