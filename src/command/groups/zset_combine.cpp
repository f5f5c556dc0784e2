// zset_combine.cpp - unions, intersections and differences of sorted sets and sets, answered or stored.
#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "command/groups.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/database.hpp"

namespace fairlane::command {
namespace {

using data::Set;
using data::SortedSet;
using Item = SortedSet::Item;

constexpr std::size_t kStride = 64;

/// A sorted set, a set, whose members all have score 1, or nothing. Good until its key changes.
class Source {
 public:
  /// False when the entry is of another type; null is an empty source.
  bool look_at(const engine::Entry* entry) noexcept {
    if (entry == nullptr) return true;
    if (entry->type() == engine::Type::sorted_set) {
      sorted_ = &entry->value<SortedSet>();
    } else if (entry->type() == engine::Type::set) {
      set_ = &entry->value<Set>();
    } else {
      return false;
    }
    return true;
  }

  double weight = 1;

  bool same_as(const Source& other) const noexcept { return sorted_ == other.sorted_ && set_ == other.set_; }
  std::size_t size() const noexcept {
    return sorted_ != nullptr ? sorted_->size() : set_ != nullptr ? set_->size() : 0;
  }
  /// Whether a visited member's bytes are gone after the visit.
  bool fleeting() const noexcept { return set_ != nullptr && set_->is_intset(); }
  std::optional<double> score(std::string_view member) const {
    if (sorted_ != nullptr) return sorted_->score(member);
    return set_ != nullptr && set_->contains(member) ? std::optional(1.0) : std::nullopt;
  }

  /// visit(item) for all members until it answers false.
  template <class Visit>
  void visit_while(Visit&& visit) const {
    if (sorted_ != nullptr) {
      for (SortedSet::Cursor at = sorted_->first(); at.valid(); at.next()) {
        if (!visit(at.item())) return;
      }
    } else if (set_ != nullptr) {
      bool goes_on = true;
      std::uint64_t cursor = 0;
      do {
        // A scan visits every member of an unchanging set once, and unlike for_each can stop on the way.
        cursor = set_->scan(cursor, kStride, [&](std::string_view member) {
          if (goes_on) goes_on = visit(Item{member, 1.0});
        });
      } while (cursor != 0 && goes_on);
    }
  }

 private:
  const SortedSet* sorted_ = nullptr;
  const Set* set_ = nullptr;
};

enum class Operation : std::uint8_t { unite, intersect, subtract };
enum class Aggregate : std::uint8_t { sum, min, max };

/// What the commands are told: the sources in the order of their keys, and what becomes of scores.
struct Plan {
  Operation operation = Operation::unite;
  Aggregate aggregate = Aggregate::sum;
  std::vector<Source> sources = {};
  bool scores = false;
  std::int64_t limit = 0;  ///< of a count; 0 for none
};

/// The members of a result with their scores, in no order at first. Views the sources.
class Result {
 public:
  void add(const Source& source, const Item& item) {
    items_.push_back({source.fleeting() ? std::string_view(kept_.emplace_back(item.member)) : item.member, item.score});
  }
  std::vector<Item>& items() noexcept { return items_; }
  void sort() {
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return a.score < b.score || (a.score == b.score && a.member < b.member);
    });
  }

 private:
  std::vector<Item> items_;
  std::deque<std::string> kept_;
};

double weighted(double score, double weight) noexcept {
  const double product = score * weight;
  return std::isnan(product) ? 0 : product;
}

void aggregate(double& score, double other, Aggregate how) noexcept {
  if (how == Aggregate::sum) {
    score += other;
    // Infinities of both signs.
    if (std::isnan(score)) score = 0;
  } else if (how == Aggregate::min ? other < score : other > score) {
    score = other;
  }
}

/// Smaller sources first; the order of sums, and so their rounding, follows from it.
void sort_by_size(std::vector<Source>& sources) {
  std::stable_sort(sources.begin(), sources.end(),
                   [](const Source& a, const Source& b) { return a.size() < b.size(); });
}

struct MemberHash {
  std::size_t operator()(std::string_view member) const noexcept { return base::hash_bytes(member); }
};

void unite(Plan& plan, Result& result) {
  sort_by_size(plan.sources);
  std::unordered_map<std::string_view, std::size_t, MemberHash> places;
  std::vector<Item>& items = result.items();
  for (const Source& source : plan.sources) {
    source.visit_while([&](const Item& item) {
      const double score = weighted(item.score, source.weight);
      if (const auto found = places.find(item.member); found != places.end()) {
        aggregate(items[found->second].score, score, plan.aggregate);
      } else {
        result.add(source, {item.member, score});
        places.emplace(items.back().member, items.size() - 1);
      }
      return true;
    });
  }
}

