// memory.cpp - MEMORY: where the bytes are.
#include <string>

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/memory_overhead.hpp"
#include "fairlane/base/memory_use.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Below this there is nothing to diagnose.
constexpr std::size_t kLittle = 5U << 20;

/// Of one key in the table of its database.
constexpr std::size_t kTableSlot = sizeof(void*);

Outcome usage(Context& ctx, Args& args) {
  const std::string_view key = args.text();
  while (args.more()) {
    if (!args.option_with("SAMPLES", 1)) return ctx.fail(errors::kSyntax);
    // Containers know their size: there is nothing to sample.
    const std::int64_t samples = args.integer();
    if (!args.ok()) return ctx.fail(args.error());
    if (samples < 0) return ctx.fail(errors::kSyntax);
  }
  const engine::Entry* entry = ctx.keys.peek(key);
  if (entry == nullptr) {
    ctx.reply.null();
  } else {
    ctx.reply.integer(static_cast<std::int64_t>(entry->memory() + kTableSlot));
  }
  return Outcome::done;
}

/// Writes the pairs of a map, and counts them.
class Fields {
 public:
  explicit Fields(protocol::Reply& reply) : reply_(reply), place_(reply.open()) {}
  void bytes(std::string_view name, std::size_t value) {
    begin(name);
    reply_.integer(static_cast<std::int64_t>(value));
  }
  void difference(std::string_view name, std::size_t value, std::size_t less) {
    begin(name);
    reply_.integer(static_cast<std::int64_t>(value) - static_cast<std::int64_t>(less));
  }
  void ratio(std::string_view name, std::size_t part, std::size_t whole, double factor = 1) {
    begin(name);
    reply_.number(whole == 0 ? 0 : factor * static_cast<double>(part) / static_cast<double>(whole));
  }
  void begin(std::string_view name) {
    reply_.bulk(name);
    ++count_;
  }
  void end() { reply_.close_map(place_, count_); }

 private:
  protocol::Reply& reply_;
  protocol::Reply::Place place_;
  std::size_t count_ = 0;
};

void reply_databases(Context& ctx, Fields& fields) {
  for (engine::DbIndex i = 0; i < ctx.services.keyspace.count(); ++i) {
    const engine::Database& database = ctx.services.keyspace.at(i);
    if (database.size() == 0) continue;
    fields.begin("db." + std::to_string(i));
    Fields inner(ctx.reply);
    inner.bytes("overhead.hashtable.main", database.table_memory() - database.expiry().memory());
    inner.bytes("overhead.hashtable.expires", database.expiry().memory());
    inner.bytes("overhead.hashtable.slot-to-keys", 0);
    inner.end();
  }
}

void reply_allocator(Fields& fields, const base::MemoryUse& use) {
  fields.bytes("allocator.allocated", use.allocated);
  fields.bytes("allocator.active", use.active);
  fields.bytes("allocator.resident", use.resident);
  fields.ratio("allocator-fragmentation.ratio", use.active, use.allocated);
  fields.difference("allocator-fragmentation.bytes", use.active, use.allocated);
  fields.ratio("allocator-rss.ratio", use.resident, use.active);
  fields.difference("allocator-rss.bytes", use.resident, use.active);
  fields.ratio("rss-overhead.ratio", use.process, use.resident);
  fields.difference("rss-overhead.bytes", use.process, use.resident);
  fields.ratio("fragmentation", use.process, use.allocated);
  fields.difference("fragmentation.bytes", use.process, use.allocated);
}

Outcome stats(Context& ctx, Args&) {
  const base::MemoryUse use = base::memory_use();
  const Overhead overhead = overhead_of(ctx.services);
  const std::size_t keys = ctx.services.keyspace.keys();
  const std::size_t since_start = use.allocated - std::min(use.allocated, overhead.at_start);
  const std::size_t dataset = use.allocated - std::min(use.allocated, overhead.total());
  Fields fields(ctx.reply);
  fields.bytes("peak.allocated", use.peak);
  fields.bytes("total.allocated", use.allocated);
  fields.bytes("startup.allocated", overhead.at_start);
  fields.bytes("replication.backlog", 0);
  fields.bytes("clients.slaves", 0);
  fields.bytes("clients.normal", overhead.clients);
  fields.bytes("cluster.links", 0);
  fields.bytes("aof.buffer", 0);
  fields.bytes("lua.caches", 0);
  fields.bytes("functions.caches", 0);
  reply_databases(ctx, fields);
  fields.bytes("overhead.total", overhead.total());
  fields.bytes("keys.count", keys);
  fields.bytes("keys.bytes-per-key", keys == 0 ? 0 : since_start / keys);
  fields.bytes("dataset.bytes", dataset);
  fields.ratio("dataset.percentage", dataset, since_start, 100);
  fields.ratio("peak.percentage", use.allocated, use.peak, 100);
  reply_allocator(fields, use);
  fields.end();
  return Outcome::done;
}

