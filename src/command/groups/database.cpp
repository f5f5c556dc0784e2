// database.cpp - whole databases: their size, emptying them, exchanging two.
#include "command/groups.hpp"
#include "command/lane/lane_queues.hpp"
#include "command/tracking.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/wait_queue.hpp"
#include "fairlane/engine/watch.hpp"

namespace fairlane::command {
namespace {

Outcome dbsize(Context& ctx, Args&) {
  ctx.reply.integer(static_cast<std::int64_t>(ctx.keys.size()));
  return Outcome::done;
}

Outcome swapdb(Context& ctx, Args& args) {
  constexpr std::string_view kBadFirst = "ERR invalid first DB index";
  constexpr std::string_view kBadSecond = "ERR invalid second DB index";
  const std::int64_t first = args.integer_in(INT32_MIN, INT32_MAX, kBadFirst, kBadFirst);
  const std::int64_t second = args.integer_in(INT32_MIN, INT32_MAX, kBadSecond, kBadSecond);
  if (!args.ok()) return ctx.fail(args.error());
  engine::Keyspace& keyspace = ctx.services.keyspace;
  const auto count = static_cast<std::int64_t>(keyspace.count());
  if (first < 0 || first >= count || second < 0 || second >= count) return ctx.fail(errors::kBadDb);
  if (first != second) {
    const auto one = static_cast<engine::DbIndex>(first);
    const auto other = static_cast<engine::DbIndex>(second);
    ctx.services.watches.touch_all(keyspace, one, other);
    keyspace.at(one).swap(keyspace.at(other));
    ctx.services.waits.databases_swapped(keyspace, one, other);
    ctx.services.lanes->databases_swapped(one, other);
  }
  ctx.reply.ok();
  return Outcome::done;
}

/// SYNC and ASYNC are understood and make no difference.
bool flush_options_make_sense(Args& args) {
  if (args.left() == 0) return true;
  return args.left() == 1 && (args.option("SYNC") || args.option("ASYNC"));
}

void flush(Context& ctx, engine::DbIndex index) {
  engine::Database& database = ctx.services.keyspace.at(index);
  ctx.services.lanes->database_emptied(index);
  if (database.size() == 0) return;
  ctx.services.watches.touch_all(ctx.services.keyspace, index, index);
  database.clear();
  ctx.services.waits.database_emptied(ctx.services.keyspace, index);
}

Outcome flushdb(Context& ctx, Args& args) {
  if (!flush_options_make_sense(args)) return ctx.fail(errors::kSyntax);
  flush(ctx, ctx.keys.index());
  ctx.services.tracking->flushed();
  ctx.reply.ok();
  return Outcome::done;
}

Outcome flushall(Context& ctx, Args& args) {
  if (!flush_options_make_sense(args)) return ctx.fail(errors::kSyntax);
  for (engine::DbIndex index = 0; index < ctx.services.keyspace.count(); ++index) flush(ctx, index);
  ctx.services.tracking->flushed();
  ctx.reply.ok();
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "DBSIZE",
     .handler = dbsize,
     .flags = Flag::readonly | Flag::fast,
     .group = Group::server,
     .docs = {.summary = "Returns the number of keys in the database.", .complexity = "O(1)", .since = "1.0.0"},
     .categories = Category::keyspace,
     .tips = "request_policy:all_shards response_policy:agg_sum"},
    {.syntax = "SWAPDB index1:integer index2:integer",
     .handler = swapdb,
     .flags = Flag::write | Flag::fast,
     .group = Group::server,
     .docs = {.summary = "Exchanges two databases.",
              .complexity = "O(N) where N is the number of keys that clients watch or wait for.",
              .since = "4.0.0"},
     .categories = Category::keyspace | Category::dangerous},
    {.syntax = "FLUSHDB [ASYNC | SYNC]",
     .handler = flushdb,
     .flags = Flag::write,
     .group = Group::server,
     .docs = {.summary = "Removes all keys of the database.",
              .complexity = "O(N) where N is the number of keys in the database.",
              .since = "1.0.0"},
     .categories = Category::keyspace | Category::dangerous,
     .tips = "request_policy:all_shards response_policy:all_succeeded"},
    {.syntax = "FLUSHALL [ASYNC | SYNC]",
     .handler = flushall,
     .flags = Flag::write,
     .group = Group::server,
     .docs = {.summary = "Removes all keys of all databases.",
              .complexity = "O(N) where N is the number of keys in all databases.",
              .since = "1.0.0"},
     .categories = Category::keyspace | Category::dangerous,
     .tips = "request_policy:all_shards response_policy:all_succeeded"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> database_commands() { return kSpecs; }

}  // namespace fairlane::command
