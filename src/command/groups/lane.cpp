// lane.cpp - the life of a job in a lane: it is queued, claimed and settled.
#include "command/groups.hpp"
#include "command/lane/answers.hpp"
#include "command/lane/arguments.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr std::string_view kJobBrand = "JOB";

/// A minted id, which no job has even where ids were brought along from elsewhere.
base::BrandedIdText mint_job_id(Queue& queue) {
  for (;;) {
    const base::BrandedIdText id(kJobBrand, queue.lanes.minter().next(static_cast<std::uint64_t>(queue.now)));
    if (queue.database.peek(queue.keys.row(id)) == nullptr) return id;
  }
}

Outcome enqueue_job(Context& ctx, Queue& queue, const NewJob& job) {
  const Step step = enqueue(queue, job);
  if (step == Step::done) {
    ctx.reply.bulk(job.id);
  } else if (step == Step::exists) {
    ctx.reply.null();
  } else {
    return fail_step(ctx, step);
  }
  return Outcome::done;
}

Outcome lane_enqueue(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  NewJob job;
  job.lane = read_lane(args);
  job.id = read_job_id(args);
  job.payload = args.text();
  while (args.more()) {
    if (args.option_with("MAXDEPTH", 1)) {
      job.most = read_count(args, lane_errors::kMaxDepth);
    } else if (job.due == 0 && args.option_with("DELAY", 1)) {
      const std::int64_t delay = read_delay(args);
      if (args.ok()) job.due = ctx.now + delay;
    } else if (job.due == 0 && args.option_with("AT", 1)) {
      job.due = read_instant(args);
    } else {
      return ctx.fail(errors::kSyntax);
    }
  }
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  if (ctx.likely != nullptr) {
    job.row_hash = ctx.likely->row_of(job.id);
    job.backlog_hash = ctx.likely->backlog_of(job.lane);
  }
  if (job.id != "*") return enqueue_job(ctx, queue, job);
  const base::BrandedIdText minted = mint_job_id(queue);
  job.id = minted;
  job.row_hash = 0;
  return enqueue_job(ctx, queue, job);
}

struct ClaimWords {
  std::string_view queue;
  ClaimOrder order;
  bool blocks = false;
  std::int64_t block = 0;
};

ClaimWords read_claim(Args& args, Share share) {
  ClaimWords words{read_queue(args), {read_lease(args), share}};
  while (args.more()) {
    if (args.option_with("BLOCK", 1)) {
      words.blocks = true;
      words.block = read_block(args);
    } else if (share != Share::one && args.option_with("COUNT", 1)) {
      words.order.most = read_count(args);
    } else {
      args.fail(errors::kSyntax);
    }
  }
  return words;
}

void reply_nothing_claimed(protocol::Reply& reply) { reply.null_array(); }
void reply_no_jobs(protocol::Reply& reply) { reply.array(0); }

Outcome nothing_claimable(Context& ctx, Queue& queue, const ClaimWords& words, void (*reply)(protocol::Reply&)) {
  if (words.blocks) return ctx.wait_for(queue.keys[QueueKey::ring].text, claim_hints(queue), words.block, reply);
  reply(ctx.reply);
  return Outcome::done;
}

Outcome lane_claim(Context& ctx, Args& args) {
  const ClaimWords words = read_claim(args, Share::one);
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, words.queue);
  const Turn turn = claim_turn(queue, words.order, ctx.reply);
  if (turn.step == Step::nothing) return nothing_claimable(ctx, queue, words, reply_nothing_claimed);
  return turn.step == Step::done ? Outcome::done : fail_step(ctx, turn.step);
}

/// One turn; with a COUNT as many as it takes to come to so many jobs.
Outcome claim_many(Context& ctx, const ClaimWords& words, bool several_turns) {
  Queue queue(ctx, words.queue);
  const auto place = ctx.reply.open();
  ClaimOrder order = words.order;
  std::size_t jobs = 0;
  do {
    const Turn turn = claim_turn(queue, order, ctx.reply);
    if (turn.step == Step::wrong_type && jobs == 0) return fail_step(ctx, turn.step);
    if (turn.step != Step::done) break;
    jobs += turn.jobs;
    order.most -= turn.jobs;
  } while (several_turns && order.most != 0);
  if (jobs == 0) return nothing_claimable(ctx, queue, words, reply_no_jobs);
  ctx.reply.close_array(place, jobs);
  return Outcome::done;
}

