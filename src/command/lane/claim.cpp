// claim.cpp - the steps by which jobs are handed out.
#include <algorithm>
#include <array>

#include "command/lane/answers.hpp"
#include "command/lane/deadlines.hpp"
#include "command/lane/events.hpp"
#include "command/lane/job.hpp"
#include "command/lane/lane_facts.hpp"
#include "command/lane/rota.hpp"
#include "command/lane/service_time.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr field::Text kActive("active");
constexpr std::array kClaimedFields{field::kState, field::kAttempts, field::kPayload};
/// So many lanes that are over are counted in any case.
constexpr std::size_t kServedSpare = 4096;

/// What is asked for, and how it is charged under `smooth`.
struct Order {
  protocol::Reply& reply;
  std::int64_t deadline;
  Share share;
  std::uint64_t cost = 1;  ///< of a job, as far as is known beforehand
  bool charges_time = false;
};

/// Hashes of the rows of a turn's first jobs, in the order in which they are looked at.
struct RowsAhead {
  std::array<std::uint64_t, 8> hashes;
  std::size_t known = 0;
  std::size_t used = 0;

  std::uint64_t next() noexcept { return used < known ? hashes[used++] : 0; }
};

/// The values that a turn changes beside the rows, open at once.
struct Claiming {
  Queue& queue;
  std::string_view lane;
  const Order& order;
  engine::Edit<data::SortedSet> backlog;
  engine::Edit<data::SortedSet> active;
  engine::Edit<data::Hash> in_flight;
  std::size_t ghosts = 0;
  RowsAhead rows = {};

  Claiming(Queue& of, std::string_view name, const Order& what)
      : queue(of),
        lane(name),
        order(what),
        backlog(of.database.edit<data::SortedSet>(of.keys.backlog(name))),
        active(of.database.upsert<data::SortedSet>(of.keys[QueueKey::active])),
        in_flight(of.database.upsert<data::Hash>(of.keys[QueueKey::in_flight])) {}

  bool wrong_type() const noexcept { return active.wrong_type() || in_flight.wrong_type(); }
};

void drop_first(Claiming& claim) {
  claim.backlog->pop_min(1, [](const data::SortedSet::Item&) {});
}

/// The attempt that begins: what is no number counts as 0, and none is beyond the largest.
std::int64_t next_attempt(std::optional<std::string_view> attempts) {
  const std::int64_t before = number_or(attempts, 0);
  return before == INT64_MAX ? before : before + 1;
}

/// Hands a job out: the reply has it, and its row says so.
std::int64_t hand_out(Claiming& claim, std::string_view id, data::Hash& row) {
  const auto [state, tries, payload] = row.find_each(kClaimedFields);
  const std::int64_t attempts = next_attempt(tries.value);
  write_job(claim.order.reply, id, payload.value, attempts, claim.lane);
  const base::NumberText number(attempts);
  const field::Text text(number);
  if (!data::Hash::overwrite(tries, text) || !data::Hash::overwrite(state, kActive)) [[unlikely]] {
    row.put(field::kAttempts, text, claim.queue.settings.hash);
    row.put(field::kState, kActive, claim.queue.settings.hash);
  }
  if (claim.order.charges_time) [[unlikely]]
    note_charge(claim.queue, row, claim.order.cost);
  return attempts;
}

/// Leases the lane's first job. An entry without a row stands for no job and is dropped (`nothing`).
Step claim_first(Claiming& claim) {
  Queue& queue = claim.queue;
  const std::string_view id = claim.backlog->first().item().member;
  const engine::HashedKey row_key = queue.keys.row(id, claim.rows.next());
  auto row = queue.database.edit<data::Hash>(row_key);
  if (row.wrong_type()) return Step::wrong_lane;
  if (row.absent()) {
    drop_first(claim);
    ++claim.ghosts;
    return Step::nothing;
  }
  const std::int64_t attempts = hand_out(claim, id, *row);
  row.commit(engine::events::kHSet);
  const auto put = claim.active->put(id, static_cast<double>(claim.order.deadline), queue.settings.sorted_set);
  if (put != data::SortedSet::Put::inserted) [[unlikely]]
    queue.state().recount = true;
  queue.lanes.deadlines().keep_lease(queue, row_key.hash, claim.order.deadline, claim.active->size());
  tell(queue, "active",
       [&] { return EventDetails{.id = id, .lane = claim.lane, .attempts = attempts, .when = claim.order.deadline}; });
  drop_first(claim);
  return Step::done;
}

