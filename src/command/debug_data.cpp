#include "command/debug_data.hpp"

#include <string>
#include <vector>

#include "command/encoding.hpp"
#include "command/read_limits.hpp"
#include "fairlane/base/number.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/rdb/digest.hpp"

namespace fairlane::command {
namespace {

std::string table_text(std::size_t elements) {
  std::string text = "Hash table 0 stats (main hash table):\n";
  if (elements == 0) return text.append("No stats available for empty dictionaries\n");
  return text.append(" number of elements: ").append(base::NumberText(elements)).append("\n");
}

std::vector<std::string> keys_of(const engine::Database& database) {
  std::vector<std::string> keys;
  keys.reserve(database.size());
  database.for_each([&](const engine::Entry& entry) { keys.emplace_back(entry.key()); });
  return keys;
}

/// False when the value cannot be read back. The format knows nothing of fields with a deadline: a hash that has some
/// stays as it is.
bool make_anew(engine::Database& database, std::string_view key, const Settings& settings) {
  const engine::Entry* entry = database.peek(key);
  if (entry == nullptr || entry->has_field_deadlines()) return true;
  rdb::Writer out(settings.dump);
  rdb::write_value(out, *entry);
  rdb::Reader in(out.written());
  auto value = rdb::read_value(in, read_limits(settings));
  if (!value || !in.at_end()) return false;
  database.exchange(rdb::make_entry(key, *value, entry->has_deadline()));
  return true;
}

}  // namespace

Outcome debug_digest(Context& ctx, Args&) {
  ctx.reply.simple(base::hex(rdb::digest_of(ctx.services.keyspace)));
  return Outcome::done;
}

Outcome debug_digest_value(Context& ctx, Args& args) {
  ctx.reply.array(args.left());
  for (const std::string_view key : args.rest()) {
    const engine::Entry* entry = ctx.keys.peek(key);
    ctx.reply.simple(base::hex(entry != nullptr ? rdb::digest_of(*entry) : base::Sha1Digest{}));
  }
  return Outcome::done;
}

Outcome debug_htstats(Context& ctx, Args& args) {
  const std::int64_t index = args.integer();
  if (!args.ok()) return ctx.fail(args.error());
  engine::Keyspace& keyspace = ctx.services.keyspace;
  if (index < 0 || index >= static_cast<std::int64_t>(keyspace.count())) return ctx.fail("ERR Out of range database");
  const engine::Database& database = keyspace.at(static_cast<engine::DbIndex>(index));
  ctx.reply.verbatim("txt", "[Dictionary HT]\n" + table_text(database.size()) + "[Expires HT]\n" +
                                table_text(database.expiry().size()));
  return Outcome::done;
}

Outcome debug_htstats_key(Context& ctx, Args& args) {
  const engine::Entry* entry = ctx.keys.peek(args.text());
  if (entry == nullptr) return ctx.fail(errors::kNoSuchKey);
  const std::string_view encoding = encoding_of(*entry);
  std::size_t elements = 0;
  if (entry->type() == engine::Type::sorted_set) {
    elements = entry->value<data::SortedSet>().size();
  } else if (entry->type() == engine::Type::set) {
    elements = entry->value<data::Set>().size();
  } else if (entry->type() == engine::Type::hash) {
    elements = entry->value<data::Hash>().size();
  }
  if (encoding != "hashtable" && encoding != "skiplist") {
    return ctx.fail("ERR The value stored at the specified key is not represented using an hash table");
  }
  ctx.reply.verbatim("txt", table_text(elements));
  return Outcome::done;
}

Outcome debug_reload(Context& ctx, Args& args) {
  while (args.more()) {
    if (args.option("MERGE") || args.option("NOFLUSH") || args.option("NOSAVE")) continue;
    return ctx.fail("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.");
  }
  engine::Keyspace& keyspace = ctx.services.keyspace;
  for (engine::DbIndex index = 0; index < keyspace.count(); ++index) {
    for (const std::string& key : keys_of(keyspace.at(index))) {
      if (make_anew(keyspace.at(index), key, ctx.services.settings)) continue;
      return ctx.fail("ERR Error trying to load the RDB dump, check server logs.");
    }
  }
  ctx.reply.ok();
  return Outcome::done;
}

}  // namespace fairlane::command
