#include "command/lane/control.hpp"

#include <algorithm>
#include <unordered_set>

#include "command/lane/events.hpp"
#include "command/lane/inspect.hpp"
#include "command/lane/lane_facts.hpp"
#include "command/lane/lane_names.hpp"
#include "command/lane/queue_options.hpp"

namespace fairlane::command {
namespace {

template <class T>
Step read_size(Queue& queue, engine::HashedKey key, std::int64_t& size) {
  const auto value = queue.look<T>(key);
  if (value.wrong_type()) return Step::wrong_type;
  size = value.absent() ? 0 : static_cast<std::int64_t>(value->size());
  return Step::done;
}

Step read_count_field(Queue& queue, engine::HashedKey key, std::int64_t& count) {
  const auto value = queue.look<data::Hash>(key);
  if (value.wrong_type()) return Step::wrong_type;
  count = value.absent() ? 0 : number_or(value->find(field::kCount), 0);
  return Step::done;
}

Step read_policy(Queue& queue, std::string_view& policy) {
  const QueueOption& option = *find_queue_option("policy");
  std::int64_t word = 0;
  const Step step = read_option(queue, option, word);
  policy = option.words[static_cast<std::size_t>(word)];
  return step;
}

/// Every lane that may have jobs, each once.
using Lanes = std::unordered_set<std::string>;

Step collect_lanes(Queue& queue, Lanes& lanes) {
  return visit_lanes(queue, kNamedByJobs, [&](std::string_view lane) { lanes.emplace(lane); });
}

Step count_lanes(Queue& queue, QueueTotals& totals) {
  Lanes lanes;
  if (collect_lanes(queue, lanes) != Step::done) return Step::wrong_type;
  for (const std::string& lane : lanes) {
    LaneFacts facts;
    if (read_facts(queue, lane, facts) != Step::done) return Step::wrong_type;
    totals.depth += static_cast<std::int64_t>(facts.depth);
    if (facts.depth != 0 || facts.in_flight > 0) ++totals.lanes;
  }
  const auto ring = queue.look<data::List>(queue.keys[QueueKey::ring]);
  const auto paused = queue.look<data::Set>(queue.keys[QueueKey::paused]);
  if (!ring.absent()) totals.serviceable = static_cast<std::int64_t>(ring->size());
  if (!paused.absent()) totals.paused_lanes = static_cast<std::int64_t>(paused->size());
  return Step::done;
}

}  // namespace

Step set_weight(Queue& queue, std::string_view lane, std::int64_t weight) {
  auto weights = queue.database.upsert<data::Hash>(queue.keys[QueueKey::weights]);
  if (weights.wrong_type()) return Step::wrong_type;
  weights->put(lane, base::NumberText(weight), kCounterLimits);
  weights.commit(engine::events::kHSet);
  tell(queue, "weight", [&] { return EventDetails{.lane = lane, .count = weight}; });
  const auto& fair = queue.state().fair;
  if (fair) fair->reweigh(lane, static_cast<std::uint32_t>(weight));
  return Step::done;
}

Step set_limit(Queue& queue, std::string_view lane, std::int64_t limit) {
  return change_lane(queue, lane, [&](LaneFacts& facts) {
    auto limits = queue.database.upsert<data::Hash>(queue.keys[QueueKey::limits]);
    if (limit != 0) {
      limits->put(lane, base::NumberText(limit), kCounterLimits);
      limits.commit(engine::events::kHSet);
    } else if (limits->erase(lane)) {
      limits.commit(engine::events::kHDel);
    }
    facts.limit = limit;
    tell(queue, "limit", [&] { return EventDetails{.lane = lane, .count = limit}; });
  });
}

Step pause_lane(Queue& queue, std::string_view lane) {
  return change_lane(queue, lane, [&](LaneFacts& facts) {
    auto paused = queue.database.upsert<data::Set>(queue.keys[QueueKey::paused]);
    facts.paused = true;
    if (!paused->add(lane, queue.settings.set)) return;
    paused.commit(engine::events::kSAdd);
    tell(queue, "paused", [&] { return EventDetails{.lane = lane}; });
  });
}

Step resume_lane(Queue& queue, std::string_view lane) {
  return change_lane(queue, lane, [&](LaneFacts& facts) {
    auto paused = queue.database.edit<data::Set>(queue.keys[QueueKey::paused]);
    facts.paused = false;
    if (paused.absent() || !paused->erase(lane)) return;
    paused.commit(engine::events::kSRem);
    tell(queue, "resumed", [&] { return EventDetails{.lane = lane}; });
  });
}

Step pause_queue(Queue& queue) {
  auto meta = queue.database.upsert<data::Hash>(queue.keys[QueueKey::meta]);
  if (meta.wrong_type()) return Step::wrong_type;
  if (meta->find("paused")) return Step::done;
  meta->put("paused", "1", queue.settings.hash);
  meta.commit(engine::events::kHSet);
  tell(queue, "paused", [&] { return EventDetails{}; });
  return Step::done;
}

Step resume_queue(Queue& queue) {
  auto meta = queue.database.edit<data::Hash>(queue.keys[QueueKey::meta]);
  if (meta.wrong_type() || wake_has_wrong_type(queue)) return Step::wrong_type;
  if (meta.absent() || !meta->erase("paused")) return Step::done;
  meta.commit(engine::events::kHDel);
  tell(queue, "resumed", [&] { return EventDetails{}; });
  push_wake_token(queue);
  return Step::done;
}

Step read_limit(Queue& queue, std::string_view lane, std::int64_t& limit) {
  LaneFacts facts;
  const Step step = read_gates(queue, lane, facts);
  limit = std::max<std::int64_t>(facts.limit, 0);
  return step;
}

Step read_depth(Queue& queue, std::string_view lane, std::int64_t& depth) {
  return read_size<data::SortedSet>(queue, queue.keys.backlog(lane), depth);
}

Step find_lanes(Queue& queue, std::vector<std::string>& lanes) {
  Lanes found;
  if (collect_lanes(queue, found) != Step::done) return Step::wrong_type;
  lanes.assign(found.begin(), found.end());
  return Step::done;
}

Step read_whole_depth(Queue& queue, std::int64_t& depth) {
  QueueTotals totals;
  const Step step = count_lanes(queue, totals);
  depth = totals.depth;
  return step;
}

Step read_totals(Queue& queue, QueueTotals& totals) {
  QueueGate gate;
  const Step steps[] = {count_lanes(queue, totals),
                        read_gate(queue, gate),
                        read_oldest(queue, totals.oldest),
                        read_policy(queue, totals.policy),
                        read_size<data::SortedSet>(queue, queue.keys[QueueKey::ungrouped], totals.ungrouped),
                        read_size<data::SortedSet>(queue, queue.keys[QueueKey::active], totals.active),
                        read_size<data::SortedSet>(queue, queue.keys[QueueKey::schedule], totals.scheduled),
                        read_size<data::SortedSet>(queue, queue.keys[QueueKey::dead], totals.dead),
                        read_count_field(queue, queue.keys[QueueKey::completed], totals.completed),
                        read_count_field(queue, queue.keys[QueueKey::failed], totals.failed)};
  totals.paused = gate.paused;
  totals.max_active = gate.ceiling;
  const bool right = std::all_of(std::begin(steps), std::end(steps), [](Step step) { return step == Step::done; });
  return right ? Step::done : Step::wrong_type;
}

}  // namespace fairlane::command
