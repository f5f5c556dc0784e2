// zset_write.cpp - putting members into sorted sets and taking out those that are named.
#include <array>
#include <cmath>
#include <vector>

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

/// What ZADD is told besides scores and members.
struct AddRules {
  bool absent_only = false;
  bool present_only = false;
  bool greater_only = false;
  bool less_only = false;
  bool count_changed = false;
  bool increment = false;

  bool plain() const noexcept { return !(absent_only || present_only || greater_only || less_only || increment); }
};

void take_rules(Args& args, AddRules& rules) noexcept {
  while (args.more()) {
    // Nearly always a score comes at once.
    if (args.peek().empty() || args.peek().front() < 'A') return;
    if (args.option("NX")) {
      rules.absent_only = true;
    } else if (args.option("XX")) {
      rules.present_only = true;
    } else if (args.option("CH")) {
      rules.count_changed = true;
    } else if (args.option("INCR")) {
      rules.increment = true;
    } else if (args.option("GT")) {
      rules.greater_only = true;
    } else if (args.option("LT")) {
      rules.less_only = true;
    } else {
      return;
    }
  }
}

std::string_view contradiction(const AddRules& rules, std::size_t pairs) noexcept {
  if (rules.absent_only && rules.present_only) return "ERR XX and NX options at the same time are not compatible";
  if ((rules.absent_only && (rules.greater_only || rules.less_only)) || (rules.greater_only && rules.less_only)) {
    return "ERR GT, LT, and/or NX options at the same time are not compatible";
  }
  if (rules.increment && pairs > 1) return "ERR INCR option supports a single increment-element pair";
  return {};
}

/// Score, member, score, member and so on, with all scores read before the first is used.
class Pairs {
 public:
  /// False when one of the scores is no number.
  bool read(std::span<const std::string_view> words) {
    words_ = words;
    double* scores = few_.data();
    if (size() > few_.size()) {
      many_.resize(size());
      scores = many_.data();
    }
    scores_ = scores;
    for (std::size_t i = 0; i < size(); ++i) {
      const auto score = base::parse_double(words[2 * i]);
      if (!score) return false;
      scores[i] = *score;
    }
    return true;
  }
  std::size_t size() const noexcept { return words_.size() / 2; }
  double score(std::size_t i) const noexcept { return scores_[i]; }
  std::string_view member(std::size_t i) const noexcept { return words_[2 * i + 1]; }

 private:
  std::span<const std::string_view> words_;
  const double* scores_ = nullptr;
  std::array<double, 16> few_;
  std::vector<double> many_;
};

struct Added {
  std::int64_t inserted = 0;
  std::int64_t moved = 0;

  void count(SortedSet::Put put) noexcept {
    inserted += put == SortedSet::Put::inserted ? 1 : 0;
    moved += put == SortedSet::Put::moved ? 1 : 0;
  }
  bool any() const noexcept { return inserted + moved != 0; }
  std::int64_t answer(const AddRules& rules) const noexcept {
    return rules.count_changed ? inserted + moved : inserted;
  }
};

/// The score that the rules leave for a member whose present score is `held`; nothing when they refuse the change.
std::optional<double> ruled(const AddRules& rules, std::optional<double> held, double score) noexcept {
  if (!held) return rules.present_only ? std::nullopt : std::optional(score);
  if (rules.absent_only) return std::nullopt;
  const double wanted = rules.increment ? *held + score : score;
  if ((rules.greater_only && wanted <= *held) || (rules.less_only && wanted >= *held)) return std::nullopt;
  return wanted;
}

Outcome increment(Context& ctx, engine::Edit<SortedSet>& set, const AddRules& rules, const Pairs& pairs) {
  const std::string_view member = pairs.member(0);
  const auto score = ruled(rules, set->score(member), pairs.score(0));
  if (!score) {
    ctx.reply.null();
    return Outcome::done;
  }
  if (std::isnan(*score)) return ctx.fail("ERR resulting score is not a number (NaN)");
  const SortedSet::Put put = put_score(*set, member, *score, ctx.services.settings.sorted_set);
  if (put != SortedSet::Put::unchanged) set.commit(engine::events::kZIncr);
  ctx.reply.number(*score);
  return Outcome::done;
}

Outcome add(Context& ctx, std::string_view key, const AddRules& rules, const Pairs& pairs) {
  auto set = rules.present_only ? ctx.keys.edit<SortedSet>(key) : ctx.keys.upsert<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  if (set.absent()) {
    rules.increment ? ctx.reply.null() : ctx.reply.integer(0);
    return Outcome::done;
  }
  if (rules.increment) return increment(ctx, set, rules, pairs);
  const SortedSet::Limits& limits = ctx.services.settings.sorted_set;
  const bool plain = rules.plain();
  Added added;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string_view member = pairs.member(i);
    if (!plain && !ruled(rules, set->score(member), pairs.score(i))) continue;
    added.count(put_score(*set, member, pairs.score(i), limits));
  }
  if (added.any()) set.commit(engine::events::kZAdd);
  ctx.reply.integer(added.answer(rules));
  return Outcome::done;
}

