// string.cpp - strings as a whole: SET and GET with their kin, one key or many.
#include <algorithm>

#include "command/arity.hpp"
#include "command/deadline.hpp"
#include "command/groups.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {
namespace {

using engine::Deadline;
using engine::Stored;
using engine::StoreRule;
namespace events = engine::events;

Outcome reply_value(Context& ctx, std::string_view key) {
  const auto value = ctx.keys.find_string(key);
  if (value.absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  engine::Scratch scratch;
  ctx.reply.bulk(value.text(scratch));
  return Outcome::done;
}

void overwrite(Context& ctx, std::string_view key, std::string_view value) {
  const bool created = ctx.keys.store_string(key, value, Deadline::clear);
  ctx.keys.published(key, events::kSet, created, true);
}

/// Stores and tells; false when the rule refuses.
bool store(Context& ctx, std::string_view key, std::string_view value, const StoreRule& rule) {
  const Stored stored = ctx.keys.store_string(key, value, rule);
  if (stored == Stored::refused) return false;
  ctx.keys.published(key, events::kSet, stored == Stored::created, true);
  if (rule.when) ctx.keys.published(key, events::kExpire);
  return true;
}

/// What may stand behind the value of SET, or behind the key of GETEX.
class Options {
 public:
  enum class Of : bool { set, getex };

  /// Takes all words that are left; false when they make no sense together.
  bool parse(Args& args, Of command) {
    while (args.left() != 0) {
      if (!parse_time(args) && !(command == Of::set ? parse_set(args) : parse_getex(args))) return false;
    }
    return true;
  }

  bool get() const noexcept { return get_; }
  bool persist() const noexcept { return persist_; }
  const TimeForm* time_form() const noexcept { return form_; }
  std::string_view time() const noexcept { return time_; }
  StoreRule rule() const noexcept { return {condition_, keep_ ? Deadline::keep : Deadline::clear, {}}; }

 private:
  /// Only the same word again may follow a time: its last operand counts.
  bool parse_time(Args& args) {
    const TimeForm* form = args.left() > 1 ? take_time_form(args) : nullptr;
    if (form == nullptr) return false;
    if (keep_ || persist_ || (form_ != nullptr && form_ != form)) args.fail(errors::kSyntax);
    form_ = form;
    time_ = args.text();
    return args.ok();
  }

  bool parse_set(Args& args) {
    if (args.option("NX")) return limit_to(StoreRule::If::absent, StoreRule::If::present);
    if (args.option("XX")) return limit_to(StoreRule::If::present, StoreRule::If::absent);
    if (args.option("GET")) return get_ = true;
    if (args.option("KEEPTTL")) return (keep_ = form_ == nullptr);
    return false;
  }
  bool parse_getex(Args& args) { return args.option("PERSIST") && (persist_ = form_ == nullptr); }

  bool limit_to(StoreRule::If wanted, StoreRule::If contrary) noexcept {
    if (condition_ == contrary) return false;
    condition_ = wanted;
    return true;
  }

  StoreRule::If condition_ = StoreRule::If::always;
  bool get_ = false;
  bool keep_ = false;
  bool persist_ = false;
  const TimeForm* form_ = nullptr;
  std::string_view time_;
};

Outcome get(Context& ctx, Args& args) { return reply_value(ctx, args.text()); }

Outcome set_with_options(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view value = args.text();
  Options options;
  if (!options.parse(args, Options::Of::set)) return ctx.fail(errors::kSyntax);
  StoreRule rule = options.rule();
  if (options.time_form() != nullptr) {
    rule.when = parse_deadline(ctx, options.time(), *options.time_form(), Times::positive);
    if (!rule.when) return Outcome::failed;
  }
  if (options.get()) {
    // The old value is replied whether the new one is stored or not.
    if (reply_value(ctx, key) == Outcome::failed) return Outcome::failed;
    store(ctx, key, value, rule);
  } else if (store(ctx, key, value, rule)) {
    ctx.reply.ok();
  } else {
    ctx.reply.null();
  }
  return Outcome::done;
}

Outcome set(Context& ctx, Args& args) {
  if (ctx.request.size() != 3) return set_with_options(ctx, args);
  overwrite(ctx, ctx.request[1], ctx.request[2]);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome setnx(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  ctx.reply.integer(store(ctx, key, args.text(), {.condition = StoreRule::If::absent}) ? 1 : 0);
  return Outcome::done;
}

Outcome set_until(Context& ctx, TimeForm form) {
  const auto when = parse_deadline(ctx, ctx.request[2], form, Times::positive);
  if (!when) return Outcome::failed;
  store(ctx, ctx.request[1], ctx.request[3], {.when = when});
  ctx.reply.ok();
  return Outcome::done;
}
Outcome setex(Context& ctx, Args&) { return set_until(ctx, kSeconds); }
Outcome psetex(Context& ctx, Args&) { return set_until(ctx, kMillis); }

Outcome getset(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  if (reply_value(ctx, key) == Outcome::failed) return Outcome::failed;
  overwrite(ctx, key, args.text());
  return Outcome::done;
}

Outcome getdel(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  if (reply_value(ctx, key) == Outcome::failed) return Outcome::failed;
  ctx.keys.erase(key);
  return Outcome::done;
}

void give_deadline(Context& ctx, std::string_view key, std::int64_t when, TimeForm::From from) {
  // Only an instant that the client names may have passed; a span ends in the future.
  if (from == TimeForm::From::epoch && when <= ctx.now) {
    ctx.keys.erase(key);
    return;
  }
  ctx.keys.edit_deadline(key).set(when);
  ctx.keys.published(key, events::kExpire);
}

Outcome getex(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  Options options;
  if (!options.parse(args, Options::Of::getex)) return ctx.fail(errors::kSyntax);
  const auto value = ctx.keys.find_string(key);
  if (value.absent()) {
    ctx.reply.null();
    return Outcome::done;
  }
  if (value.wrong_type()) return ctx.fail(errors::kWrongType);
  std::optional<std::int64_t> when;
  if (options.time_form() != nullptr) {
    when = parse_deadline(ctx, options.time(), *options.time_form(), Times::positive);
    if (!when) return Outcome::failed;
  }
  engine::Scratch scratch;
  ctx.reply.bulk(value.text(scratch));
  if (when) {
    give_deadline(ctx, key, *when, options.time_form()->from);
  } else if (options.persist() && ctx.keys.edit_deadline(key).clear()) {
    ctx.keys.published(key, events::kPersist);
  }
  return Outcome::done;
}

Outcome mget(Context& ctx, Args& args) {
  ctx.reply.array(args.left());
  engine::Scratch scratch;
  for (const std::string_view key : args.rest()) {
    const auto value = ctx.keys.find_string(key);
    if (value.absent() || value.wrong_type()) {
      ctx.reply.null();
    } else {
      ctx.reply.bulk(value.text(scratch));
    }
  }
  return Outcome::done;
}

void overwrite_all(Context& ctx, std::span<const std::string_view> pairs) {
  for (std::size_t i = 0; i < pairs.size(); i += 2) overwrite(ctx, pairs[i], pairs[i + 1]);
}

Outcome mset(Context& ctx, Args& args) {
  if (args.left() % 2 != 0) return wrong_arity(ctx);
  overwrite_all(ctx, args.rest());
  ctx.reply.ok();
  return Outcome::done;
}

Outcome msetnx(Context& ctx, Args& args) {
  if (args.left() % 2 != 0) return wrong_arity(ctx);
  const auto pairs = args.rest();
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (!ctx.keys.contains(pairs[i])) continue;
    ctx.reply.integer(0);
    return Outcome::done;
  }
  overwrite_all(ctx, pairs);
  ctx.reply.integer(1);
  return Outcome::done;
}

/// For COMMAND GETKEYSANDFLAGS: only with GET does SET read what was there.
Use use_of_set(std::span<const std::string_view> words) {
  const bool reads = std::any_of(words.begin() + std::min<std::ptrdiff_t>(3, std::ssize(words)), words.end(),
                                 [](std::string_view word) { return base::equal_ignoring_case(word, "GET"); });
  return reads ? Use::rw | Use::access | Use::update : Use::ow | Use::update;
}

constexpr Spec kSpecs[] = {
    {.syntax = "GET key",
     .handler = get,
     .flags = Flag::readonly | Flag::fast,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::string,
     .docs = {.summary = "Returns the string value of a key.", .complexity = "O(1)", .since = "1.0.0"}},
    {.syntax = "SET key value [NX | XX] [GET] [EX seconds:integer | PX milliseconds:integer | "
               "EXAT unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | KEEPTTL]",
     .handler = set,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::rw | Use::access | Use::update | Use::variable_flags),
     .group = Group::string,
     .docs = {.summary = "Sets a key to a string value, whatever it held.", .complexity = "O(1)", .since = "1.0.0"},
     .find_use = use_of_set,
     .key_notes = "RW and ACCESS due to the optional `GET` argument"},
    {.syntax = "SETNX key value",
     .handler = setnx,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::ow | Use::insert),
     .group = Group::string,
     .docs = {.summary = "Sets a key to a string value if the key does not exist.",
              .complexity = "O(1)",
              .since = "1.0.0"}},
    {.syntax = "SETEX key seconds:integer value",
     .handler = setex,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update),
     .group = Group::string,
     .docs = {.summary = "Sets a key to a string value for some seconds.", .complexity = "O(1)", .since = "2.0.0"}},
    {.syntax = "PSETEX key milliseconds:integer value",
     .handler = psetex,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update),
     .group = Group::string,
     .docs = {.summary = "Sets a key to a string value for some milliseconds.",
              .complexity = "O(1)",
              .since = "2.6.0"}},
    {.syntax = "GETSET key value",
     .handler = getset,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::string,
     .docs = {.summary = "Sets a key to a string value and returns the one before.",
              .complexity = "O(1)",
              .since = "1.0.0",
              .deprecated_since = "6.2.0",
              .replaced_by = "`SET` with the `!GET` argument"}},
    {.syntax = "GETDEL key",
     .handler = getdel,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::del),
     .group = Group::string,
     .docs = {.summary = "Returns the string value of a key and removes it.", .complexity = "O(1)", .since = "6.2.0"}},
    {.syntax = "GETEX key [EX seconds:integer | PX milliseconds:integer | EXAT unix-time-seconds:unix-time | "
               "PXAT unix-time-milliseconds:unix-time | PERSIST]",
     .handler = getex,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::string,
     .docs = {.summary = "Returns the string value of a key and changes its time to live.",
              .complexity = "O(1)",
              .since = "6.2.0"},
     .key_notes = "RW and UPDATE because it changes the TTL"},
    {.syntax = "MGET key [key ...]",
     .handler = mget,
     .flags = Flag::readonly | Flag::fast,
     .keys = keys_from(1, Use::ro | Use::access),
     .group = Group::string,
     .docs = {.summary = "Returns the string values of keys.",
              .complexity = "O(N) where N is the number of keys.",
              .since = "1.0.0"},
     .tips = "request_policy:multi_shard"},
    {.syntax = "MSET key value [key value ...]",
     .handler = mset,
     .flags = Flag::write | Flag::denyoom,
     .keys = keys_from(1, Use::ow | Use::update, -1, 2),
     .group = Group::string,
     .docs = {.summary = "Sets keys to string values.",
              .complexity = "O(N) where N is the number of keys.",
              .since = "1.0.1"},
     .tips = "request_policy:multi_shard response_policy:all_succeeded"},
    {.syntax = "MSETNX key value [key value ...]",
     .handler = msetnx,
     .flags = Flag::write | Flag::denyoom,
     .keys = keys_from(1, Use::ow | Use::insert, -1, 2),
     .group = Group::string,
     .docs = {.summary = "Sets keys to string values if none of them exists.",
              .complexity = "O(N) where N is the number of keys.",
              .since = "1.0.1"},
     .tips = "request_policy:multi_shard response_policy:agg_min"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> string_commands() { return kSpecs; }

}  // namespace fairlane::command
