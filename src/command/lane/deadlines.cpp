#include "command/lane/deadlines.hpp"

#include <algorithm>
#include <utility>

#include "command/lane/job.hpp"
#include "command/lane/lane_queues.hpp"
#include "command/lane/transitions.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

/// Handled in one go, so that other clients get their turn.
constexpr int kAtOnce = 1000;
/// Until what a key of the wrong type prevented is tried again.
constexpr std::int64_t kRetryAfter = 1000;

constexpr auto later = [](const KeptDeadlines::Kept& a, const KeptDeadlines::Kept& b) { return a.when > b.when; };

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
    case Deadline::token:
      break;
  }
  return true;
}

Step happen(Queue& queue, const KeptDeadlines::Kept& kept) {
  switch (kept.what) {
    case Deadline::lease:
      return expire_lease(queue, kept.name);
    case Deadline::due:
      return promote(queue, kept.name);
    case Deadline::token:
      break;
  }
  look_at_lane_again(queue, kept.name);
  return Step::done;
}

}  // namespace

void KeptDeadlines::push(Kept kept) {
  heap_.push_back(std::move(kept));
  std::push_heap(heap_.begin(), heap_.end(), later);
}

KeptDeadlines::Kept KeptDeadlines::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  Kept kept = std::move(heap_.back());
  heap_.pop_back();
  return kept;
}

void KeptDeadlines::restore_order() {
  if (heap_.capacity() > kLeastClear && heap_.size() < heap_.capacity() / 4) heap_.shrink_to_fit();
  std::make_heap(heap_.begin(), heap_.end(), later);
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

void LaneDeadlines::arm(QueueState& state, std::int64_t earliest) {
  KeptDeadlines& kept = state.deadlines;
  forget(state);
  kept.timer_at = INT64_MAX;
  if (kept.empty()) return;
  kept.timer_at = std::max(kept.nearest().when, earliest);
  const auto delay = std::max(base::from_unix_millis(kept.timer_at) - services_.clock.wall(), base::Millis(0));
  kept.timer = services_.scheduler.at(services_.clock.steady() + delay, [this, &state] {
    state.deadlines.timer_at = INT64_MAX;
    services_.executor->run_unit([&] { run(state); });
  });
}

void LaneDeadlines::run(QueueState& state) {
  KeptDeadlines& kept = state.deadlines;
  Queue queue(services_, services_.keyspace.at(state.db), state.name, services_.keyspace.shared().now);
  std::vector<KeptDeadlines::Kept> prevented;
  for (int i = 0; i < kAtOnce && !kept.empty() && kept.nearest().when <= queue.now; ++i) {
    KeptDeadlines::Kept one = kept.pop();
    if (holds(queue, one) && happen(queue, one) == Step::wrong_type) prevented.push_back(std::move(one));
  }
  const std::int64_t earliest = prevented.empty() ? 0 : queue.now + kRetryAfter;
  for (KeptDeadlines::Kept& one : prevented) kept.push(std::move(one));
  if (state.recount) recount_in_flight(queue);
  arm(state, earliest);
}

}  // namespace fairlane::command
