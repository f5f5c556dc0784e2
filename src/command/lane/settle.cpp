// settle.cpp - the steps by which a held job is given back.
#include <array>

#include "command/lane/deadlines.hpp"
#include "command/lane/events.hpp"
#include "command/lane/job.hpp"
#include "command/lane/service_time.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr field::Text kCompleted("completed");
constexpr std::array kSettledFields{field::kAttempts, field::kGroup};

/// Whether a lane that loses one job in flight joins the ring by that.
Step plan_to_rejoin(Queue& queue, Membership& membership, std::string_view lane, LaneFacts& facts, bool& in_ring) {
  if (membership.wrong_type()) return Step::wrong_type;
  in_ring = membership.in_ring(lane);
  if (in_ring) return Step::done;
  if (read_facts(queue, lane, facts) != Step::done) return Step::wrong_type;
  facts.in_flight -= 1;
  return facts.serviceable() ? membership.check() : Step::done;
}

/// How many completed jobs the queue keeps.
Step read_kept(Queue& queue, std::int64_t& most) {
  const auto meta = queue.look<data::Hash>(queue.keys[QueueKey::meta]);
  if (meta.absent()) return Step::done;
  if (meta.wrong_type()) return Step::wrong_type;
  most = number_or(meta->find(field::kKeepCompleted), 0);
  if (most <= 0) return Step::done;
  return queue.look<data::SortedSet>(queue.keys[QueueKey::finished]).wrong_type() ? Step::wrong_type : Step::done;
}

/// The row stays among the last `most`; the oldest beyond go.
void keep(Queue& queue, std::string_view id, std::int64_t most) {
  change_row(queue, id, {{field::kState, kCompleted}});
  auto finished = queue.database.upsert<data::SortedSet>(queue.keys[QueueKey::finished]);
  finished->put(id, static_cast<double>(queue.now), queue.settings.sorted_set);
  trim_finished(queue, *finished, most);
  finished.commit(engine::events::kZAdd);
}

/// Somebody deleted the row of a leased job: the lease ends with the settle.
Step end_rowless_lease(Queue& queue, std::string_view id) {
  const auto active = queue.look<data::SortedSet>(queue.keys[QueueKey::active]);
  if (!active.absent() && !active.wrong_type() && active->score(id)) {
    drop_lease(queue, id);
    recount_in_flight(queue);
  }
  return Step::gone;
}

/// A job whose lease had ended and which nobody has claimed since.
Step complete_expired(Queue& queue, std::string_view id, std::string_view token, std::int64_t kept) {
  Job job;
  Step step = find_job(queue, id, job);
  if (step == Step::done) step = check_token(queue, job, token);
  if (step != Step::done) return step;
  take_out(queue, job);
  count_one(queue, QueueKey::completed);
  if (kept > 0) {
    keep(queue, job.id, kept);
  } else {
    erase_row(queue, job.id);
  }
  tell(queue, "completed", [&] { return EventDetails{.id = job.id, .lane = job.lane, .attempts = job.attempts}; });
  return Step::done;
}

}  // namespace

