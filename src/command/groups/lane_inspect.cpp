// lane_inspect.cpp - what is told about queues, their lanes and their jobs; nothing here changes a key.
#include "command/groups.hpp"
#include "command/lane/arguments.hpp"
#include "command/lane/inspect.hpp"
#include "command/lane/lane_list.hpp"

namespace fairlane::command {
namespace {

constexpr std::size_t kPeeked = 1;
constexpr std::size_t kDeadTold = 10;

/// A step that wrote its reply unless it failed.
Outcome answered(Context& ctx, Step step) { return step == Step::done ? Outcome::done : ctx.fail(errors::kWrongType); }

/// "[COUNT n]" and nothing else.
std::size_t read_optional_count(Args& args, std::size_t count) {
  while (args.more()) {
    if (args.option_with("COUNT", 1)) {
      count = read_count(args);
    } else {
      args.fail(errors::kSyntax);
    }
  }
  return count;
}

Outcome lane_peek(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view lane = read_lane(args);
  const std::size_t count = read_optional_count(args, kPeeked);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return answered(ctx, write_first_jobs(queue, lane, count, ctx.reply));
}

Outcome lane_job(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return answered(ctx, write_job_details(queue, id, ctx.reply));
}

Outcome lane_dead(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::size_t count = read_optional_count(args, kDeadTold);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return answered(ctx, write_dead_jobs(queue, count, ctx.reply));
}

Outcome lane_list(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  LanePage page;
  while (args.more()) {
    if (args.option_with("CURSOR", 1)) {
      auto after = parse_lane_cursor(args.text());
      if (!after) return ctx.fail(errors::kBadCursor);
      page.after = std::move(*after);
    } else if (args.option_with("COUNT", 1)) {
      page.most = read_count(args);
    } else if (args.option_with("MATCH", 1)) {
      page.match = args.text();
    } else {
      args.fail(errors::kSyntax);
    }
  }
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return answered(ctx, write_lanes(queue, page, ctx.reply));
}

Outcome lane_queues(Context& ctx, Args&) {
  const std::vector<std::string_view> queues = find_queues(ctx.keys);
  ctx.reply.array(queues.size());
  for (const std::string_view queue : queues) ctx.reply.bulk(queue);
  return Outcome::done;
}

Outcome lane_why(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view lane = read_lane(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  std::string text;
  if (explain(queue, lane, text) != Step::done) return ctx.fail(errors::kWrongType);
  ctx.reply.bulk(text);
  return Outcome::done;
}

constexpr Keys kQueueKey = key_at(1, Use::ro | Use::access);

constexpr Spec kSpecs[] = {
    {.syntax = "LANE.PEEK queue:key lane [COUNT count:integer]",
     .handler = lane_peek,
     .flags = Flag::readonly,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Tells the first jobs of a lane without claiming them.",
              .complexity = "O(log(N)+M), N jobs in the lane, M jobs told",
              .since = "0.1.0"}},
    {.syntax = "LANE.JOB queue:key id",
     .handler = lane_job,
     .flags = Flag::readonly | Flag::fast,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Tells all that is known of a job.",
              .complexity = "O(log(N)), N jobs in the queue",
              .since = "0.1.0"}},
    {.syntax = "LANE.DEAD queue:key [COUNT count:integer]",
     .handler = lane_dead,
     .flags = Flag::readonly,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Tells the first jobs among those that were given up.",
              .complexity = "O(M), M jobs told",
              .since = "0.1.0"}},
    {.syntax = "LANE.LIST queue:key [CURSOR cursor] [COUNT count:integer] [MATCH pattern:pattern]",
     .handler = lane_list,
     .flags = Flag::readonly,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Tells the numbers of a queue's lanes, in the order of their names, a hundred at a time.",
              .complexity = "O(N+M*log(N)), N lanes, M lanes told",
              .since = "0.1.0"}},
    {.syntax = "LANE.QUEUES",
     .handler = lane_queues,
     .flags = Flag::readonly,
     .group = Group::lane,
     .docs = {.summary = "Tells the names of all queues of the database.",
              .complexity = "O(N), N keys in the database",
              .since = "0.1.0"},
     .categories = Category::keyspace | Category::dangerous},
    {.syntax = "LANE.WHY queue:key lane",
     .handler = lane_why,
     .flags = Flag::readonly,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Tells in words why a lane is not being served now.",
              .complexity = "O(N), N lanes",
              .since = "0.1.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> lane_inspect_commands() { return kSpecs; }

}  // namespace fairlane::command