/// What is worth a remark, a sentence each.
std::string findings(const base::MemoryUse& use, std::size_t clients) {
  std::string text;
  if (use.peak > use.allocated + use.allocated / 2) {
    text +=
        " * Peak: the process once held half as much again as it uses now. MEMORY PURGE may give some of it back.\n";
  }
  if (use.process > use.allocated + use.allocated * 2 / 5) {
    text += " * Fragmentation: the process holds over 40% more than what is stored.\n";
  }
  if (clients > use.allocated / 4)
    text += " * Clients: a quarter of the memory holds requests and replies under way.\n";
  return text;
}

Outcome doctor(Context& ctx, Args&) {
  const base::MemoryUse use = base::memory_use();
  if (use.allocated < kLittle) {
    ctx.reply.verbatim("txt", "Hi Sam, there is hardly any data here, so there is nothing to find.\n");
    return Outcome::done;
  }
  const std::string found = findings(use, memory_of_clients(ctx.services.sessions));
  ctx.reply.verbatim(
      "txt", found.empty() ? "Hi Sam, no problems with memory were found.\n" : "Sam, this was found:\n\n" + found);
  return Outcome::done;
}

Outcome malloc_stats(Context& ctx, Args&) {
  ctx.reply.verbatim("txt", base::allocator_report());
  return Outcome::done;
}

Outcome purge(Context& ctx, Args&) {
  base::release_free_memory();
  ctx.reply.ok();
  return Outcome::done;
}

constexpr std::string_view kReportTips = "nondeterministic_output request_policy:all_shards response_policy:special";

constexpr Spec kSpecs[] = {
    {.syntax = "MEMORY",
     .group = Group::server,
     .docs = {.summary = "Contains the commands about memory.",
              .complexity = "Depends on the subcommand",
              .since = "4.0.0"},
     .arity = -2},
    {.syntax = "MEMORY DOCTOR",
     .handler = doctor,
     .group = Group::server,
     .docs = {.summary = "Reports what is wrong with the use of memory.", .complexity = "O(1)", .since = "4.0.0"},
     .tips = kReportTips},
    {.syntax = "MEMORY HELP",
     .handler = help,
     .flags = Flag::loading | Flag::stale,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "4.0.0"}},
    {.syntax = "MEMORY MALLOC-STATS",
     .handler = malloc_stats,
     .group = Group::server,
     .docs = {.summary = "Shows the allocator's own report.",
              .complexity = "Depends on how much is allocated",
              .since = "4.0.0"},
     .tips = kReportTips},
    {.syntax = "MEMORY PURGE",
     .handler = purge,
     .group = Group::server,
     .docs = {.summary = "Gives free memory back to the system.",
              .complexity = "Depends on how much is allocated",
              .since = "4.0.0"},
     .tips = "request_policy:all_shards response_policy:all_succeeded"},
    {.syntax = "MEMORY STATS",
     .handler = stats,
     .group = Group::server,
     .docs = {.summary = "Tells in numbers where the memory goes.", .complexity = "O(1)", .since = "4.0.0"},
     .tips = kReportTips},
    {.syntax = "MEMORY USAGE key [SAMPLES count:integer]",
     .handler = usage,
     .flags = Flag::readonly,
     .keys = key_at(2, Use::ro),
     .group = Group::server,
     .docs = {.summary = "Tells how many bytes a key and its value take.",
              .complexity = "O(N), N elements of a large container",
              .since = "4.0.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> memory_commands() { return kSpecs; }

}  // namespace fairlane::command
