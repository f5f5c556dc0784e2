#include "command/lane/job.hpp"

#include <array>
#include <map>

#include "command/lane/deadlines.hpp"
#include "command/lane/service_time.hpp"
#include "fairlane/engine/wait_queue.hpp"

namespace fairlane::command {
namespace {

constexpr field::Text kPending("pending");
constexpr field::Text kScheduled("scheduled");
constexpr field::Text kDead("dead");

struct PlaceKey {
  Place place;
  QueueKey key;
};
/// The places that are one sorted set each.
constexpr PlaceKey kPlaces[] = {{Place::active, QueueKey::active},
                                {Place::scheduled, QueueKey::schedule},
                                {Place::dead, QueueKey::dead},
                                {Place::finished, QueueKey::finished},
                                {Place::ungrouped, QueueKey::ungrouped}};

template <class T>
bool wrong_type(Queue& queue, engine::HashedKey key) {
  return queue.look<T>(key).wrong_type();
}

bool backlog_wrong_type(Queue& queue, std::string_view lane) {
  return !lane.empty() && wrong_type<data::SortedSet>(queue, queue.keys.backlog(lane));
}

Step check_types(Queue& queue) {
  for (const QueueKey key :
       {QueueKey::active, QueueKey::schedule, QueueKey::dead, QueueKey::finished, QueueKey::ungrouped}) {
    if (wrong_type<data::SortedSet>(queue, queue.keys[key])) return Step::wrong_type;
  }
  for (const QueueKey key : {QueueKey::in_flight, QueueKey::limits, QueueKey::weights, QueueKey::meta,
                             QueueKey::completed, QueueKey::failed, QueueKey::rates, QueueKey::buckets}) {
    if (wrong_type<data::Hash>(queue, queue.keys[key])) return Step::wrong_type;
  }
  const bool lists = wrong_type<data::List>(queue, queue.keys[QueueKey::ring]) ||
                     wrong_type<data::List>(queue, queue.keys[QueueKey::wake]);
  return lists || wrong_type<data::Set>(queue, queue.keys[QueueKey::paused]) ? Step::wrong_type : Step::done;
}

bool listed(Queue& queue, engine::HashedKey key, const Job& job, double& score) {
  const auto jobs = queue.look<data::SortedSet>(key);
  if (jobs.absent() || jobs.wrong_type()) return false;
  const auto found = jobs->score(job.id);
  if (found) score = *found;
  return found.has_value();
}

void find_place(Queue& queue, Job& job) {
  double score = 0;
  if (job.grouped && listed(queue, queue.keys.backlog(job.lane), job, score)) {
    job.place = Place::lane;
    return;
  }
  for (const auto& [place, key] : kPlaces) {
    if (!listed(queue, queue.keys[key], job, score)) continue;
    job.place = place;
    job.when = score;
    return;
  }
}

/// Returns how many there are now.
std::size_t add_to(Queue& queue, engine::HashedKey key, std::string_view id, double score) {
  auto jobs = queue.database.upsert<data::SortedSet>(key);
  jobs->put(id, score, queue.settings.sorted_set);
  const std::size_t size = jobs->size();
  jobs.commit(engine::events::kZAdd);
  return size;
}

void remove_from(Queue& queue, engine::HashedKey key, std::string_view id) {
  auto jobs = queue.database.edit<data::SortedSet>(key);
  if (!jobs.absent() && jobs->erase(id)) jobs.commit(engine::events::kZRem);
}

/// Removes a key that hangs off a row, unless it is the row of a job whose id ends like that.
void erase_attachment(Queue& queue, engine::HashedKey key) {
  const engine::Entry* entry = queue.database.peek(key);
  if (entry != nullptr && entry->type() != engine::Type::hash) queue.database.erase(key);
}

}  // namespace

std::string_view place_name(Place place) noexcept {
  constexpr std::array<std::string_view, 7> kNames = {"nowhere",   "pending", "pending",  "active",
                                                      "scheduled", "dead",    "completed"};
  return kNames[static_cast<std::size_t>(place)];
}

Step locate(Queue& queue, std::string_view id, Job& job) {
  const auto row = queue.look<data::Hash>(queue.keys.row(id));
  if (row.absent()) return Step::gone;
  if (row.wrong_type()) return Step::wrong_type;
  job.id.assign(id);
  job.attempts = number_or(row->find(field::kAttempts), 0);
  if (const auto group = row->find(field::kGroup)) {
    job.grouped = true;
    job.lane.assign(*group);
  }
  find_place(queue, job);
  return Step::done;
}

Step find_job(Queue& queue, std::string_view id, Job& job, std::string_view other_lane) {
  const Step step = locate(queue, id, job);
  if (step != Step::done) return step;
  if (backlog_wrong_type(queue, job.lane) || backlog_wrong_type(queue, other_lane)) return Step::wrong_type;
  return check_types(queue);
}

Step check_token(Queue& queue, const Job& job, std::string_view token) {
  const auto row = queue.look<data::Hash>(queue.keys.row(job.id));
  const auto attempts = row->find(field::kAttempts).value_or("0");
  if (attempts != token) return Step::stale;
  if (attempts == "0") return Step::wrong_state;
  if (job.place == Place::active) return Step::done;
  if (row->find(field::kExpired) == token && (job.place == Place::lane || job.place == Place::ungrouped)) {
    return Step::done;
  }
  return Step::stale;
}

Step drop_lease(Queue& queue, std::string_view id) {
  auto active = queue.database.edit<data::SortedSet>(queue.keys[QueueKey::active]);
  if (active.wrong_type()) return Step::wrong_type;
  if (active.absent() || !active->erase(id)) return Step::gone;
  active.commit(engine::events::kZRem);
  queue.state().recount = true;
  return Step::done;
}

void recount_in_flight(Queue& queue) {
  queue.state().recount = false;
  const auto active = queue.look<data::SortedSet>(queue.keys[QueueKey::active]);
  auto in_flight = queue.database.edit<data::Hash>(queue.keys[QueueKey::in_flight]);
  if (active.wrong_type() || in_flight.wrong_type() || in_flight.absent()) return;
  std::map<std::string, std::int64_t> counts;
  in_flight->for_each([&](std::string_view lane, std::string_view) { counts.emplace(lane, 0); });
  if (!active.absent()) {
    for (auto cursor = active->first(); cursor.valid(); cursor.next()) {
      const auto row = queue.look<data::Hash>(queue.keys.row(cursor.item().member));
      if (row.absent() || row.wrong_type()) continue;
      if (const auto group = row->find(field::kGroup)) ++counts[std::string(*group)];
    }
  }
  in_flight->clear();
  for (const auto& [lane, count] : counts) {
    if (count != 0) in_flight->put(lane, base::NumberText(count), kInFlightLimits);
  }
  in_flight.commit(engine::events::kHSet);
  for (const auto& [lane, count] : counts) settle_ring(queue, lane);
}

void subtract_in_flight(engine::Edit<data::Hash>& in_flight, std::string_view lane) {
  if (in_flight.absent()) return;
  switch (in_flight->count_down(lane, kInFlightLimits)) {
    case data::Hash::Down::absent:
      return;
    case data::Hash::Down::counted:
      return in_flight.commit(engine::events::kHIncrBy);
    case data::Hash::Down::erased:
      return in_flight.commit(engine::events::kHDel);
  }
}

/// The row lives on: what it was charged goes, or the next settle would take it for its own.
static void settle_charge(Queue& queue, const Job& job) {
  auto row = queue.database.edit<data::Hash>(queue.keys.row(job.id));
  correct_charge(queue, row.peek(), job.lane);
  row->erase(kChargedField);
}

void settle_ring(Queue& queue, std::string_view lane) {
  if (lane.empty()) return;
  LaneFacts facts;
  if (read_facts(queue, lane, facts) != Step::done) return;
  Membership membership(queue);
  if (membership.check() == Step::done) membership.set(lane, facts);
}

void take_out(Queue& queue, const Job& job) {
  if (job.place == Place::lane) remove_from(queue, queue.keys.backlog(job.lane), job.id);
  for (const auto& [place, key] : kPlaces) {
    if (place == job.place) remove_from(queue, queue.keys[key], job.id);
  }
  if (job.place == Place::active) {
    settle_charge(queue, job);
    if (job.grouped) {
      auto in_flight = queue.database.edit<data::Hash>(queue.keys[QueueKey::in_flight]);
      subtract_in_flight(in_flight, job.lane);
    }
  }
  settle_ring(queue, job.lane);
}

void put_to_wait(Queue& queue, const Job& job) {
  change_row(queue, job.id, {{field::kState, kPending}});
  add_to(queue, job.grouped ? queue.keys.backlog(job.lane) : queue.keys[QueueKey::ungrouped], job.id, 0);
  settle_ring(queue, job.lane);
}

void put_on_schedule(Queue& queue, const Job& job, std::int64_t due) {
  change_row(queue, job.id, {{field::kState, kScheduled}});
  const std::size_t size = add_to(queue, queue.keys[QueueKey::schedule], job.id, static_cast<double>(due));
  queue.lanes.deadlines().keep_delay(queue, queue.keys.row(job.id).hash, due, size);
}

void bury(Queue& queue, const Job& job) {
  change_row(queue, job.id, {{field::kState, kDead}});
  add_to(queue, queue.keys[QueueKey::dead], job.id, 0);
  count_one(queue, QueueKey::failed);
}

void change_row(Queue& queue, std::string_view id, std::initializer_list<RowChange> changes) {
  auto row = queue.database.edit<data::Hash>(queue.keys.row(id));
  for (const auto& [name, value] : changes) row->put(name, value, queue.settings.hash);
  row.commit(engine::events::kHSet);
}

void erase_row(Queue& queue, std::string_view id) { erase_row(queue, id, queue.keys.row(id)); }

void erase_row(Queue& queue, std::string_view id, engine::HashedKey row) {
  queue.database.erase(row);
  if (!queue.database.holds_noted()) [[likely]]
    return;
  queue.keys.begin_row(id);
  for (const std::string_view end : kAttachments) erase_attachment(queue, queue.keys.behind_row(end));
}

bool trim_finished(Queue& queue, data::SortedSet& finished, std::int64_t most) {
  const std::size_t before = finished.size();
  std::string oldest;
  while (finished.size() > static_cast<std::size_t>(most)) {
    finished.pop_min(1, [&](const data::SortedSet::Item& item) { oldest.assign(item.member); });
    erase_row(queue, oldest);
  }
  return finished.size() != before;
}

void mark_expired(Queue& queue, const Job& job) {
  auto row = queue.database.edit<data::Hash>(queue.keys.row(job.id));
  count_up(*row, field::kStalled, 1, queue.settings.hash);
  row->put(field::kExpired, field::Text(base::NumberText(job.attempts)), queue.settings.hash);
  row.commit(engine::events::kHSet);
}

void forget_expiry(Queue& queue, std::string_view id) {
  auto row = queue.database.edit<data::Hash>(queue.keys.row(id));
  if (row->erase("expired")) row.commit(engine::events::kHDel);
}

void count_one(Queue& queue, QueueKey total) {
  auto counter = queue.database.upsert<data::Hash>(queue.keys[total]);
  count_up(*counter, field::kCount, 1, queue.settings.hash);
  counter.commit(engine::events::kHIncrBy);
}

}  // namespace fairlane::command
