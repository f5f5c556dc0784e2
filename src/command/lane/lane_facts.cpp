#include "command/lane/lane_facts.hpp"

#include <algorithm>

#include "command/lane/deadlines.hpp"
#include "fairlane/engine/wait_queue.hpp"

namespace fairlane::command {
namespace {

/// A queue keeps no more wake tokens than this.
constexpr std::size_t kWakeTokens = 64;

Step read_counter(Queue& queue, QueueKey key, std::string_view lane, std::int64_t& value) {
  const auto counters = queue.look<data::Hash>(queue.keys[key]);
  if (counters.wrong_type()) return Step::wrong_type;
  if (!counters.absent()) value = count_of(counters->find(lane), value);
  return Step::done;
}

}  // namespace

std::int64_t count_up(data::Hash& counters, const data::Hash::Text& field, std::int64_t count,
                      const data::Hash::Limits& limits) {
  if (const auto sum = counters.add(field, count, limits)) return *sum;
  if (const auto text = counters.find(field)) {
    if (const auto number = base::parse_integer(*text)) return *number;
  }
  counters.put(field, data::Hash::Text(base::NumberText(count)), limits);
  return count;
}

Step read_gates(Queue& queue, std::string_view lane, LaneFacts& facts) {
  const auto paused = queue.look<data::Set>(queue.keys[QueueKey::paused]);
  if (paused.wrong_type()) return Step::wrong_type;
  facts.paused = !paused.absent() && paused->contains(lane);
  facts.now = queue.now;
  if (read_bucket(queue, lane, facts.bucket) != Step::done) return Step::wrong_type;
  return read_counter(queue, QueueKey::limits, lane, facts.limit);
}

Step read_facts(Queue& queue, std::string_view lane, LaneFacts& facts) {
  const auto backlog = queue.look<data::SortedSet>(queue.keys.backlog(lane));
  if (backlog.wrong_type()) return Step::wrong_type;
  facts.depth = backlog.absent() ? 0 : backlog->size();
  if (read_counter(queue, QueueKey::in_flight, lane, facts.in_flight) != Step::done) return Step::wrong_type;
  return read_gates(queue, lane, facts);
}

Step read_weight(Queue& queue, std::string_view lane, std::int64_t& weight) {
  weight = 1;
  if (read_counter(queue, QueueKey::weights, lane, weight) != Step::done) return Step::wrong_type;
  weight = std::max<std::int64_t>(weight, 1);
  return Step::done;
}

Step read_gate(Queue& queue, QueueGate& gate) {
  const auto meta = queue.look<data::Hash>(queue.keys[QueueKey::meta]);
  if (meta.absent()) return Step::done;
  if (meta.wrong_type()) return Step::wrong_type;
  gate.paused = meta->find(field::kPaused).has_value();
  gate.smooth = meta->find(field::kPolicy) == "smooth";
  gate.charges_time = gate.smooth && meta->find(field::kCharge) == "time";
  gate.ceiling = count_of(meta->find(field::kConcurrency), 0);
  if (gate.ceiling == 0) return Step::done;
  const auto active = queue.look<data::SortedSet>(queue.keys[QueueKey::active]);
  if (active.wrong_type()) return Step::wrong_type;
  gate.active = active.absent() ? 0 : static_cast<std::int64_t>(active->size());
  gate.room = std::max<std::int64_t>(gate.ceiling - gate.active, 0);
  return Step::done;
}

Step Membership::check() { return rota_.wrong_type() || wake_has_wrong_type(queue_) ? Step::wrong_type : Step::done; }

void Membership::set(std::string_view lane, const LaneFacts& facts) {
  const bool listed = rota_.contains(lane);
  if (facts.serviceable()) {
    if (listed) return;
    rota_.append(lane);
    push_wake_token(queue_);
    return;
  }
  if (listed) rota_.remove(lane);
  await_token(queue_, lane, facts);
}

void await_token(Queue& queue, std::string_view lane, const LaneFacts& facts) {
  if (facts.depth == 0 || !facts.out_of_tokens()) return;
  queue.lanes.deadlines().keep_token(queue, lane, facts.bucket.next_token(queue.now));
}

bool wake_has_wrong_type(Queue& queue) { return queue.look<data::List>(queue.keys[QueueKey::wake]).wrong_type(); }

void push_wake_token(Queue& queue) {
  auto tokens = queue.database.upsert<data::List>(queue.keys[QueueKey::wake]);
  if (tokens->size() >= kWakeTokens) return;
  tokens->push_front("1");
  tokens.commit(engine::events::kLPush);
}

std::span<const std::string_view> claim_hints(Queue& queue) {
  auto& hints = queue.lanes.claim_hints();
  hints = {queue.keys[QueueKey::wake].text, queue.keys[QueueKey::meta].text, queue.keys[QueueKey::active].text};
  // What is leased matters only to a queue with a ceiling, but one may be set while a client waits already.
  return hints;
}

}  // namespace fairlane::command
