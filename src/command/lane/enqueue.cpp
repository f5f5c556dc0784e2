// enqueue.cpp - the step by which a job comes into being.
#include <array>

#include "command/lane/deadlines.hpp"
#include "command/lane/events.hpp"
#include "command/lane/lane_facts.hpp"
#include "command/lane/transitions.hpp"

namespace fairlane::command {
namespace {

constexpr field::Text kPending("pending");
constexpr field::Text kScheduled("scheduled");
constexpr field::Text kNone("0");

void write_row(Queue& queue, engine::Edit<data::Hash>& row, const NewJob& job, const field::Text& state) {
  const std::array<field::Text, 8> fields{
      field::kState,        state, field::kAttempts, kNone, field::kPayload, field::Text(job.payload), field::kGroup,
      field::Text(job.lane)};
  row->put_texts(fields, queue.settings.hash);
  row.commit(engine::events::kHSet);
}

Step enqueue_delayed(Queue& queue, engine::Edit<data::Hash>& row, const NewJob& job) {
  auto schedule = queue.database.upsert<data::SortedSet>(queue.keys[QueueKey::schedule]);
  if (schedule.wrong_type()) return Step::wrong_type;
  write_row(queue, row, job, kScheduled);
  schedule->put(job.id, static_cast<double>(job.due), queue.settings.sorted_set);
  const std::size_t delayed = schedule->size();
  schedule.commit(engine::events::kZAdd);
  queue.lanes.deadlines().keep_delay(queue, queue.keys.row(job.id).hash, job.due, delayed);
  tell(queue, "scheduled", [&] { return EventDetails{.id = job.id, .lane = job.lane, .when = job.due}; });
  return Step::done;
}

}  // namespace

Step enqueue(Queue& queue, const NewJob& job) {
  auto row = queue.database.upsert<data::Hash>(queue.keys.row(job.id, job.row_hash));
  if (row.wrong_type()) return Step::wrong_type;
  if (!row.created()) return Step::exists;
  auto backlog = queue.database.upsert<data::SortedSet>(queue.keys.backlog(job.lane, job.backlog_hash));
  if (backlog.wrong_type()) return Step::wrong_type;
  if (backlog->size() >= job.most) return Step::full;
  if (job.due > queue.now) return enqueue_delayed(queue, row, job);

  Membership membership(queue);
  if (membership.wrong_type()) return Step::wrong_type;
  LaneFacts facts;
  const bool in_ring = membership.in_ring(job.lane);
  if (!in_ring) {
    if (read_facts(queue, job.lane, facts) != Step::done || membership.check() != Step::done) return Step::wrong_type;
  }

  write_row(queue, row, job, kPending);
  backlog->put(job.id, 0, queue.settings.sorted_set);
  facts.depth = backlog->size();
  backlog.commit(engine::events::kZAdd);
  if (!in_ring) membership.set(job.lane, facts);
  tell(queue, "enqueued", [&] { return EventDetails{.id = job.id, .lane = job.lane}; });
  return Step::done;
}

}  // namespace fairlane::command
