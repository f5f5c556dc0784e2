#include "command/lane/rota.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "command/lane/lane_facts.hpp"

namespace fairlane::command {

Rota::Rota(Queue& queue) : queue_(queue) {
  ring_.emplace(queue.database.edit<data::List>(queue.keys[QueueKey::ring]));
  if (!ring_->absent() && !ring_->wrong_type()) attach();
}

void Rota::attach() {
  state_ = &queue_.lanes.current(queue_.database.index());
  state_->attach(ring_->peek());
}

void Rota::publish() {
  if (changed_) ring_->commit(event_);
}

bool Rota::contains(std::string_view lane) {
  if (ring_->absent()) return false;
  return state_->index.contains(**ring_, lane, changed_);
}

void Rota::append(std::string_view lane) {
  if (ring_->absent()) {
    ring_.emplace(queue_.database.upsert<data::List>(queue_.keys[QueueKey::ring]));
    attach();
  }
  state_->index.append(**ring_, lane);
  mark(engine::events::kRPush);
  if (state_->fair) [[unlikely]]
    wake(lane);
}

void Rota::remove(std::string_view lane) {
  if (state_->turn_left != 0 && state_->turn_lane == lane) forget_turn();
  state_->index.remove(**ring_, lane);
  mark(engine::events::kLRem);
  if (state_->fair) [[unlikely]]
    state_->fair->sleep(lane);
}

void Rota::wake(std::string_view lane) {
  std::int64_t weight = 1;
  read_weight(queue_, lane, weight);
  state_->fair->wake(lane, static_cast<std::uint32_t>(weight));
}

lane::FairQueue& Rota::fair() {
  if (!state_->fair) {
    state_->fair = std::make_unique<lane::FairQueue>();
    state_->fair_is_stale = true;
  }
  if (state_->fair_is_stale) wake_and_sleep();
  return *state_->fair;
}

void Rota::wake_and_sleep() {
  state_->fair_is_stale = false;
  std::vector<std::string> gone;
  state_->fair->for_each([&](const lane::FairQueue::LaneState& lane) {
    if (!lane.lingering && !contains(lane.name)) gone.emplace_back(lane.name);
  });
  // In the order of their names: the same changes by others are followed by the same picks.
  std::sort(gone.begin(), gone.end());
  for (const std::string& lane : gone) state_->fair->sleep(lane);
  const data::List& ring = ring_->peek();
  ring.for_each(0, ring.size(), [&](std::string_view lane) { wake(lane); });
}

void Rota::end_turn() {
  forget_turn();
  // A lane alone stays where it is.
  if (size() == 1) return;
  state_->index.rotate(**ring_);
  mark(engine::events::kRPush);
}

void Rota::drop_head() {
  forget_turn();
  state_->index.drop_head(**ring_);
  mark(engine::events::kLPop);
}

void Rota::cut_turn(std::string_view lane, std::int64_t left) {
  state_->turn_lane.assign(lane);
  state_->turn_left = left;
}

std::int64_t Rota::turn_left(std::string_view lane) const noexcept {
  return state_->turn_left != 0 && state_->turn_lane == lane ? state_->turn_left : 0;
}

}  // namespace fairlane::command