Outcome parse_and_add(Context& ctx, Args& args, AddRules rules) {
  const std::string_view key = args.text();
  take_rules(args, rules);
  const auto words = args.rest();
  if (words.empty() || words.size() % 2 != 0) return ctx.fail(errors::kSyntax);
  if (const std::string_view error = contradiction(rules, words.size() / 2); !error.empty()) return ctx.fail(error);
  Pairs pairs;
  if (!pairs.read(words)) return ctx.fail(errors::kNotFloat);
  return add(ctx, key, rules, pairs);
}

/// What queues do all the time, without the detours that options and several members ask for.
Outcome add_one(Context& ctx, std::string_view key, double score, std::string_view member) {
  auto set = ctx.keys.upsert<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  const SortedSet::Put put = put_score(*set, member, score, ctx.services.settings.sorted_set);
  if (put != SortedSet::Put::unchanged) set.commit(engine::events::kZAdd);
  ctx.reply.integer(put == SortedSet::Put::inserted ? 1 : 0);
  return Outcome::done;
}

Outcome zadd(Context& ctx, Args& args) {
  if (args.left() == 3) {
    const auto words = args.rest();
    if (const auto score = base::parse_double(words[1])) return add_one(ctx, words[0], *score, words[2]);
  }
  return parse_and_add(ctx, args, {});
}
Outcome zincrby(Context& ctx, Args& args) { return parse_and_add(ctx, args, {.increment = true}); }

Outcome zrem(Context& ctx, Args& args) {
  auto set = ctx.keys.edit<SortedSet>(args.text());
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  std::int64_t removed = 0;
  if (!set.absent()) {
    for (const std::string_view member : args.rest()) removed += set->erase(member) ? 1 : 0;
    if (removed != 0) set.commit(engine::events::kZRem);
  }
  ctx.reply.integer(removed);
  return Outcome::done;
}

RankRange::Span span_of(const SortedSet& set, const RankRange& range) noexcept { return range.in(set.size()); }

template <class Range>
Outcome remove_range(Context& ctx, std::string_view key, const Range& range, engine::Event event) {
  auto set = ctx.keys.edit<SortedSet>(key);
  if (set.wrong_type()) return ctx.fail(errors::kWrongType);
  std::size_t removed = 0;
  if (!set.absent()) {
    const RankRange::Span span = span_of(set.peek(), range);
    if (span.count != 0) removed = set->erase_range(span.first, span.first + span.count - 1);
    if (removed != 0) set.commit(event);
  }
  ctx.reply.integer(static_cast<std::int64_t>(removed));
  return Outcome::done;
}

Outcome zremrangebyrank(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::int64_t start = args.integer();
  const std::int64_t stop = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  return remove_range(ctx, key, RankRange{start, stop}, engine::events::kZRemRangeByRank);
}

Outcome zremrangebyscore(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view low = args.text();
  const auto range = parse_score_range(low, args.text());
  if (!range) return ctx.fail(errors::kNotScoreRange);
  return remove_range(ctx, key, *range, engine::events::kZRemRangeByScore);
}

Outcome zremrangebylex(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view low = args.text();
  const auto range = parse_member_range(low, args.text());
  if (!range) return ctx.fail(errors::kNotMemberRange);
  return remove_range(ctx, key, *range, engine::events::kZRemRangeByLex);
}

constexpr Spec kSpecs[] = {
    {.syntax = "ZADD key [NX | XX] [GT | LT] [CH] [INCR] score:double member [score:double member ...]",
     .handler = zadd,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::sorted_set,
     .docs = {.summary = "Adds members with their scores to a sorted set, or gives members other scores.",
              .complexity = "O(log(N)) a member; O(1) when all scores are equal and the member sorts behind all others",
              .since = "1.2.0"}},
    {.syntax = "ZINCRBY key increment:integer member",
     .handler = zincrby,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::sorted_set,
     .docs = {.summary = "Adds to the score of a member, which is made when there is none.",
              .complexity = "O(log(N))",
              .since = "1.2.0"}},
    {.syntax = "ZREM key member [member ...]",
     .handler = zrem,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::sorted_set,
     .docs = {.summary = "Removes members from a sorted set.", .complexity = "O(log(N)) a member", .since = "1.2.0"}},
    {.syntax = "ZREMRANGEBYRANK key start:integer stop:integer",
     .handler = zremrangebyrank,
     .flags = Flag::write,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::sorted_set,
     .docs = {.summary = "Removes the members between two positions.",
              .complexity = "O(log(N)+M), M members removed",
              .since = "2.0.0"}},
    {.syntax = "ZREMRANGEBYSCORE key min:double max:double",
     .handler = zremrangebyscore,
     .flags = Flag::write,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::sorted_set,
     .docs = {.summary = "Removes the members between two scores.",
              .complexity = "O(log(N)+M), M members removed",
              .since = "1.2.0"}},
    {.syntax = "ZREMRANGEBYLEX key min max",
     .handler = zremrangebylex,
     .flags = Flag::write,
     .keys = key_at(1, Use::rw | Use::del),
     .group = Group::sorted_set,
     .docs = {.summary = "Removes the members between two members of a set whose scores are equal.",
              .complexity = "O(log(N)+M), M members removed",
              .since = "2.8.9"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> zset_write_commands() { return kSpecs; }

}  // namespace fairlane::command
