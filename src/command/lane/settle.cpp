// settle.cpp - the steps by which a held job is given back, and what they share.
#include "command/lane/lane_facts.hpp"
#include "command/lane/transitions.hpp"
#include "fairlane/engine/wait_queue.hpp"

namespace fairlane::command {
namespace {

void subtract_in_flight(engine::Edit<data::Hash>& in_flight, std::string_view lane) {
  if (in_flight.absent()) return;
  const auto text = in_flight->find(lane);
  if (!text) return;
  const std::int64_t left = number_or(text, 0) - 1;
  if (left > 0) {
    count_up(*in_flight, data::Hash::Text(lane), -1, kInFlightLimits);
    in_flight.commit(engine::events::kHIncrBy);
  } else {
    in_flight->erase(lane);
    in_flight.commit(engine::events::kHDel);
  }
}

/// Whether a lane that loses one job in flight joins the ring by that.
Step plan_to_rejoin(Queue& queue, Membership& membership, std::string_view lane, bool& joins) {
  if (membership.wrong_type()) return Step::wrong_type;
  if (membership.in_ring(lane)) return Step::done;
  LaneFacts facts;
  if (read_facts(queue, lane, facts) != Step::done) return Step::wrong_type;
  facts.in_flight -= 1;
  joins = facts.serviceable();
  return joins ? membership.check() : Step::done;
}

/// Removes a key that hangs off a row, unless it is the row of a job whose id ends like that.
void erase_attachment(Queue& queue, engine::HashedKey key) {
  const engine::Entry* entry = queue.database.peek(key);
  if (entry != nullptr && entry->type() != engine::Type::hash) queue.database.erase(key);
}

/// The row is there; its key's text may be its own.
void erase_row(Queue& queue, std::string_view id, engine::HashedKey row) {
  queue.database.erase(row);
  queue.keys.begin_row(id);
  erase_attachment(queue, queue.keys.behind_row(":logs"));
  erase_attachment(queue, queue.keys.behind_row(":lock"));
}

/// Where the queue has a ceiling of its own, a settled job may be what a waiting client waits for.
void notice_free_room(Queue& queue) {
  if (queue.services.waits.waiting_sessions() == 0) return;
  const auto meta = queue.look<data::Hash>(queue.keys[QueueKey::meta]);
  if (!meta.absent() && !meta.wrong_type() && meta->find(field::kConcurrency)) wake_claimers(queue);
}

}  // namespace

Step complete(Queue& queue, std::string_view id, std::string_view token) {
  const engine::HashedKey row_key = queue.keys.row(id);
  const auto row = queue.database.edit<data::Hash>(row_key);
  if (row.absent()) return Step::gone;
  if (row.wrong_type()) return Step::wrong_type;
  if (row.peek().find(field::kAttempts).value_or(std::string_view()) != token) return Step::stale;
  const auto group = row.peek().find(field::kGroup);
  const std::string_view lane = group.value_or(std::string_view());

  auto active = queue.database.edit<data::SortedSet>(queue.keys[QueueKey::active]);
  auto in_flight = queue.database.edit<data::Hash>(queue.keys[QueueKey::in_flight]);
  auto completed = queue.database.upsert<data::Hash>(queue.keys[QueueKey::completed]);
  Membership membership(queue);
  bool joins = false;
  if (active.wrong_type() || in_flight.wrong_type() || completed.wrong_type()) return Step::wrong_type;
  if (group && plan_to_rejoin(queue, membership, lane, joins) != Step::done) return Step::wrong_type;

  if (active.absent() || !active->erase(id)) return Step::wrong_state;
  active.commit(engine::events::kZRem);
  if (group) subtract_in_flight(in_flight, lane);
  count_up(*completed, field::kCount, 1, queue.settings.hash);
  completed.commit(engine::events::kHIncrBy);
  if (joins) membership.set(lane, true);
  erase_row(queue, id, {row.key(), row_key.hash});
  notice_free_room(queue);
  return Step::done;
}

}  // namespace fairlane::command