/// Calls take(source, item) for every member that all sources have, until it answers false.
template <class Take>
void intersect(Plan& plan, Take&& take) {
  sort_by_size(plan.sources);
  const Source& smallest = plan.sources.front();
  smallest.visit_while([&](const Item& item) {
    double score = weighted(item.score, smallest.weight);
    for (std::size_t i = 1; i < plan.sources.size(); ++i) {
      const Source& other = plan.sources[i];
      const auto found = other.same_as(smallest) ? std::optional(item.score) : other.score(item.member);
      if (!found) return true;
      aggregate(score, *found * other.weight, plan.aggregate);
    }
    return take(smallest, Item{item.member, score});
  });
}

void subtract(Plan& plan, Result& result) {
  const Source first = plan.sources.front();
  const auto others = std::span(plan.sources).subspan(1);
  // The largest source is asked first, for it refuses most.
  std::sort(others.begin(), others.end(), [](const Source& a, const Source& b) { return a.size() > b.size(); });
  if (std::any_of(others.begin(), others.end(), [&](const Source& other) { return other.same_as(first); })) return;
  first.visit_while([&](const Item& item) {
    const bool held = std::any_of(others.begin(), others.end(),
                                  [&](const Source& other) { return other.score(item.member).has_value(); });
    if (!held) result.add(first, item);
    return true;
  });
}

Result combine(Plan& plan) {
  Result result;
  switch (plan.operation) {
    case Operation::unite:
      unite(plan, result);
      break;
    case Operation::subtract:
      subtract(plan, result);
      break;
    case Operation::intersect:
      intersect(plan, [&](const Source& source, const Item& item) {
        result.add(source, item);
        return true;
      });
      break;
  }
  result.sort();
  return result;
}

// --- what the client says

/// What the command's name leaves open for its options.
enum class Answer : std::uint8_t { members, stored, count };

bool take_option(Args& args, Answer answer, Plan& plan) {
  const bool scored = plan.operation != Operation::subtract && answer != Answer::count;
  if (scored && args.option_with("WEIGHTS", plan.sources.size())) {
    for (Source& source : plan.sources) source.weight = args.number("ERR weight value is not a float");
    return true;
  }
  if (scored && args.option_with("AGGREGATE", 1)) {
    if (args.option("SUM")) {
      plan.aggregate = Aggregate::sum;
    } else if (args.option("MIN")) {
      plan.aggregate = Aggregate::min;
    } else if (args.option("MAX")) {
      plan.aggregate = Aggregate::max;
    } else {
      return false;
    }
    return true;
  }
  if (answer == Answer::members && args.option("WITHSCORES")) {
    plan.scores = true;
    return true;
  }
  if (answer == Answer::count && args.option_with("LIMIT", 1)) {
    plan.limit = args.integer_in(0, INT64_MAX, "ERR LIMIT can't be negative", "ERR LIMIT can't be negative");
    return true;
  }
  return false;
}

/// Reads the words from the number of keys on and looks the keys up, for what they hold is judged before the options.
Outcome prepare(Context& ctx, Args& args, Answer answer, Plan& plan) {
  const std::int64_t numkeys = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  if (numkeys < 1) return ctx.fail("ERR at least 1 input key is needed for '" + ctx.command.name + "' command");
  if (static_cast<std::uint64_t>(numkeys) > args.left()) return ctx.fail(errors::kSyntax);
  plan.sources.resize(static_cast<std::size_t>(numkeys));
  for (Source& source : plan.sources) {
    if (!source.look_at(ctx.keys.find_entry(args.text()))) return ctx.fail(errors::kWrongType);
  }
  while (args.more()) {
    if (!take_option(args, answer, plan)) args.fail(errors::kSyntax);
  }
  return args.ok() ? Outcome::done : ctx.fail(args.error());
}

// --- what it gets

Outcome answer_members(Context& ctx, Args& args, Operation operation) {
  Plan plan{.operation = operation};
  if (const Outcome outcome = prepare(ctx, args, Answer::members, plan); outcome != Outcome::done) return outcome;
  Result result = combine(plan);
  const bool pairs = plan.scores && ctx.reply.resp3();
  ctx.reply.array(result.items().size() * (plan.scores && !pairs ? 2 : 1));
  for (const Item& item : result.items()) {
    if (pairs) ctx.reply.array(2);
    ctx.reply.bulk(item.member);
    if (plan.scores) ctx.reply.number(item.score);
  }
  return Outcome::done;
}

SortedSet as_sorted_set(const std::vector<Item>& items, const SortedSet::Limits& limits) {
  const bool packed = items.size() <= limits.max_packed_entries &&
                      std::all_of(items.begin(), items.end(),
                                  [&](const Item& item) { return item.member.size() <= limits.max_packed_value; });
  SortedSet set;
  for (const Item& item : items) {
    // redis-server's packed encoding has no -0.
    const double score = packed && item.score == 0 ? 0 : item.score;
    set.put(item.member, score, limits);
  }
  return set;
}

