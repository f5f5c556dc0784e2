// claim.cpp - the steps by which jobs are handed out.
#include <algorithm>

#include "command/lane/answers.hpp"
#include "command/lane/deadlines.hpp"
#include "command/lane/events.hpp"
#include "command/lane/lane_facts.hpp"
#include "command/lane/rota.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr field::Text kActive("active");
/// So many lanes that are over are counted in any case.
constexpr std::size_t kServedSpare = 4096;

/// The values that a turn changes beside the rows, open at once.
struct Claiming {
  Queue& queue;
  std::string_view lane;
  std::int64_t deadline;
  protocol::Reply& reply;
  engine::Edit<data::SortedSet> backlog;
  engine::Edit<data::SortedSet> active;
  engine::Edit<data::Hash> in_flight;
  std::size_t ghosts = 0;

  Claiming(Queue& of, std::string_view name, std::int64_t until, protocol::Reply& to)
      : queue(of),
        lane(name),
        deadline(until),
        reply(to),
        backlog(of.database.edit<data::SortedSet>(of.keys.backlog(name))),
        active(of.database.upsert<data::SortedSet>(of.keys[QueueKey::active])),
        in_flight(of.database.upsert<data::Hash>(of.keys[QueueKey::in_flight])) {}

  bool wrong_type() const noexcept { return backlog.wrong_type() || active.wrong_type() || in_flight.wrong_type(); }
};

void drop_first(Claiming& claim) {
  claim.backlog->pop_min(1, [](const data::SortedSet::Item&) {});
}

/// Leases the lane's first job. An entry without a row stands for no job and is dropped (`nothing`).
Step claim_first(Claiming& claim) {
  Queue& queue = claim.queue;
  const std::string_view id = claim.backlog->first().item().member;
  auto row = queue.database.edit<data::Hash>(queue.keys.row(id));
  if (row.wrong_type()) return Step::wrong_type;
  if (row.absent()) {
    drop_first(claim);
    ++claim.ghosts;
    return Step::nothing;
  }
  const std::int64_t attempts = count_up(*row, field::kAttempts, 1, queue.settings.hash);
  row->put(field::kState, kActive, queue.settings.hash);
  write_job(claim.reply, id, *row, attempts, claim.lane);
  row.commit(engine::events::kHSet);
  claim.active->put(id, static_cast<double>(claim.deadline), queue.settings.sorted_set);
  queue.lanes.deadlines().keep(queue, Deadline::lease, id, claim.deadline);
  tell(queue, "active", {.id = id, .lane = claim.lane, .attempts = attempts, .when = claim.deadline});
  drop_first(claim);
  return Step::done;
}

/// Leases up to `most` jobs and publishes. A key of the wrong type behind the first job ends the turn and no more.
Turn claim_some(Claiming& claim, std::size_t most) {
  Turn turn{Step::done};
  while (turn.jobs < most && !claim.backlog->empty()) {
    const Step step = claim_first(claim);
    if (step == Step::done) ++turn.jobs;
    if (step != Step::wrong_type) continue;
    if (turn.jobs == 0) turn.step = step;
    break;
  }
  if (turn.jobs != 0) {
    count_up(*claim.in_flight, data::Hash::Text(claim.lane), static_cast<std::int64_t>(turn.jobs), kInFlightLimits);
    claim.in_flight.commit(engine::events::kHIncrBy);
    claim.active.commit(engine::events::kZAdd);
  }
  return turn;
}

/// One turn of the lane at the head; `nothing` when it could not be served and has left the ring.
Turn serve_head(Queue& queue, Rota& rota, const ClaimOrder& order, std::size_t most, protocol::Reply& reply) {
  const std::string_view lane = rota.head();
  Claiming claim(queue, lane, queue.now + order.lease, reply);
  LaneFacts facts;
  std::int64_t weight = 1;
  if (claim.wrong_type() || read_gates(queue, lane, facts) != Step::done) return {Step::wrong_type};
  if (order.share == Share::weight && read_weight(queue, lane, weight) != Step::done) return {Step::wrong_type};
  if (facts.limit > 0) facts.in_flight = number_or(claim.in_flight->find(lane), 0);
  if (claim.backlog.absent() || !facts.open()) {
    facts.depth = claim.backlog.absent() ? 0 : claim.backlog->size();
    await_token(queue, lane, facts);
    rota.drop_head();
    return {Step::nothing};
  }
  std::size_t allowed = order.share == Share::one ? 1 : SIZE_MAX;
  if (order.share == Share::weight) {
    const std::int64_t left = rota.turn_left(lane);
    allowed = static_cast<std::size_t>(left != 0 ? std::min(left, weight) : weight);
  }
  std::size_t want = std::min(allowed, most);
  if (facts.bucket.limits()) want = std::min(want, static_cast<std::size_t>(facts.bucket.tokens(queue.now)));
  if (facts.limit > 0) want = std::min(want, static_cast<std::size_t>(facts.limit - facts.in_flight));

  const Turn turn = claim_some(claim, want);
  facts.depth = claim.backlog->size();
  facts.in_flight += static_cast<std::int64_t>(turn.jobs);
  if (turn.jobs + claim.ghosts != 0) claim.backlog.commit(engine::events::kZPopMin);
  if (facts.bucket.limits() && turn.jobs != 0) {
    facts.bucket.take(static_cast<std::int64_t>(turn.jobs), queue.now);
    write_bucket(queue, lane, facts.bucket);
  }
  if (turn.jobs != 0) queue.state().served.add(lane, turn.jobs);
  if (turn.step == Step::wrong_type) return turn;
  if (!facts.serviceable()) {
    await_token(queue, lane, facts);
    rota.drop_head();
  } else if (order.share == Share::weight && turn.jobs == most && turn.jobs < allowed) {
    rota.cut_turn(lane, static_cast<std::int64_t>(allowed - turn.jobs));
  } else {
    rota.end_turn();
  }
  return turn.jobs != 0 ? turn : Turn{Step::nothing};
}

/// Lanes that were served once and are over are not counted for ever. Looks at all when there are twice as many counts
/// as lanes, so a claim's share of it stays O(1).
void forget_served(Queue& queue, Rota& rota) {
  ServedCounts& served = queue.state().served;
  if (served.size() <= kServedSpare) [[likely]]
    return;
  const auto in_flight = queue.look<data::Hash>(queue.keys[QueueKey::in_flight]);
  const std::size_t holding = in_flight.absent() ? 0 : in_flight->size();
  if (served.size() <= kServedSpare + 2 * (rota.size() + holding)) return;
  served.drop_others([&](std::string_view lane) {
    return rota.contains(lane) || (!in_flight.absent() && in_flight->find(lane).has_value());
  });
}

}  // namespace

Turn claim_turn(Queue& queue, const ClaimOrder& order, protocol::Reply& reply) {
  Rota rota(queue);
  if (rota.wrong_type()) return {Step::wrong_type};
  if (rota.empty()) return {Step::nothing};
  QueueGate gate;
  if (read_gate(queue, gate) != Step::done) return {Step::wrong_type};
  if (gate.paused || gate.room == 0) return {Step::nothing};
  const std::size_t most = std::min(order.most, static_cast<std::size_t>(gate.room));
  while (!rota.empty()) {
    const Turn turn = serve_head(queue, rota, order, most, reply);
    if (turn.step == Step::nothing) continue;
    if (turn.step == Step::done) forget_served(queue, rota);
    return turn;
  }
  return {Step::nothing};
}

}  // namespace fairlane::command
