// dump.cpp - DUMP and RESTORE: one value as bytes, and back.
#include <algorithm>
#include <optional>

#include "command/groups.hpp"
#include "command/read_limits.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/rdb/payload.hpp"
#include "fairlane/rdb/value.hpp"

namespace fairlane::command {
namespace {

Outcome dump(Context& ctx, Args& args) {
  const engine::Entry* entry = ctx.keys.find_entry(args.text());
  if (entry == nullptr) {
    ctx.reply.null();
    return Outcome::done;
  }
  rdb::Writer out(ctx.services.settings.dump);
  rdb::write_value(out, *entry);
  ctx.reply.bulk(rdb::seal(out.take()));
  return Outcome::done;
}

struct RestoreOptions {
  bool replace = false;
  bool absolute = false;        ///< the time to live is an instant
  std::int64_t idle = -1;       ///< seconds since the last access
  std::int64_t frequency = -1;  ///< the count of accesses
};

RestoreOptions read_options(Args& args) {
  RestoreOptions options;
  while (args.more()) {
    if (args.option("REPLACE")) {
      options.replace = true;
    } else if (args.option("ABSTTL")) {
      options.absolute = true;
    } else if (options.frequency < 0 && args.option_with("IDLETIME", 1)) {
      options.idle = args.integer_in(0, INT64_MAX, "ERR Invalid IDLETIME value, must be >= 0");
    } else if (options.idle < 0 && args.option_with("FREQ", 1)) {
      options.frequency = args.integer_in(0, UINT8_MAX, "ERR Invalid FREQ value, must be >= 0 and <= 255");
    } else {
      args.fail(errors::kSyntax);
    }
  }
  return options;
}

/// The instant up to which the key lives; 0: for ever. Overflows go round.
std::int64_t deadline_of(const Context& ctx, std::int64_t ttl, const RestoreOptions& options) noexcept {
  if (ttl == 0 || options.absolute) return ttl;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(ttl) + static_cast<std::uint64_t>(ctx.now));
}

/// What was said of the use, in terms of the policy that is set; nothing when that is not asked for.
std::optional<std::uint32_t> access_of(const engine::Shared& shared, const RestoreOptions& options) noexcept {
  if (shared.access_rule.counted) {
    if (options.frequency < 0) return std::nullopt;
    return engine::counted_access(static_cast<std::uint32_t>(options.frequency), shared.access_clock);
  }
  if (options.idle < 0) return std::nullopt;
  const std::int64_t idle = std::min<std::int64_t>(options.idle, engine::kAccessMask);
  return shared.access_clock - static_cast<std::uint32_t>(idle);
}

Outcome restore(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  const std::string_view ttl_word = args.text();
  const std::string_view payload = args.text();
  const RestoreOptions options = read_options(args);
  if (!args.ok()) return ctx.fail(args.error());
  if (!options.replace && ctx.keys.contains(key)) return ctx.fail("BUSYKEY Target key name already exists.");
  const auto ttl = base::parse_integer(ttl_word);
  if (!ttl) return ctx.fail(errors::kNotInteger);
  if (*ttl < 0) return ctx.fail("ERR Invalid TTL value, must be >= 0");
  const auto body = rdb::open(payload);
  if (!body) return ctx.fail(errors::kBadPayload);
  rdb::Reader in(*body);
  auto value = rdb::read_value(in, read_limits(ctx.services.settings));
  if (!value) return ctx.fail("ERR Bad data format");
  const std::int64_t when = deadline_of(ctx, *ttl, options);
  if (when != 0 && when <= ctx.now) {
    ctx.keys.erase(key);
  } else {
    engine::Entry* entry = rdb::make_entry(key, *value, when != 0);
    if (when != 0) entry->set_deadline(when);
    ctx.keys.adopt(entry, engine::events::kRestore, access_of(ctx.keys.shared(), options));
  }
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "DUMP key",
     .handler = dump,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .docs = {.summary = "Returns a value as bytes that RESTORE takes.",
              .complexity = "O(N) where N is the size of the value.",
              .since = "2.6.0"},
     .categories = Category::keyspace,
     .tips = "nondeterministic_output"},
    {.syntax = "RESTORE key ttl:integer serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds:integer] "
               "[FREQ frequency:integer]",
     .handler = restore,
     .flags = Flag::write | Flag::denyoom,
     .keys = key_at(1, Use::ow | Use::update),
     .docs = {.summary = "Makes a key of bytes that DUMP gave.",
              .complexity = "O(N) where N is the size of the value; O(N*log(N)) for sorted sets.",
              .since = "2.6.0"},
     .categories = Category::keyspace | Category::dangerous},
    {.syntax = "RESTORE-ASKING key ttl:integer serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds:integer] "
               "[FREQ frequency:integer]",
     .handler = restore,
     .flags = Flag::write | Flag::denyoom | Flag::asking,
     .keys = key_at(1, Use::ow | Use::update),
     .group = Group::server,
     .docs = {.summary = "The same as RESTORE, for servers that move keys in a cluster.",
              .complexity = "O(N) where N is the size of the value; O(N*log(N)) for sorted sets.",
              .since = "3.0.0",
              .for_system = true},
     .categories = Category::keyspace | Category::dangerous},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> dump_commands() { return kSpecs; }

}  // namespace fairlane::command
