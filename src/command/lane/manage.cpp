// manage.cpp - the steps that an operator takes with jobs.
#include <unordered_set>
#include <vector>

#include "command/lane/control.hpp"
#include "command/lane/events.hpp"
#include "command/lane/job.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

/// Deletes what waits under one key; the rows go with it.
std::size_t drain_key(Queue& queue, engine::HashedKey key) {
  auto jobs = queue.database.edit<data::SortedSet>(key);
  if (jobs.absent()) return 0;
  std::size_t count = 0;
  std::string id;
  while (!jobs->empty()) {
    jobs->pop_min(1, [&](const data::SortedSet::Item& item) { id.assign(item.member); });
    const auto row = queue.look<data::Hash>(queue.keys.row(id));
    if (row.absent()) continue;
    ++count;
    erase_row(queue, id);
  }
  jobs.commit(engine::events::kZRem);
  return count;
}

/// Is everything that waits under the key a job, or nothing?
bool rows_are_right(Queue& queue, engine::HashedKey key) {
  const auto jobs = queue.look<data::SortedSet>(key);
  if (jobs.absent()) return true;
  if (jobs.wrong_type()) return false;
  for (auto cursor = jobs->first(); cursor.valid(); cursor.next()) {
    if (queue.look<data::Hash>(queue.keys.row(cursor.item().member)).wrong_type()) return false;
  }
  return true;
}

bool can_drain(Queue& queue, std::string_view lane) {
  LaneFacts facts;
  if (read_facts(queue, lane, facts) != Step::done || Membership(queue).check() != Step::done) return false;
  return rows_are_right(queue, queue.keys.backlog(lane));
}

void tell_drained(Queue& queue, std::string_view lane, std::size_t count) {
  if (count != 0)
    tell(queue, "drained", [&] { return EventDetails{.lane = lane, .count = static_cast<std::int64_t>(count)}; });
}

std::size_t drain_one(Queue& queue, std::string_view lane) {
  const std::size_t count = drain_key(queue, queue.keys.backlog(lane));
  settle_ring(queue, lane);
  return count;
}

}  // namespace

Step remove_job(Queue& queue, std::string_view id, bool force) {
  Job job;
  const Step step = find_job(queue, id, job);
  if (step != Step::done) return step;
  if (job.place == Place::active && !force) return Step::locked;
  take_out(queue, job);
  erase_row(queue, id);
  tell(queue, "removed", [&] { return EventDetails{.id = job.id, .lane = job.lane}; });
  return Step::done;
}

Step reassign(Queue& queue, std::string_view id, std::string_view lane) {
  Job job;
  const Step step = find_job(queue, id, job, lane);
  if (step != Step::done) return step;
  if (job.place != Place::lane && job.place != Place::ungrouped) return Step::wrong_state;
  if (job.place == Place::lane && job.lane == lane) return Step::same;
  take_out(queue, job);
  job.grouped = true;
  job.lane.assign(lane);
  change_row(queue, id, {{field::kGroup, field::Text(lane)}});
  put_to_wait(queue, job);
  tell(queue, "reassigned", [&] { return EventDetails{.id = job.id, .lane = job.lane}; });
  return Step::done;
}

Step drain_lane(Queue& queue, std::string_view lane, std::size_t& count) {
  if (!can_drain(queue, lane)) return Step::wrong_type;
  count = drain_one(queue, lane);
  tell_drained(queue, lane, count);
  return Step::done;
}

Step drain_queue(Queue& queue, std::size_t& count) {
  std::vector<std::string> lanes;
  if (!rows_are_right(queue, queue.keys[QueueKey::ungrouped])) return Step::wrong_type;
  if (find_lanes(queue, lanes) != Step::done) return Step::wrong_type;
  for (const std::string& lane : lanes) {
    if (!can_drain(queue, lane)) return Step::wrong_type;
  }
  for (const std::string& lane : lanes) count += drain_one(queue, lane);
  count += drain_key(queue, queue.keys[QueueKey::ungrouped]);
  tell_drained(queue, {}, count);
  return Step::done;
}

Step revive(Queue& queue, std::string_view id, std::string_view lane) {
  Job job;
  const Step step = find_job(queue, id, job, lane);
  if (step != Step::done) return step;
  if (job.place != Place::dead) return Step::wrong_state;
  take_out(queue, job);
  if (!lane.empty()) {
    job.grouped = true;
    job.lane.assign(lane);
    change_row(queue, id, {{field::kGroup, field::Text(lane)}});
  }
  put_to_wait(queue, job);
  tell(queue, "revived", [&] { return EventDetails{.id = job.id, .lane = job.lane, .attempts = job.attempts}; });
  return Step::done;
}

Step revive_all(Queue& queue, std::string_view lane, std::size_t& count) {
  const auto dead = queue.look<data::SortedSet>(queue.keys[QueueKey::dead]);
  if (dead.wrong_type()) return Step::wrong_type;
  if (dead.absent()) return Step::done;
  std::vector<std::string> ids;
  for (auto cursor = dead->first(); cursor.valid(); cursor.next()) ids.emplace_back(cursor.item().member);
  for (const std::string& id : ids) {
    const Step step = revive(queue, id, lane);
    if (step == Step::done) ++count;
    if (step == Step::wrong_type) return count == 0 ? step : Step::done;
  }
  return Step::done;
}

}  // namespace fairlane::command
