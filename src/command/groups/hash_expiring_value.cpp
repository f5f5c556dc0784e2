// hash_expiring_value.cpp - values of hash fields together with how long they live: HGETDEL, HGETEX, HSETEX.
#include <climits>
#include <string>

#include "command/arity.hpp"
#include "command/deadline.hpp"
#include "command/groups.hpp"
#include "command/hash_fields.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using data::Hash;
namespace events = engine::events;
using Words = std::span<const std::string_view>;

Outcome hgetdel(Context& ctx, Args& args) {
  auto hash = ctx.keys.edit<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const auto fields = take_fields(ctx, args);
  if (!fields) return Outcome::failed;
  bool changed = false;
  ctx.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    reply_field(ctx.reply, hash.absent() ? std::nullopt : hash->find(field));
    if (!hash.absent() && hash->erase(field)) changed = true;
  }
  if (changed) hash.commit(events::kHDel);
  return Outcome::done;
}

Outcome hgetex(Context& ctx, Args& args) {
  auto hash = ctx.keys.edit<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  std::optional<FieldEnd> end;
  if (const TimeForm* form = take_time_form(args)) {
    const auto when = parse_field_deadline(ctx, args.text(), *form);
    if (!when) return Outcome::failed;
    end.emplace(ctx, *when);
  }
  const bool persist = !end && args.option("PERSIST");
  const auto fields = take_fields(ctx, args);
  if (!fields) return Outcome::failed;
  bool changed = false;
  ctx.reply.array(fields->size());
  for (const std::string_view field : *fields) {
    const auto value = hash.absent() ? std::nullopt : hash->find(field);
    reply_field(ctx.reply, value);
    if (!value) continue;
    if (end) end->apply(*hash, field);
    changed = end || (persist && hash->clear_deadline(field)) || changed;
  }
  if (changed) hash.commit(end ? end->event() : events::kHPersist);
  return Outcome::done;
}

/// What stands between the key and the fields of HSETEX.
class SetOptions {
 public:
  /// Takes the words up to FIELDS; false with an error in the context.
  bool parse(Context& ctx, Args& args) {
    while (args.more() && !base::equal_ignoring_case(args.peek(), "FIELDS")) {
      if (!parse_word(ctx, args)) return false;
    }
    return true;
  }

  /// May the fields be set, as far as it depends on those that are there?
  bool allow(const Hash& hash, Words fields_and_values) const {
    if (condition_ == If::always) return true;
    for (std::size_t i = 0; i < fields_and_values.size(); i += 2) {
      if (hash.find(fields_and_values[i]).has_value() != (condition_ == If::all_there)) return false;
    }
    return true;
  }

  const std::optional<FieldEnd>& end() const noexcept { return end_; }
  bool keeps_deadlines() const noexcept { return keep_; }

 private:
  enum class If : std::uint8_t { always, none_there, all_there };

  static bool refuse(Context& ctx, std::string_view error) {
    static_cast<void>(ctx.fail(error));
    return false;
  }

  bool parse_word(Context& ctx, Args& args) {
    if (args.option("FNX")) return limit_to(ctx, If::none_there);
    if (args.option("FXX")) return limit_to(ctx, If::all_there);
    const bool keep = args.option("KEEPTTL");
    const TimeForm* form = keep ? nullptr : take_time_form(args);
    if (!keep && form == nullptr) {
      const std::string_view word = args.text();
      return refuse(ctx, "ERR unknown argument: " + std::string(word.substr(0, word.find('\0'))));
    }
    if (keep_ || end_) return refuse(ctx, "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
    if (keep) return keep_ = true;
    if (!args.more()) return refuse(ctx, "ERR missing expire time");
    const auto when = parse_field_deadline(ctx, args.text(), *form);
    if (when) end_.emplace(ctx, *when);
    return when.has_value();
  }

  bool limit_to(Context& ctx, If condition) {
    if (condition_ != If::always) return refuse(ctx, "ERR Only one of FXX or FNX arguments can be specified");
    condition_ = condition;
    return true;
  }

  If condition_ = If::always;
  bool keep_ = false;
  std::optional<FieldEnd> end_;
};

/// FIELDS, a number and as many pairs: none with an error in the context when that is not what is left.
std::optional<Words> take_pairs(Context& ctx, Args& args) {
  constexpr std::string_view kBadCount = "ERR invalid number of fields";
  Outcome outcome = Outcome::done;
  args.skip(1);
  if (args.left() < 3) {
    outcome = wrong_arity(ctx);
  } else {
    const std::int64_t count = args.integer_in(1, INT_MAX, kBadCount, kBadCount);
    if (!args.ok()) {
      outcome = ctx.fail(args.error());
    } else if (static_cast<std::uint64_t>(count) * 2 != args.left()) {
      outcome = wrong_arity(ctx);
    }
  }
  return outcome == Outcome::done ? std::optional(args.rest()) : std::nullopt;
}

void set_field(const Context& ctx, Hash& hash, std::string_view field, std::string_view value,
               const SetOptions& options) {
  const Hash::Limits& limits = ctx.services.settings.hash;
  if (options.keeps_deadlines()) {
    hash.put_keeping(field, value, limits);
  } else {
    hash.put(field, value, limits);
  }
  if (options.end()) options.end()->apply(hash, field);
}

Outcome hsetex(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  SetOptions options;
  if (!options.parse(ctx, args)) return Outcome::failed;
  const auto pairs = take_pairs(ctx, args);
  if (!pairs) return Outcome::failed;
  auto hash = ctx.keys.upsert<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const bool allowed = options.allow(*hash, *pairs);
  ctx.reply.integer(allowed ? 1 : 0);
  if (!allowed) return Outcome::done;
  for (std::size_t i = 0; i < pairs->size(); i += 2) set_field(ctx, *hash, (*pairs)[i], (*pairs)[i + 1], options);
  if (options.end()) {
    hash.announce(events::kHSet);
    hash.commit(options.end()->event());
  } else {
    hash.commit(events::kHSet);
  }
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "HGETDEL key FIELDS numfields:integer field [field ...]",
     .handler = hgetdel,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del),
     .group = Group::hash,
     .docs = {.summary = "Removes fields of a hash and returns their values.",
              .complexity = "O(1) a field",
              .since = "8.0.0"}},
    {.syntax = "HGETEX key [EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | "
               "PXAT unix-time-milliseconds:unix-time | PERSIST] FIELDS numfields:integer field [field ...]",
     .handler = hgetex,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::hash,
     .docs = {.summary = "Returns the values of fields and sets or takes away how long they live.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "8.0.0"}},
    {.syntax = "HSETEX key [FNX | FXX] [EX seconds:integer | PX milliseconds:integer | "
               "EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | KEEPTTL] "
               "FIELDS numfields:integer field value [field value ...]",
     .handler = hsetex,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::hash,
     .docs = {.summary = "Sets fields of a hash and how long they live.",
              .complexity = "O(log N) a field, N fields that have a deadline",
              .since = "8.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> hash_expiring_value_commands() { return kSpecs; }

}  // namespace fairlane::command
