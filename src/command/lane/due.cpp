// due.cpp - the steps that the clock brings about.
#include <vector>

#include "command/lane/events.hpp"
#include "command/lane/job.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

/// The queue's own limit of attempts; 0 none.
std::int64_t max_attempts(Queue& queue) {
  const auto meta = queue.look<data::Hash>(queue.keys[QueueKey::meta]);
  return meta.absent() || meta.wrong_type() ? 0 : number_or(meta->find(field::kMaxAttempts), 0);
}

/// An entry of the schedule that stands for no delayed job.
Step drop_entry(Queue& queue, std::string_view id) {
  auto jobs = queue.database.edit<data::SortedSet>(queue.keys[QueueKey::schedule]);
  if (jobs.wrong_type()) return Step::wrong_type;
  if (jobs.absent() || !jobs->erase(id)) return Step::gone;
  jobs.commit(engine::events::kZRem);
  return Step::gone;
}

/// The first ids of a sorted set with a score up to now, copied: the set changes while they are dealt with.
Step ids_due(Queue& queue, QueueKey key, std::size_t most, std::vector<std::string>& ids) {
  const auto jobs = queue.look<data::SortedSet>(queue.keys[key]);
  if (jobs.wrong_type()) return Step::wrong_type;
  if (jobs.absent()) return Step::done;
  for (auto cursor = jobs->first(); cursor.valid() && ids.size() < most; cursor.next()) {
    if (cursor.item().score > static_cast<double>(queue.now)) break;
    ids.emplace_back(cursor.item().member);
  }
  return Step::done;
}

/// Deals with each of them; one that cannot be dealt with ends the step, with an error when it is the first.
template <class Act>
Step deal_with(const std::vector<std::string>& ids, std::size_t& count, Act&& act) {
  for (const std::string& id : ids) {
    const Step step = act(id);
    if (step == Step::done) ++count;
    if (step == Step::wrong_type) return count == 0 ? step : Step::done;
  }
  return Step::done;
}

}  // namespace

Step expire_lease(Queue& queue, std::string_view id) {
  Job job;
  const Step step = find_job(queue, id, job);
  if (step == Step::gone || (step == Step::done && job.place != Place::active)) {
    const Step dropped = drop_lease(queue, id);
    return dropped == Step::done ? Step::gone : dropped;
  }
  if (step != Step::done) return step;
  take_out(queue, job);
  const std::int64_t most = max_attempts(queue);
  if (most > 0 && job.attempts >= most) {
    constexpr std::string_view kError = "the lease ended at the last attempt";
    change_row(queue, job.id, {{field::kLastError, field::Text(kError)}});
    bury(queue, job);
    tell(queue, "dead",
         [&] { return EventDetails{.id = job.id, .lane = job.lane, .attempts = job.attempts, .error = kError}; });
    return Step::done;
  }
  mark_expired(queue, job);
  put_to_wait(queue, job);
  tell(queue, "expired", [&] { return EventDetails{.id = job.id, .lane = job.lane, .attempts = job.attempts}; });
  return Step::done;
}

Step promote(Queue& queue, std::string_view id) {
  Job job;
  const Step step = find_job(queue, id, job);
  if (step == Step::gone || (step == Step::done && job.place != Place::scheduled)) return drop_entry(queue, id);
  if (step != Step::done) return step;
  take_out(queue, job);
  put_to_wait(queue, job);
  tell(queue, "promoted", [&] { return EventDetails{.id = job.id, .lane = job.lane, .attempts = job.attempts}; });
  return Step::done;
}

Step reap(Queue& queue, std::string_view lane, std::size_t most, std::size_t& count) {
  std::vector<std::string> ids;
  if (ids_due(queue, QueueKey::active, lane.empty() ? most : SIZE_MAX, ids) != Step::done) return Step::wrong_type;
  const Step step = deal_with(ids, count, [&](const std::string& id) {
    if (count >= most) return Step::nothing;
    if (lane.empty()) return expire_lease(queue, id);
    const auto row = queue.look<data::Hash>(queue.keys.row(id));
    const bool asked_for = !row.absent() && !row.wrong_type() && row->find(field::kGroup) == lane;
    return asked_for ? expire_lease(queue, id) : Step::nothing;
  });
  if (queue.state().recount) recount_in_flight(queue);
  return step;
}

Step promote_due(Queue& queue, std::size_t most, std::size_t& count) {
  std::vector<std::string> ids;
  if (ids_due(queue, QueueKey::schedule, most, ids) != Step::done) return Step::wrong_type;
  return deal_with(ids, count, [&](const std::string& id) { return promote(queue, id); });
}

void look_at_lane_again(Queue& queue, std::string_view lane) { settle_ring(queue, lane); }

}  // namespace fairlane::command
