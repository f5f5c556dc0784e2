// lane_settle.cpp - what becomes of jobs that were claimed, delayed or given up: failed, extended, removed, moved.
#include "command/groups.hpp"
#include "command/lane/answers.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr std::int64_t kMostAttempts = INT64_MAX;

Outcome answer_count(Context& ctx, Step step, std::size_t count) {
  if (step != Step::done) return fail_step(ctx, step);
  ctx.reply.integer(static_cast<std::int64_t>(count));
  return Outcome::done;
}

/// 1, or 0 when the job is gone.
Outcome answer_whether(Context& ctx, Step step) {
  if (step != Step::done && step != Step::gone) return fail_step(ctx, step);
  ctx.reply.integer(step == Step::done ? 1 : 0);
  return Outcome::done;
}

Outcome lane_retry(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  const std::string_view token = args.text();
  Failure failure{};
  failure.delay = read_delay(args);
  failure.max_attempts = args.integer_in(1, kMostAttempts, lane_errors::kAttempts, lane_errors::kAttempts);
  failure.error = args.text();
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  Place place = Place::nowhere;
  const Step step = retry(queue, id, token, failure, place);
  if (step == Step::gone) return ctx.fail(lane_errors::kStale);
  if (step != Step::done) return fail_step(ctx, step);
  ctx.reply.bulk(place_name(place));
  return Outcome::done;
}

Outcome lane_extend(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  const std::string_view token = args.text();
  const std::int64_t lease = read_lease(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return answer_whether(ctx, extend(queue, id, token, lease));
}

Outcome lane_remove(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  bool force = false;
  while (args.more()) {
    if (!args.option("FORCE")) return ctx.fail(errors::kSyntax);
    force = true;
  }
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  return answer_whether(ctx, remove_job(queue, id, force));
}

Outcome lane_reassign(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  const std::string_view lane = read_lane(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  switch (const Step step = reassign(queue, id, lane)) {
    case Step::done:
      ctx.reply.integer(1);
      break;
    case Step::same:
      ctx.reply.integer(0);
      break;
    case Step::gone:
      ctx.reply.integer(-1);
      break;
    case Step::wrong_state:
      ctx.reply.integer(-2);
      break;
    default:
      return fail_step(ctx, step);
  }
  return Outcome::done;
}

Outcome lane_drain(Context& ctx, Args& args) {
  const Scope scope = read_scope(args);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, scope.queue);
  std::size_t count = 0;
  const Step step = scope.whole ? drain_queue(queue, count) : drain_lane(queue, scope.lane, count);
  return answer_count(ctx, step, count);
}

Outcome lane_revive(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  const std::string_view lane = args.left() == 0 ? std::string_view() : read_lane(args);
  if (!args.ok()) return ctx.fail(args.error());
  if (args.left() != 0) return ctx.fail(errors::kSyntax);
  Queue queue(ctx, name);
  std::size_t count = 0;
  if (id == "*") {
    const Step step = revive_all(queue, lane, count);
    return answer_count(ctx, step, count);
  }
  const Step step = revive(queue, id, lane);
  if (step == Step::wrong_state || step == Step::gone) return answer_count(ctx, Step::done, 0);
  return answer_count(ctx, step, 1);
}

Outcome lane_promote(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  std::size_t most = SIZE_MAX;
  while (args.more()) {
    if (!args.option_with("LIMIT", 1)) return ctx.fail(errors::kSyntax);
    most = read_count(args);
  }
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  std::size_t count = 0;
  const Step step = promote_due(queue, most, count);
  return answer_count(ctx, step, count);
}

Outcome lane_reap(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  std::string_view lane;
  std::size_t most = SIZE_MAX;
  while (args.more()) {
    if (args.option_with("LANE", 1)) {
      lane = read_lane(args);
    } else if (args.option_with("LIMIT", 1)) {
      most = read_count(args);
    } else {
      return ctx.fail(errors::kSyntax);
    }
  }
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  std::size_t count = 0;
  const Step step = reap(queue, lane, most, count);
  return answer_count(ctx, step, count);
}

constexpr Keys kQueueKey = key_at(1, Use::rw | Use::access | Use::update | Use::insert | Use::del);
constexpr Flag kFast = Flag::write | Flag::fast;

constexpr Spec kSpecs[] = {
    {.syntax = "LANE.RETRY queue:key id token delay:integer max-attempts:integer error",
     .handler = lane_retry,
     .flags = kFast,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Settles a leased job as failed: it is tried again, at once or later, or is dead.",
              .complexity = "O(log(N)), N jobs in the queue",
              .since = "0.1.0"}},
    {.syntax = "LANE.EXTEND queue:key id token lease:integer",
     .handler = lane_extend,
     .flags = kFast,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Makes a lease that has not ended last so many milliseconds from now.",
              .complexity = "O(log(N)), N jobs leased at the time",
              .since = "0.1.0"}},
    {.syntax = "LANE.REMOVE queue:key id [FORCE]",
     .handler = lane_remove,
     .flags = Flag::write | Flag::fast,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Removes a job wherever it is; a leased one only with FORCE.",
              .complexity = "O(log(N)), N jobs in the queue",
              .since = "0.1.0"}},
    {.syntax = "LANE.REASSIGN queue:key id lane",
     .handler = lane_reassign,
     .flags = kFast,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Moves a waiting job to another lane.",
              .complexity = "O(log(N)), N jobs in both lanes",
              .since = "0.1.0"}},
    {.syntax = "LANE.DRAIN queue:key [lane]",
     .handler = lane_drain,
     .flags = Flag::write,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Deletes the jobs that wait in a lane or in all lanes.",
              .complexity = "O(N), N jobs deleted, and lanes looked at",
              .since = "0.1.0"}},
    {.syntax = "LANE.REVIVE queue:key <* | id> [lane]",
     .handler = lane_revive,
     .flags = Flag::write,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Gives dead jobs back to their lane, or to the one named.",
              .complexity = "O(M*log(N)), M jobs revived, N jobs in the queue",
              .since = "0.1.0"}},
    {.syntax = "LANE.PROMOTE queue:key [LIMIT count:integer]",
     .handler = lane_promote,
     .flags = Flag::write,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Moves delayed jobs that are due to their lanes.",
              .complexity = "O(M*log(N)), M jobs moved, N jobs in the queue",
              .since = "0.1.0"}},
    {.syntax = "LANE.REAP queue:key [LANE lane] [LIMIT count:integer]",
     .handler = lane_reap,
     .flags = Flag::write,
     .keys = kQueueKey,
     .group = Group::lane,
     .docs = {.summary = "Returns jobs whose lease has ended to their lanes.",
              .complexity = "O(M*log(N)), M leases ended, N jobs in the queue",
              .since = "0.1.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> lane_settle_commands() { return kSpecs; }

}  // namespace fairlane::command
