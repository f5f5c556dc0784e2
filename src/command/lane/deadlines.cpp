#include "command/lane/deadlines.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "command/lane/lane_facts.hpp"
#include "command/lane/lane_queues.hpp"
#include "command/lane/transitions.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Handled in one go, so that other clients get their turn.
constexpr int kAtOnce = 1000;

constexpr std::greater<> kLater;

bool listed_at(Queue& queue, QueueKey key, std::string_view id, std::int64_t when) {
  const auto jobs = queue.look<data::SortedSet>(queue.keys[key]);
  return !jobs.absent() && !jobs.wrong_type() && jobs->score(id) == static_cast<double>(when);
}

/// Do the keys still show what was to happen?
bool holds(Queue& queue, const KeptDeadlines::Kept& kept) {
  switch (kept.what) {
    case Deadline::lease:
      return listed_at(queue, QueueKey::active, kept.name, kept.when);
    case Deadline::due:
      return listed_at(queue, QueueKey::schedule, kept.name, kept.when);
    case Deadline::token: {
      LaneFacts facts;
      if (read_facts(queue, kept.name, facts) != Step::done) return true;
      return facts.depth != 0 && facts.bucket.limits();
    }
  }
  return true;
}

void happen(Queue& queue, const KeptDeadlines::Kept& kept) {
  switch (kept.what) {
    case Deadline::lease:
      expire_lease(queue, kept.name);
      break;
    case Deadline::due:
      promote(queue, kept.name);
      break;
    case Deadline::token:
      look_at_lane_again(queue, kept.name);
      break;
  }
}

}  // namespace

void KeptDeadlines::push(Kept kept) {
  heap_.push_back(std::move(kept));
  std::push_heap(heap_.begin(), heap_.end(), kLater);
}

KeptDeadlines::Kept KeptDeadlines::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), kLater);
  Kept kept = std::move(heap_.back());
  heap_.pop_back();
  return kept;
}

/// A sorted sequence is a heap too. In order, what was kept twice stands side by side: a lease extended to the instant
/// it ended at already, or each job that came to a lane while it had no token.
void KeptDeadlines::restore_order() {
  std::sort(heap_.begin(), heap_.end());
  heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
  if (heap_.capacity() > kLeastClear && heap_.size() < heap_.capacity() / 4) heap_.shrink_to_fit();
  clear_at_ = std::max(kLeastClear, 2 * heap_.size());
}

void LaneDeadlines::keep(Queue& queue, Deadline what, std::string_view name, std::int64_t when) {
  QueueState& state = queue.state();
  KeptDeadlines& kept = state.deadlines;
  if (kept.overgrown()) [[unlikely]]
    kept.clear([&](const KeptDeadlines::Kept& one) { return holds(queue, one); });
  kept.push({when, what, std::string(name)});
  if (when < kept.timer_at) [[unlikely]]
    arm(state);
}

void LaneDeadlines::forget(QueueState& state) noexcept {
  if (state.deadlines.timer_at != INT64_MAX) services_.scheduler.cancel(state.deadlines.timer);
}

void LaneDeadlines::arm(QueueState& state) {
  KeptDeadlines& kept = state.deadlines;
  forget(state);
  kept.timer_at = INT64_MAX;
  if (kept.empty()) return;
  kept.timer_at = kept.nearest().when;
  const auto delay = std::max(base::from_unix_millis(kept.timer_at) - services_.clock.wall(), base::Millis(0));
  kept.timer = services_.scheduler.at(services_.clock.steady() + delay, [this, &state] {
    state.deadlines.timer_at = INT64_MAX;
    services_.executor->run_unit([&] { run(state); });
  });
}

void LaneDeadlines::run(QueueState& state) {
  KeptDeadlines& kept = state.deadlines;
  Queue queue(services_, services_.keyspace.at(state.db), state.name, services_.keyspace.shared().now);
  for (int i = 0; i < kAtOnce && !kept.empty() && kept.nearest().when <= queue.now; ++i) {
    const KeptDeadlines::Kept one = kept.pop();
    if (holds(queue, one)) happen(queue, one);
  }
  arm(state);
}

}  // namespace fairlane::command