/// Asks for the rows of several jobs before the first is looked at.
void ask_for_rows(Claiming& claim, std::size_t most) {
  engine::Database& database = claim.queue.database;
  if (most == 1 || database.size() < kManyKeys) return;
  RowsAhead& rows = claim.rows;
  const std::size_t wanted = std::min(most, rows.hashes.size());
  for (auto job = claim.backlog->first(); rows.known < wanted && job.valid(); job.next()) {
    const std::uint64_t hash = rows.hashes[rows.known++] = claim.queue.keys.row(job.item().member).hash;
    database.prefetch(hash);
  }
  for (std::size_t i = 0; i < rows.known; ++i) database.prefetch_entry(rows.hashes[i]);
  for (std::size_t i = 0; i < rows.known; ++i) database.prefetch_value(rows.hashes[i]);
}

/// Leases up to `most` jobs and publishes. A key of the wrong type behind the first job ends the turn and no more.
Turn claim_some(Claiming& claim, std::size_t most) {
  Turn turn{Step::done};
  ask_for_rows(claim, most);
  while (turn.jobs < most && !claim.backlog->empty()) {
    const Step step = claim_first(claim);
    if (step == Step::done) ++turn.jobs;
    if (step != Step::wrong_lane) continue;
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

/// What serving a lane came to.
struct Served {
  Turn turn;
  LaneFacts facts;  ///< as they are afterwards
};

/// Leases up to `most` of a lane's jobs, as many as its gates allow.
Served serve(Queue& queue, std::string_view lane, const Order& order, std::size_t most) {
  Claiming claim(queue, lane, order);
  Served served{{Step::done}, {}};
  LaneFacts& facts = served.facts;
  if (claim.wrong_type() || read_gates(queue, lane, facts) != Step::done) return {{Step::wrong_type}, {}};
  if (claim.backlog.wrong_type()) return {{Step::wrong_lane}, {}};
  if (facts.limit > 0) facts.in_flight = count_of(claim.in_flight->find(lane), 0);
  facts.depth = claim.backlog.absent() ? 0 : claim.backlog->size();
  if (!facts.serviceable()) return served;
  if (facts.limit > 0) most = std::min(most, static_cast<std::size_t>(facts.limit - facts.in_flight));
  if (facts.bucket.limits()) most = std::min(most, static_cast<std::size_t>(facts.bucket.tokens(queue.now)));

  served.turn = claim_some(claim, most);
  const auto jobs = static_cast<std::int64_t>(served.turn.jobs);
  facts.depth = claim.backlog->size();
  facts.in_flight += jobs;
  if (served.turn.jobs + claim.ghosts != 0) claim.backlog.commit(engine::events::kZPopMin);
  if (facts.bucket.limits() && jobs != 0) {
    facts.bucket.take(jobs, queue.now);
    write_bucket(queue, lane, facts.bucket);
  }
  if (jobs != 0) queue.state().served.add(lane, served.turn.jobs);
  return served;
}

Turn outcome(const Turn& turn) noexcept { return turn.jobs != 0 ? turn : Turn{Step::nothing}; }

/// Policy `ring`: one turn of the lane at the head; `nothing` when it could not be served and has left the ring.
Turn serve_head(Queue& queue, Rota& rota, const Order& order, std::size_t most) {
  const std::string_view lane = rota.head();
  std::size_t allowed = order.share == Share::one ? 1 : SIZE_MAX;
  if (order.share == Share::weight) {
    std::int64_t weight = 1;
    if (read_weight(queue, lane, weight) != Step::done) return {Step::wrong_type};
    const std::int64_t left = rota.turn_left(lane);
    allowed = static_cast<std::size_t>(left != 0 ? std::min(left, weight) : weight);
  }
  const auto [turn, facts] = serve(queue, lane, order, std::min(allowed, most));
  if (turn.step == Step::wrong_type) return turn;
  if (turn.step == Step::wrong_lane) {
    rota.end_turn();
    return turn;
  }
  if (!facts.serviceable()) {
    await_token(queue, lane, facts);
    rota.drop_head();
  } else if (order.share == Share::weight && turn.jobs == most && turn.jobs < allowed) {
    rota.cut_turn(lane, static_cast<std::int64_t>(allowed - turn.jobs));
  } else {
    rota.end_turn();
  }
  return outcome(turn);
}

/// Policy `smooth`: one pick, of one job or of a lane's batch.
Turn serve_pick(Queue& queue, Rota& rota, const Order& order, std::size_t most) {
  lane::FairQueue& fair = rota.fair();
  const auto pick = fair.peek(order.cost);
  if (!pick) return {Step::nothing};
  std::string& lane = rota.state().picked;
  lane.assign(pick->lane);
  std::int64_t weight = 1;
  if (read_weight(queue, lane, weight) != Step::done) return {Step::wrong_type};
  if (weight != pick->weight) {
    // Somebody changed it: that counts from this pick on.
    fair.reweigh(lane, static_cast<std::uint32_t>(weight));
    return {Step::nothing};
  }
  const auto [turn, facts] = serve(queue, lane, order, order.share == Share::all ? most : 1);
  if (turn.step == Step::wrong_type) return turn;
  if (turn.step == Step::wrong_lane) {
    fair.charge(lane, order.cost);
    return turn;
  }
  if (turn.jobs != 0) fair.charge(lane, std::min(turn.jobs * order.cost, lane::FairQueue::kMaxCost));
  if (!facts.serviceable()) {
    await_token(queue, lane, facts);
    rota.contains(lane) ? rota.remove(lane) : fair.sleep(lane);
  }
  return outcome(turn);
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

Turn take_turn(Queue& queue, const ClaimOrder& claim, protocol::Reply& reply) {
  Rota rota(queue);
  if (rota.wrong_type()) return {Step::wrong_type};
  if (rota.empty()) return {Step::nothing};
  QueueGate gate;
  if (read_gate(queue, gate) != Step::done) return {Step::wrong_type};
  if (gate.paused || gate.room == 0) return {Step::nothing};
  Order order{reply, queue.now + claim.lease, claim.share};
  if (gate.charges_time) {
    order.charges_time = true;
    order.cost = static_cast<std::uint64_t>(rota.state().usual_time);
  }
  const std::size_t most = std::min(claim.most, static_cast<std::size_t>(gate.room));
  if (!gate.smooth) rota.forget_fair();
  // A lane with a key of the wrong type is passed over; it is an error when there is no other.
  std::size_t passed_over = 0;
  while (!rota.empty()) {
    const Turn turn = gate.smooth ? serve_pick(queue, rota, order, most) : serve_head(queue, rota, order, most);
    if (turn.step == Step::done) {
      forget_served(queue, rota);
      if (!gate.smooth && !rota.empty()) rota.state().foresight.step(queue, rota.ring());
    }
    if (turn.step == Step::done || turn.step == Step::wrong_type) return turn;
    if (turn.step == Step::wrong_lane && ++passed_over >= rota.size()) return {Step::wrong_type};
  }
  return {Step::nothing};
}

}  // namespace

Turn claim_turn(Queue& queue, const ClaimOrder& claim, protocol::Reply& reply) {
  const Turn turn = take_turn(queue, claim, reply);
  if (turn.jobs != 0 && queue.state().recount) [[unlikely]]
    recount_in_flight(queue);
  return turn;
}

}  // namespace fairlane::command
