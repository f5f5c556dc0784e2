// lane_control.cpp - what lanes may take, and what they hold: weights, limits, pauses, totals.
#include "command/groups.hpp"
#include "command/lane/arguments.hpp"
#include "command/lane/control.hpp"
#include "command/lane/lane_facts.hpp"

namespace fairlane::command {
namespace {

Outcome answer_ok(Context& ctx, Step step) {
  if (step != Step::done) return ctx.fail(errors::kWrongType);
  ctx.reply.ok();
  return Outcome::done;
}

Outcome answer_number(Context& ctx, Step step, std::int64_t value) {
  if (step != Step::done) return ctx.fail(errors::kWrongType);
  ctx.reply.integer(value);
  return Outcome::done;
}

using Reader = Step (*)(Queue&, std::string_view, std::int64_t&);
using Setter = Step (*)(Queue&, std::string_view, std::int64_t);

/// "queue lane" tells a number of the lane, "queue lane n" sets it.
Outcome tell_or_set(Context& ctx, Args& args, Reader read, Setter set, std::int64_t least, std::string_view error) {
  const std::string_view name = read_queue(args);
  const std::string_view lane = read_lane(args);
  const bool sets = args.left() != 0;
  std::int64_t value = sets ? args.integer_in(least, kMostPerLane, error, error) : 0;
  if (!args.ok()) return ctx.fail(args.error());
  if (args.left() != 0) return ctx.fail(errors::kSyntax);
  Queue queue(ctx, name);
  if (sets) return answer_ok(ctx, set(queue, lane, value));
  const Step step = read(queue, lane, value);
  return answer_number(ctx, step, value);
}

Outcome lane_weight(Context& ctx, Args& args) {
  return tell_or_set(ctx, args, read_weight, set_weight, 1, lane_errors::kWeight);
}

Outcome lane_limit(Context& ctx, Args& args) {
  return tell_or_set(ctx, args, read_limit, set_limit, 0, lane_errors::kLimit);
}

/// For a lane where one is named, for the whole queue else.
Outcome switch_lane(Context& ctx, Args& args, Step (*lane_step)(Queue&, std::string_view), Step (*queue_step)(Queue&)) {
  const Scope scope = read_scope(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, scope.queue);
  return answer_ok(ctx, scope.whole ? queue_step(queue) : lane_step(queue, scope.lane));
}

Outcome lane_pause(Context& ctx, Args& args) { return switch_lane(ctx, args, pause_lane, pause_queue); }
Outcome lane_resume(Context& ctx, Args& args) { return switch_lane(ctx, args, resume_lane, resume_queue); }

Outcome lane_depth(Context& ctx, Args& args) {
  const Scope scope = read_scope(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, scope.queue);
  std::int64_t depth = 0;
  const Step step = scope.whole ? read_whole_depth(queue, depth) : read_depth(queue, scope.lane, depth);
  return answer_number(ctx, step, depth);
}

Outcome lane_stats(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  QueueTotals totals;
  if (read_totals(queue, totals) != Step::done) return ctx.fail(errors::kWrongType);
  const std::pair<std::string_view, std::int64_t> fields[] = {
      {"depth", totals.depth},
      {"active", totals.active},
      {"scheduled", totals.scheduled},
      {"dead", totals.dead},
      {"completed", totals.completed},
      {"failed", totals.failed},
      {"ungrouped", totals.ungrouped},
      {"lanes", totals.lanes},
      {"serviceable", totals.serviceable},
      {"paused-lanes", totals.paused_lanes},
      {"paused", totals.paused ? 1 : 0},
      {"max-active", totals.max_active},
      {"oldest", totals.oldest},
  };
  ctx.reply.map(std::size(fields) + 1);
  for (const auto& [field, value] : fields) {
    ctx.reply.bulk(field);
    ctx.reply.integer(value);
  }
  ctx.reply.bulk("policy");
  ctx.reply.bulk(totals.policy);
  return Outcome::done;
}

constexpr Spec kSpecs[] = {
    {.syntax = "LANE.WEIGHT queue:key lane [weight:integer]",
     .handler = lane_weight,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::lane,
     .docs = {.summary = "Tells or sets how many jobs a lane may have served in its turn.",
              .complexity = "O(1)",
              .since = "0.1.0"}},
    {.syntax = "LANE.LIMIT queue:key lane [limit:integer]",
     .handler = lane_limit,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::access | Use::update),
     .group = Group::lane,
     .docs = {.summary = "Tells or sets how many jobs of a lane may be in flight at once.",
              .complexity = "O(1)",
              .since = "0.1.0"}},
    {.syntax = "LANE.PAUSE queue:key [lane]",
     .handler = lane_pause,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::lane,
     .docs = {.summary = "Hands out no more jobs of a lane, or of a queue, until it is resumed.",
              .complexity = "O(1)",
              .since = "0.1.0"}},
    {.syntax = "LANE.RESUME queue:key [lane]",
     .handler = lane_resume,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, Use::rw | Use::update),
     .group = Group::lane,
     .docs = {.summary = "Takes the pause of a lane, or of a queue, back.", .complexity = "O(1)", .since = "0.1.0"}},
    {.syntax = "LANE.DEPTH queue:key [lane]",
     .handler = lane_depth,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::lane,
     .docs = {.summary = "Counts the jobs that wait in a lane, or in all lanes of a queue.",
              .complexity = "O(1) for a lane, O(N) for a queue of N lanes",
              .since = "0.1.0"}},
    {.syntax = "LANE.STATS queue:key",
     .handler = lane_stats,
     .flags = Flag::readonly,
     .keys = key_at(1, Use::ro | Use::access),
     .group = Group::lane,
     .docs = {.summary = "Counts the jobs and lanes of a queue by their state.",
              .complexity = "O(N), N lanes",
              .since = "0.1.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> lane_control_commands() { return kSpecs; }

}  // namespace fairlane::command
