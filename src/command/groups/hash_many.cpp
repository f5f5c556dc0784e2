// hash_many.cpp - fields of hashes that nobody names: all of them, one page after the other, some by chance.
#include <algorithm>

#include "command/groups.hpp"
#include "command/scan_options.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::command {
namespace {

using data::Hash;

// --- all

Outcome hgetall(Context& ctx, Args& args) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.map(hash.absent() ? 0 : hash->size());
  if (hash.absent()) return Outcome::done;
  hash->for_each([&](std::string_view field, std::string_view value) {
    ctx.reply.bulk(field);
    ctx.reply.bulk(value);
  });
  return Outcome::done;
}

enum class Part : bool { fields, values };

Outcome reply_part(Context& ctx, Args& args, Part part) {
  const auto hash = ctx.keys.find<Hash>(args.text());
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  ctx.reply.array(hash.absent() ? 0 : hash->size());
  if (hash.absent()) return Outcome::done;
  hash->for_each(
      [&](std::string_view field, std::string_view value) { ctx.reply.bulk(part == Part::fields ? field : value); });
  return Outcome::done;
}

Outcome hkeys(Context& ctx, Args& args) { return reply_part(ctx, args, Part::fields); }
Outcome hvals(Context& ctx, Args& args) { return reply_part(ctx, args, Part::values); }

// --- page by page

Outcome hscan(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const auto cursor = parse_cursor(args.text());
  if (!cursor) return ctx.fail(errors::kBadCursor);
  const auto hash = ctx.keys.find<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  const protocol::Reply::Place place = ctx.reply.open();
  if (hash.absent()) {
    // The options of a scan through nothing are nobody's business, right or wrong.
    close_scan(ctx.reply, place, 0, 0);
    return Outcome::done;
  }
  ScanOptions options;
  bool with_values = true;
  while (args.more()) {
    if (args.option("NOVALUES")) {
      with_values = false;
    } else if (!take_scan_option(args, options)) {
      args.fail(errors::kSyntax);
    }
  }
  if (!args.ok()) return ctx.fail(args.error());
  std::size_t written = 0;
  const std::uint64_t next = hash->scan(*cursor, options.count, [&](std::string_view field, std::string_view value) {
    if (!options.wants(field)) return;
    ctx.reply.bulk(field);
    if (with_values) ctx.reply.bulk(value);
    written += with_values ? 2 : 1;
  });
  close_scan(ctx.reply, place, next, written);
  return Outcome::done;
}

// --- by chance

/// Repeating itself, an answer may be larger than any memory: no more pairs than these are written.
constexpr std::int64_t kMostRepeated = std::int64_t{1} << 27;
/// A hash up to this size is walked through whatever the count: to draw and to remember what was drawn costs more.
constexpr std::size_t kSmall = 512;

/// Writes pairs, or fields alone, in the shape that HRANDFIELD answers.
class PairWriter {
 public:
  PairWriter(protocol::Reply& reply, bool with_values) : reply_(reply), with_values_(with_values) {}

  void begin(std::size_t pairs) { reply_.array(with_values_ && !reply_.resp3() ? pairs * 2 : pairs); }
  void write(std::string_view field, std::string_view value) {
    if (with_values_ && reply_.resp3()) reply_.array(2);
    reply_.bulk(field);
    if (with_values_) reply_.bulk(value);
  }

 private:
  protocol::Reply& reply_;
  bool with_values_;
};

/// Walks through the hash and leaves pairs out, every choice being as likely.
void write_by_walking(base::Random& random, const Hash& hash, std::size_t count, PairWriter& writer) {
  std::size_t left = hash.size();
  hash.for_each([&](std::string_view field, std::string_view value) {
    if (count == 0 || random.below(left--) >= count) return;
    writer.write(field, value);
    --count;
  });
}

/// Draws until enough different pairs were seen: cheap when they are few among many.
void write_by_drawing(Context& ctx, const Hash& hash, std::size_t count, PairWriter& writer) {
  data::Set seen;
  while (seen.size() < count) {
    const auto [field, value] = hash.random(ctx.services.random);
    if (seen.add(field, ctx.services.settings.set)) writer.write(field, value);
  }
}

void write_some(Context& ctx, const Hash& hash, std::int64_t count, bool with_values) {
  PairWriter writer(ctx.reply, with_values);
  if (count < 0) {
    writer.begin(static_cast<std::size_t>(-count));
    for (; count < 0; ++count) {
      const auto [field, value] = hash.random(ctx.services.random);
      writer.write(field, value);
    }
    return;
  }
  const std::size_t wanted = std::min(static_cast<std::size_t>(count), hash.size());
  writer.begin(wanted);
  if (hash.size() <= kSmall || wanted > hash.size() / 3) {
    write_by_walking(ctx.services.random, hash, wanted, writer);
  } else {
    write_by_drawing(ctx, hash, wanted, writer);
  }
}

Outcome hrandfield_one(Context& ctx, std::string_view key) {
  const auto hash = ctx.keys.find<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  hash.absent() ? ctx.reply.null() : ctx.reply.bulk(hash->random(ctx.services.random).first);
  return Outcome::done;
}

Outcome hrandfield(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  if (!args.more()) return hrandfield_one(ctx, key);
  const std::int64_t count =
      args.integer_in(-INT64_MAX, INT64_MAX,
                      "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807");
  const bool with_values = args.option("WITHVALUES");
  if (args.more()) args.fail(errors::kSyntax);
  if (with_values && (count < -INT64_MAX / 2 || count > INT64_MAX / 2)) args.fail(errors::kOutOfRange);
  if (!args.ok()) return ctx.fail(args.error());
  const auto hash = ctx.keys.find<Hash>(key);
  if (hash.wrong_type()) return ctx.fail(errors::kWrongType);
  if (hash.absent() || count == 0) {
    ctx.reply.array(0);
    return Outcome::done;
  }
  if (count < -kMostRepeated) return ctx.fail(errors::kOutOfRange);
  write_some(ctx, *hash, count, with_values);
  return Outcome::done;
}

constexpr Keys kRead = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "HGETALL key",
     .handler = hgetall,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns all fields and values of a hash.",
              .complexity = "O(N), N fields in the hash",
              .since = "2.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "HKEYS key",
     .handler = hkeys,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns all fields of a hash.", .complexity = "O(N), N fields in the hash", .since = "2.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "HVALS key",
     .handler = hvals,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns all values of a hash.", .complexity = "O(N), N fields in the hash", .since = "2.0.0"},
     .tips = "nondeterministic_output_order"},
    {.syntax = "HSCAN key cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [NOVALUES]",
     .handler = hscan,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns some fields and values of a hash and where to go on.",
              .complexity = "O(1) a call, O(N) for all N fields",
              .since = "2.8.0"},
     .tips = "nondeterministic_output"},
    {.syntax = "HRANDFIELD key [count:integer [WITHVALUES]]",
     .handler = hrandfield,
     .flags = Flag::readonly,
     .keys = kRead,
     .group = Group::hash,
     .docs = {.summary = "Returns fields of a hash by chance, different ones unless the count is negative.",
              .complexity = "O(N), N fields returned",
              .since = "6.2.0"},
     .tips = "nondeterministic_output"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> hash_many_commands() { return kSpecs; }

}  // namespace fairlane::command