Step complete(Queue& queue, std::string_view id, std::string_view token, std::uint64_t row_hash) {
  const engine::HashedKey row_key = queue.keys.row(id, row_hash);
  const auto row = queue.database.edit<data::Hash>(row_key);
  if (row.absent()) return end_rowless_lease(queue, id);
  if (row.wrong_type()) return Step::wrong_type;
  const auto [tries, member] = row.peek().find_each(kSettledFields);
  const auto attempts = tries.value.value_or("0");
  if (attempts != token) return Step::stale;
  if (attempts == "0") return Step::wrong_state;
  const auto group = member.value;
  const std::string_view lane = group.value_or(std::string_view());

  std::int64_t kept = 0;
  auto active = queue.database.edit<data::SortedSet>(queue.keys[QueueKey::active]);
  auto in_flight = queue.database.edit<data::Hash>(queue.keys[QueueKey::in_flight]);
  std::optional completed(queue.database.upsert<data::Hash>(queue.keys[QueueKey::completed]));
  std::optional<Membership> membership(queue);
  LaneFacts facts;
  bool in_ring = true;
  if (active.wrong_type() || completed->wrong_type() || in_flight.wrong_type() ||
      read_kept(queue, kept) != Step::done) {
    return Step::wrong_type;
  }
  if (group && plan_to_rejoin(queue, *membership, lane, facts, in_ring) != Step::done) return Step::wrong_type;

  if (active.absent() || !active->erase(id)) {
    // They would stand open beside those of the slower way.
    completed.reset();
    membership.reset();
    return complete_expired(queue, id, token, kept);
  }
  active.commit(engine::events::kZRem);
  correct_charge(queue, row.peek(), lane);
  if (group) subtract_in_flight(in_flight, lane);
  count_up(**completed, field::kCount, 1, queue.settings.hash);
  completed->commit(engine::events::kHIncrBy);
  if (!in_ring) membership->set(lane, facts);
  tell(queue, "completed", [&] { return EventDetails{.id = id, .lane = lane, .attempts = number_or(token, -1)}; });
  if (kept > 0) {
    keep(queue, id, kept);
  } else {
    erase_row(queue, id, {row.key(), row_key.hash});
  }
  return Step::done;
}

Step retry(Queue& queue, std::string_view id, std::string_view token, const Failure& failure, Place& place) {
  Job job;
  Step step = find_job(queue, id, job);
  if (step == Step::done) step = check_token(queue, job, token);
  if (step != Step::done) return step;
  take_out(queue, job);
  change_row(queue, id, {{field::kLastError, field::Text(failure.error)}});
  forget_expiry(queue, id);
  const EventDetails details{.id = job.id, .lane = job.lane, .attempts = job.attempts, .error = failure.error};
  if (job.attempts >= failure.max_attempts) {
    place = Place::dead;
    bury(queue, job);
    tell(queue, "dead", [&] { return details; });
  } else if (failure.delay > 0) {
    place = Place::scheduled;
    EventDetails with_time = details;
    with_time.when = queue.now + failure.delay;
    put_on_schedule(queue, job, with_time.when);
    tell(queue, "scheduled", [&] { return with_time; });
  } else {
    place = Place::lane;
    put_to_wait(queue, job);
    tell(queue, "retried", [&] { return details; });
  }
  return Step::done;
}

Step extend(Queue& queue, std::string_view id, std::string_view token, std::int64_t lease) {
  const auto row = queue.look<data::Hash>(queue.keys.row(id));
  if (row.absent()) return Step::gone;
  if (row.wrong_type()) return Step::wrong_type;
  const auto attempts = row->find(field::kAttempts);
  if (attempts.value_or(std::string_view()) != token) return Step::stale;
  auto active = queue.database.edit<data::SortedSet>(queue.keys[QueueKey::active]);
  if (active.wrong_type()) return Step::wrong_type;
  const auto until = active.absent() ? std::nullopt : active->score(id);
  if (!until) return attempts == "0" ? Step::wrong_state : Step::stale;
  if (*until <= static_cast<double>(queue.now)) return Step::stale;
  const std::int64_t deadline = queue.now + lease;
  active->put(id, static_cast<double>(deadline), queue.settings.sorted_set);
  const std::size_t leases = active->size();
  active.commit(engine::events::kZAdd);
  queue.lanes.deadlines().keep_lease(queue, queue.keys.row(id).hash, deadline, leases);
  tell(queue, "extended", [&] {
    const std::string_view lane = row->find(field::kGroup).value_or(std::string_view());
    return EventDetails{.id = id, .lane = lane, .attempts = number_or(token, -1), .when = deadline};
  });
  return Step::done;
}

}  // namespace fairlane::command
