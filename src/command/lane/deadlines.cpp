#include "command/lane/deadlines.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "command/lane/job.hpp"
#include "command/lane/lane_queues.hpp"
#include "command/lane/transitions.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

using Kept = DeadlineHeap::Kept;

/// Handled in one go, so that other clients get their turn.
constexpr std::size_t kAtOnce = 1000;
/// Until a pause is asked again whether it is over.
constexpr std::int64_t kPausedFor = 20;
/// Until what a key of the wrong type prevented is tried again.
constexpr std::int64_t kRetryAfter = 1000;

constexpr std::greater<> later;

/// The largest whole number that a score tells from its neighbours.
constexpr double kLargestInstant = 9007199254740992.0;

/// All entries that the jobs listed under `key` would have, sorted.
std::vector<Kept> awaited(Queue& queue, QueueKey key) {
  std::vector<Kept> entries;
  const auto jobs = queue.look<data::SortedSet>(queue.keys[key]);
  if (jobs.absent() || jobs.wrong_type()) return entries;
  entries.reserve(jobs->size());
  for (auto cursor = jobs->first(); cursor.valid(); cursor.next()) {
    const auto item = cursor.item();
    // What is no instant was not given here.
    if (!(std::abs(item.score) <= kLargestInstant)) continue;
    entries.push_back({static_cast<std::int64_t>(item.score), queue.keys.row(item.member).hash});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// The ids of the jobs listed under `key` at the very instants of these entries.
std::vector<std::string> jobs_of(Queue& queue, QueueKey key, const std::vector<Kept>& due) {
  std::vector<std::string> ids;
  const auto jobs = queue.look<data::SortedSet>(queue.keys[key]);
  if (due.empty() || jobs.absent() || jobs.wrong_type()) return ids;
  auto cursor = jobs->seek_score(static_cast<double>(due.front().when), false);
  for (; cursor.valid() && cursor.item().score <= static_cast<double>(due.back().when); cursor.next()) {
    const auto item = cursor.item();
    const Kept entry{static_cast<std::int64_t>(item.score), queue.keys.row(item.member).hash};
    if (static_cast<double>(entry.when) != item.score) continue;
    if (std::binary_search(due.begin(), due.end(), entry)) ids.emplace_back(item.member);
  }
  return ids;
}

/// Has everything that is due happen. Returns false when a key of the wrong type prevented some of it, which is kept.
bool let_happen(Queue& queue, DeadlineHeap& heap, QueueKey key, Step (*step)(Queue&, std::string_view)) {
  const std::vector<Kept> due = heap.take_due(queue.now, kAtOnce);
  bool all = true;
  for (const std::string& id : jobs_of(queue, key, due)) {
    if (step(queue, id) == Step::wrong_type) all = false;
  }
  if (all) return true;
  for (const Kept& entry : due) heap.push(entry);
  return false;
}

void look_at_lanes_with_tokens(Queue& queue, KeptDeadlines& kept) {
  auto& tokens = kept.tokens;
  for (std::size_t i = 0; i < kAtOnce && !tokens.empty() && tokens.front().when <= queue.now; ++i) {
    std::pop_heap(tokens.begin(), tokens.end(), later);
    const KeptDeadlines::Token token = std::move(tokens.back());
    tokens.pop_back();
    const auto nearest = kept.token_at.find(token.lane);
    if (nearest != kept.token_at.end() && nearest->second == token.when) kept.token_at.erase(nearest);
    look_at_lane_again(queue, token.lane);
  }
}

}  // namespace

void DeadlineHeap::push(Kept kept) {
  heap_.push_back(kept);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

std::vector<Kept> DeadlineHeap::take_due(std::int64_t now, std::size_t most) {
  std::vector<Kept> due;
  while (nearest() <= now && due.size() < most) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    due.push_back(heap_.back());
    heap_.pop_back();
  }
  std::sort(due.begin(), due.end());
  return due;
}

void DeadlineHeap::retain(const std::vector<Kept>& awaited) {
  // Deadlines come in order, more or less: most that mean nothing are of jobs before the first that is awaited.
  const auto meant = [&](const Kept& kept) {
    return !awaited.empty() && kept >= awaited.front() && std::binary_search(awaited.begin(), awaited.end(), kept);
  };
  std::erase_if(heap_, [&](const Kept& kept) { return !meant(kept); });
  // A sorted sequence is a heap too, and what was kept twice stands side by side: a lease extended to where it ended.
  std::sort(heap_.begin(), heap_.end());
  heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
  if (heap_.capacity() > 4 * (heap_.size() + kSlack)) heap_.shrink_to_fit();
}

std::int64_t KeptDeadlines::nearest() const noexcept {
  const std::int64_t token = tokens.empty() ? INT64_MAX : tokens.front().when;
  return std::min({leases.nearest(), delays.nearest(), token});
}

void LaneDeadlines::keep_lease(Queue& queue, std::uint64_t row, std::int64_t when, std::size_t leases) {
  QueueState& state = queue.state();
  DeadlineHeap& heap = state.deadlines.leases;
  if (heap.overgrown(leases)) [[unlikely]]
    heap.retain(awaited(queue, QueueKey::active));
  heap.push({when, row});
  if (when < state.deadlines.timer_at) [[unlikely]]
    arm(state);
}

void LaneDeadlines::keep_delay(Queue& queue, std::uint64_t row, std::int64_t when, std::size_t delayed) {
  QueueState& state = queue.state();
  DeadlineHeap& heap = state.deadlines.delays;
  if (heap.overgrown(delayed)) heap.retain(awaited(queue, QueueKey::schedule));
  heap.push({when, row});
  if (when < state.deadlines.timer_at) arm(state);
}

void LaneDeadlines::keep_token(Queue& queue, std::string_view lane, std::int64_t when) {
  QueueState& state = queue.state();
  auto& tokens = state.deadlines.tokens;
  // Every job that is added to such a lane asks for the same token.
  const auto [nearest, first] = state.deadlines.token_at.try_emplace(std::string(lane), when);
  if (!first && nearest->second <= when) return;
  nearest->second = when;
  tokens.push_back({when, std::string(lane)});
  std::push_heap(tokens.begin(), tokens.end(), later);
  if (when < state.deadlines.timer_at) arm(state);
}

void LaneDeadlines::forget(QueueState& state) noexcept {
  if (state.deadlines.timer_at != INT64_MAX) services_.scheduler.cancel(state.deadlines.timer);
}

void LaneDeadlines::arm(QueueState& state, std::int64_t earliest) {
  KeptDeadlines& kept = state.deadlines;
  forget(state);
  kept.timer_at = INT64_MAX;
  if (kept.empty()) return;
  kept.timer_at = std::max(kept.nearest(), earliest);
  const auto delay = std::max(base::from_unix_millis(kept.timer_at) - services_.clock.wall(), base::Millis(0));
  kept.timer = services_.scheduler.at(services_.clock.steady() + delay, [this, &state] {
    state.deadlines.timer_at = INT64_MAX;
    services_.executor->run_unit([&] { run(state); });
  });
}

void LaneDeadlines::run(QueueState& state) {
  KeptDeadlines& kept = state.deadlines;
  // CLIENT PAUSE promises that no key changes.
  const auto& shared = services_.keyspace.shared();
  if (shared.keep_expired) return arm(state, shared.now + kPausedFor);
  Queue queue(services_, services_.keyspace.at(state.db), state.name, services_.keyspace.shared().now);
  const bool leases = let_happen(queue, kept.leases, QueueKey::active, expire_lease);
  const bool delays = let_happen(queue, kept.delays, QueueKey::schedule, promote);
  look_at_lanes_with_tokens(queue, kept);
  if (state.recount) recount_in_flight(queue);
  arm(state, leases && delays ? 0 : queue.now + kRetryAfter);
}

}  // namespace fairlane::command
