// zset_read.cpp - sorted sets looked at: scores, positions, counts, members by chance and by walk.
#include <algorithm>
#include <unordered_set>

#include "command/groups.hpp"
#include "command/scan_options.hpp"
#include "command/zset_range.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;

/// With repetition a client may ask for more members than any memory holds; no more than these are written.
constexpr std::int64_t kMostRepeated = std::int64_t{1} << 27;
/// Up to this size a set may be walked through whatever the count: drawing one by one and remembering what was drawn
/// would cost more.
constexpr std::size_t kSmall = 512;

Outcome zscore(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto score = set.absent() ? std::nullopt : set->score(args.text());
  score ? ctx.reply.number(*score) : ctx.reply.null();
  return Outcome::done;
}

Outcome zmscore(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.array(args.left());
  for (const std::string_view member : args.rest()) {
    const auto score = set.absent() ? std::nullopt : set->score(member);
    score ? ctx.reply.number(*score) : ctx.reply.null();
  }
  return Outcome::done;
}

Outcome zcard(Context& ctx, Args& args) {
  const auto set = ctx.keys.find<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(set.absent() ? 0 : static_cast<std::int64_t>(set->size()));
  return Outcome::done;
}

Outcome rank(Context& ctx, Args& args, Direction direction) {
  const auto set = ctx.keys.find<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto rank = set.absent() ? std::nullopt : set->rank(args.text());
  if (!rank) {
    ctx.reply.null();
  } else {
    const std::size_t place = direction == Direction::forward ? *rank : set->size() - 1 - *rank;
    ctx.reply.integer(static_cast<std::int64_t>(place));
  }
  return Outcome::done;
}

Outcome zrank(Context& ctx, Args& args) { return rank(ctx, args, Direction::forward); }
Outcome zrevrank(Context& ctx, Args& args) { return rank(ctx, args, Direction::backward); }

template <class Range>
Outcome count(Context& ctx, std::string_view key, const Range& range) {
  const auto set = ctx.keys.find<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(set.absent() ? 0 : static_cast<std::int64_t>(span_of(*set, range).count));
  return Outcome::done;
}

Outcome zcount(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view low = args.text();
  const auto range = parse_score_range(low, args.text());
  return range ? count(ctx, key, *range) : ctx.fail(errors::kNotScoreRange);
}

Outcome zlexcount(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view low = args.text();
  const auto range = parse_member_range(low, args.text());
  return range ? count(ctx, key, *range) : ctx.fail(errors::kNotMemberRange);
}

// --- by chance

/// Writes one chosen member after the other.
class Sample {
 public:
  Sample(protocol::Reply& reply, bool scores) noexcept
      : reply_(reply), scores_(scores), pairs_(scores && reply.resp3()) {}

  void begin(std::size_t size) { reply_.array(scores_ && !pairs_ ? size * 2 : size); }
  void add(const SortedSet::Item& item) {
    if (pairs_) reply_.array(2);
    reply_.bulk(item.member);
    if (scores_) reply_.number(item.score);
  }

 private:
  protocol::Reply& reply_;
  bool scores_;
  bool pairs_;
};

/// Leaves each member out with the chance that makes every choice of `count` as likely.
void choose_by_walk(const SortedSet& set, std::size_t count, base::Random& random, Sample& sample) {
  std::size_t left = set.size();
  for (SortedSet::Cursor at = set.first(); count != 0; at.next()) {
    if (random.below(left--) >= count) continue;
    sample.add(at.item());
    --count;
  }
}

/// Draws until enough different members were seen: cheap when they are few among many.
void choose_by_drawing(const SortedSet& set, std::size_t count, base::Random& random, Sample& sample) {
  std::unordered_set<std::size_t> seen;
  seen.reserve(count);
  while (seen.size() < count) {
    const auto place = static_cast<std::size_t>(random.below(set.size()));
    if (seen.insert(place).second) sample.add(set.at_rank(place).item());
  }
}

void choose(Context& ctx, const SortedSet& set, std::int64_t count, bool scores) {
  Sample sample(ctx.reply, scores);
  base::Random& random = ctx.services.random;
  if (count < 0) {
    const std::int64_t times = std::min(-count, kMostRepeated);
    sample.begin(static_cast<std::size_t>(times));
    for (std::int64_t i = 0; i < times; ++i) sample.add(set.random(random));
    return;
  }
  const std::size_t wanted = std::min(static_cast<std::size_t>(count), set.size());
  sample.begin(wanted);
  if (set.size() <= kSmall || wanted >= set.size() / 3) {
    choose_by_walk(set, wanted, random, sample);
  } else {
    choose_by_drawing(set, wanted, random, sample);
  }
}