Outcome store(Context& ctx, Args& args, Operation operation, engine::Event event) {
  const std::string_view destination = args.text();
  Plan plan{.operation = operation};
  if (const Outcome outcome = prepare(ctx, args, Answer::stored, plan); outcome != Outcome::done) return outcome;
  Result result = combine(plan);
  const std::size_t size = result.items().size();
  ctx.keys.store(destination, as_sorted_set(result.items(), ctx.services.settings.sorted_set), event);
  ctx.reply.integer(static_cast<std::int64_t>(size));
  return Outcome::done;
}

Outcome zunion(Context& ctx, Args& args) { return answer_members(ctx, args, Operation::unite); }
Outcome zinter(Context& ctx, Args& args) { return answer_members(ctx, args, Operation::intersect); }
Outcome zdiff(Context& ctx, Args& args) { return answer_members(ctx, args, Operation::subtract); }

Outcome zunionstore(Context& ctx, Args& args) {
  return store(ctx, args, Operation::unite, engine::events::kZUnionStore);
}
Outcome zinterstore(Context& ctx, Args& args) {
  return store(ctx, args, Operation::intersect, engine::events::kZInterStore);
}
Outcome zdiffstore(Context& ctx, Args& args) {
  return store(ctx, args, Operation::subtract, engine::events::kZDiffStore);
}

Outcome zintercard(Context& ctx, Args& args) {
  Plan plan{.operation = Operation::intersect};
  if (const Outcome outcome = prepare(ctx, args, Answer::count, plan); outcome != Outcome::done) return outcome;
  std::int64_t count = 0;
  intersect(plan, [&](const Source&, const Item&) { return ++count != plan.limit; });
  ctx.reply.integer(count);
  return Outcome::done;
}

constexpr Keys kRead = keys_counted_at(1, Use::ro | Use::access);
constexpr Keys kStored = key_at(1, Use::ow | Use::update).and_(keys_counted_at(2, Use::ro | Use::access));
constexpr Flag kReads = Flag::readonly | Flag::movablekeys;
constexpr Flag kStores = Flag::write | Flag::denyoom | Flag::movablekeys;
constexpr std::string_view kUnionCost = "O(N+M*log(M)), N members in all and M in the result";
constexpr std::string_view kInterCost =
    "O(N*K*log(N)+M*log(M)), N members in the smallest of K sets and M in the result";
constexpr std::string_view kDiffCost = "O(N*K*log(N)+M*log(M)), N members in the first of K sets and M in the result";

constexpr Spec kSpecs[] = {
    {.syntax = "ZUNION numkeys:integer key [key ...] [WEIGHTS weight:integer [weight:integer ...]] "
               "[AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]",
     .handler = zunion,
     .flags = kReads,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members that any of several sorted sets has, with their scores combined.",
              .complexity = kUnionCost,
              .since = "6.2.0"}},
    {.syntax = "ZINTER numkeys:integer key [key ...] [WEIGHTS weight:integer [weight:integer ...]] "
               "[AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]",
     .handler = zinter,
     .flags = kReads,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members that all of several sorted sets have, with their scores combined.",
              .complexity = kInterCost,
              .since = "6.2.0"}},
    {.syntax = "ZDIFF numkeys:integer key [key ...] [WITHSCORES]",
     .handler = zdiff,
     .flags = kReads,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Returns the members of the first sorted set that no other has.",
              .complexity = kDiffCost,
              .since = "6.2.0"}},
    {.syntax =
         "ZUNIONSTORE destination:key numkeys:integer key [key ...] [WEIGHTS weight:integer [weight:integer ...]] "
         "[AGGREGATE <SUM | MIN | MAX>]",
     .handler = zunionstore,
     .flags = kStores,
     .keys = kStored,
     .group = Group::sorted_set,
     .docs = {.summary = "Stores the members that any of several sorted sets has, with their scores combined.",
              .complexity = kUnionCost,
              .since = "2.0.0"}},
    {.syntax =
         "ZINTERSTORE destination:key numkeys:integer key [key ...] [WEIGHTS weight:integer [weight:integer ...]] "
         "[AGGREGATE <SUM | MIN | MAX>]",
     .handler = zinterstore,
     .flags = kStores,
     .keys = kStored,
     .group = Group::sorted_set,
     .docs = {.summary = "Stores the members that all of several sorted sets have, with their scores combined.",
              .complexity = kInterCost,
              .since = "2.0.0"}},
    {.syntax = "ZDIFFSTORE destination:key numkeys:integer key [key ...]",
     .handler = zdiffstore,
     .flags = kStores,
     .keys = kStored,
     .group = Group::sorted_set,
     .docs = {.summary = "Stores the members of the first sorted set that no other has.",
              .complexity = kDiffCost,
              .since = "6.2.0"}},
    {.syntax = "ZINTERCARD numkeys:integer key [key ...] [LIMIT limit:integer]",
     .handler = zintercard,
     .flags = kReads,
     .keys = kRead,
     .group = Group::sorted_set,
     .docs = {.summary = "Counts the members that all of several sorted sets have, up to a limit.",
              .complexity = "O(N*K*log(N)), N members in the smallest of K sets",
              .since = "7.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> zset_combine_commands() { return kSpecs; }

}  // namespace fairlane::command