Outcome lane_wclaim(Context& ctx, Args& args) {
  const ClaimWords words = read_claim(args, Share::weight);
  if (!args.ok()) return ctx.fail(args.error());
  return claim_many(ctx, words, words.order.most != SIZE_MAX);
}

Outcome lane_bclaim(Context& ctx, Args& args) {
  const ClaimWords words = read_claim(args, Share::all);
  if (!args.ok()) return ctx.fail(args.error());
  return claim_many(ctx, words, false);
}

/// The second half of a settle with NEXT. The first half stands whatever becomes of it.
void claim_next(Context& ctx, Queue& queue, std::int64_t lease) {
  const Turn turn = claim_turn(queue, {lease, Share::one}, ctx.reply);
  if (turn.step != Step::done) ctx.reply.null_array();
}

Outcome lane_complete(Context& ctx, Args& args) {
  const std::string_view name = read_queue(args);
  const std::string_view id = read_job_id(args);
  const std::string_view token = args.text();
  std::int64_t lease = 0;
  while (args.more()) {
    if (!args.option_with("NEXT", 1)) return ctx.fail(errors::kSyntax);
    lease = read_lease(args);
  }
  if (!args.ok()) return ctx.fail(args.error());
  Queue queue(ctx, name);
  const Step step = complete(queue, id, token, ctx.likely_row(id));
  if (step != Step::done && step != Step::gone) return fail_step(ctx, step);
  if (lease != 0) ctx.reply.array(2);
  ctx.reply.integer(step == Step::done ? 1 : 0);
  if (lease != 0) claim_next(ctx, queue, lease);
  return Outcome::done;
}

constexpr Use kQueueUse = Use::rw | Use::access | Use::update | Use::insert | Use::del;

constexpr Spec kSpecs[] = {
    {.syntax = "LANE.ENQUEUE queue:key lane <* | id> payload [DELAY milliseconds:integer | AT "
               "unix-milliseconds:integer] [MAXDEPTH depth:integer]",
     .handler = lane_enqueue,
     .flags = Flag::write | Flag::denyoom | Flag::fast,
     .keys = key_at(1, Use::rw | Use::insert),
     .group = Group::lane,
     .docs = {.summary = "Adds a job to the end of a lane.",
              .complexity = "O(log(N)), N jobs in the lane",
              .since = "0.1.0"}},
    {.syntax = "LANE.CLAIM queue:key lease:integer [BLOCK milliseconds:integer]",
     .handler = lane_claim,
     .flags = Flag::write | Flag::blocking,
     .keys = key_at(1, kQueueUse),
     .group = Group::lane,
     .docs = {.summary = "Leases the first job of the lane whose turn it is.",
              .complexity = "O(log(N)), N jobs leased at the time",
              .since = "0.1.0"}},
    {.syntax = "LANE.WCLAIM queue:key lease:integer [COUNT count:integer] [BLOCK milliseconds:integer]",
     .handler = lane_wclaim,
     .flags = Flag::write | Flag::blocking,
     .keys = key_at(1, kQueueUse),
     .group = Group::lane,
     .docs = {.summary = "Leases as many jobs as the weight of the lane whose turn it is.",
              .complexity = "O(M*log(N)), M jobs claimed, N jobs leased at the time",
              .since = "0.1.0"}},
    {.syntax = "LANE.BCLAIM queue:key lease:integer [COUNT count:integer] [BLOCK milliseconds:integer]",
     .handler = lane_bclaim,
     .flags = Flag::write | Flag::blocking,
     .keys = key_at(1, kQueueUse),
     .group = Group::lane,
     .docs = {.summary = "Leases a batch of jobs of the lane whose turn it is.",
              .complexity = "O(M*log(N)), M jobs claimed, N jobs leased at the time",
              .since = "0.1.0"}},
    {.syntax = "LANE.COMPLETE queue:key id token [NEXT lease:integer]",
     .handler = lane_complete,
     .flags = Flag::write | Flag::fast,
     .keys = key_at(1, kQueueUse),
     .group = Group::lane,
     .docs = {.summary = "Settles a leased job as done.",
              .complexity = "O(log(N)), N jobs leased at the time",
              .since = "0.1.0"}},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> lane_commands() { return kSpecs; }

}  // namespace fairlane::command