Outcome zrandmember_one(Context& ctx, std::string_view key) {
  const auto set = ctx.keys.find<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  set.absent() ? ctx.reply.null() : ctx.reply.bulk(set->random(ctx.services.random).member);
  return Outcome::done;
}

Outcome zrandmember(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  if (!args.more()) return zrandmember_one(ctx, key);
  const std::int64_t count =
      args.integer_in(-INT64_MAX, INT64_MAX,
                      "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807");
  const bool scores = args.option("WITHSCORES");
  if (!args.ok()) return ctx.fail(args.error());
  if (args.more()) return ctx.fail(errors::kSyntax);
  if (scores && (count < -INT64_MAX / 2 || count > INT64_MAX / 2)) return ctx.fail(errors::kOutOfRange);
  const auto set = ctx.keys.find<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent() || count == 0) {
    ctx.reply.array(0);
  } else {
    choose(ctx, *set, count, scores);
  }
  return Outcome::done;
}

// --- by walk

/// ZSCAN shows a score as redis-server keeps it: where that is the packed encoding, whole numbers have no exponent.
void scanned_score(protocol::Reply& reply, double score, bool packed) {
  constexpr double kWholeLimit = 4611686018427387904.0;
  if (packed && score >= -kWholeLimit && score <= kWholeLimit) {
    const auto whole = static_cast<std::int64_t>(score);
    if (static_cast<double>(whole) == score) return reply.bulk_integer(whole);
  }
  reply.bulk_number(score);
}

Outcome zscan(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const auto cursor = parse_cursor(args.text());
  if (!cursor) return ctx.fail(errors::kBadCursor);
  const auto set = ctx.keys.find<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  // An absent key is answered before the options are looked at.
  const auto options = set.absent() ? ScanOptions{} : take_scan_options(args);
  if (!args.ok()) return ctx.fail(args.error());
  const auto elements = ctx.reply.open();
  std::size_t found = 0;
  std::uint64_t next = 0;
  if (!set.absent()) {
    const bool packed = !set->large();
    next = set->scan(*cursor, options.count, [&](const SortedSet::Item& item) {
      if (!options.wants(item.member)) return;
      ctx.reply.bulk(item.member);
      scanned_score(ctx.reply, item.score, packed);
      found += 2;
    });
  }
  close_scan(ctx.reply, elements, next, found);
  return Outcome::done;
}

constexpr Keys kLookedAt = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "ZSCORE key member",
     .handler = zscore,
     .flags = Flag::readonly | Flag::fast,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the score of a member.",
              .complexity = "O(log(N)), O(1) in large sets of several scores",
              .since = "1.2.0"}},
    {.syntax = "ZMSCORE key member [member ...]",
     .handler = zmscore,
     .flags = Flag::readonly | Flag::fast,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the scores of several members.",
              .complexity = "O(log(N)) a member, O(1) in large sets of several scores",
              .since = "6.2.0"}},
    {.syntax = "ZCARD key",
     .handler = zcard,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro),
     .group = Group::sorted_set,
     .docs = {.summary = "Counts the members of a sorted set.", .complexity = "O(1)", .since = "1.2.0"}},
    {.syntax = "ZRANK key member",
     .handler = zrank,
     .flags = Flag::readonly | Flag::fast,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the position of a member, counted from the lowest score up.",
              .complexity = "O(log(N))",
              .since = "2.0.0"}},
    {.syntax = "ZREVRANK key member",
     .handler = zrevrank,
     .flags = Flag::readonly | Flag::fast,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the position of a member, counted from the highest score down.",
              .complexity = "O(log(N))",
              .since = "2.0.0"}},
    {.syntax = "ZCOUNT key min:double max:double",
     .handler = zcount,
     .flags = Flag::readonly | Flag::fast,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Counts the members between two scores.", .complexity = "O(log(N))", .since = "2.0.0"}},
    {.syntax = "ZLEXCOUNT key min max",
     .handler = zlexcount,
     .flags = Flag::readonly | Flag::fast,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Counts the members between two members of a set whose scores are equal.",
              .complexity = "O(log(N))",
              .since = "2.8.9"}},
    {.syntax = "ZRANDMEMBER key [count:integer [WITHSCORES]]",
     .handler = zrandmember,
     .flags = Flag::readonly,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns members chosen by chance.",
              .complexity = "O(N log(N)), N members returned",
              .since = "6.2.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "ZSCAN key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
     .handler = zscan,
     .flags = Flag::readonly,
     .keys = kLookedAt,
     .group = Group::sorted_set,
     .docs = {.summary = "Walks through the members of a sorted set and their scores, some at each call.",
              .complexity = "O(1) a call, O(N) for the whole walk",
              .since = "2.8.0"},
     .tips = "nondeterministic_output"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> zset_read_commands() { return kSpecs; }

}  // namespace fairlane::command
