#include "command/lane/lane_queues.hpp"

#include <algorithm>

#include "fairlane/base/hash.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {

LaneQueues::LaneQueues(Services& services) noexcept : services_(services), deadlines_(services) {
  for (const std::string_view end : kAttachments) services_.keyspace.shared().noted_ends.note(end);
}

QueueState& LaneQueues::look_up(engine::DbIndex db) {
  const std::string_view queue = keys_.queue();
  const std::uint64_t hash = base::hash_bytes(queue);
  last_switch_ = keys_.switches();
  last_ = db < databases_.size() ? databases_[db].find(queue, hash) : nullptr;
  if (last_ != nullptr) return *last_;
  if (size() >= sweep_at_) sweep();
  if (db >= databases_.size()) databases_.resize(db + 1);
  last_ = new QueueState(db, queue, stamps_);
  databases_[db].insert(last_, hash);
  return *last_;
}

std::size_t LaneQueues::size() const noexcept {
  std::size_t count = 0;
  for (const auto& queues : databases_) count += queues.size();
  return count;
}

LaneQueues::~LaneQueues() {
  for (auto& queues : databases_) {
    queues.for_each([&](QueueState& state) { deadlines_.forget(state); });
  }
}

void LaneQueues::databases_swapped(engine::DbIndex a, engine::DbIndex b) {
  if (std::max(a, b) >= databases_.size()) databases_.resize(std::max(a, b) + 1);
  std::swap(databases_[a], databases_[b]);
  for (const engine::DbIndex db : {a, b}) {
    databases_[db].for_each([&](QueueState& state) { state.db = db; });
  }
  last_ = nullptr;
}

void LaneQueues::database_emptied(engine::DbIndex db) {
  if (db >= databases_.size()) return;
  databases_[db].for_each([](QueueState& state) { state.served = {}; });
}

/// Forgets queues whose ring is gone and that await nothing: nobody tells when a key was removed, so this looks, each
/// time they have doubled.
void LaneQueues::sweep() {
  QueueKeys keys;
  std::vector<std::string> gone;
  for (engine::DbIndex db = 0; db < databases_.size(); ++db) {
    databases_[db].for_each([&](const QueueState& state) {
      if (!state.deadlines.empty() || (state.fair && state.fair->lingering_weight() != 0)) return;
      keys.open(state.name);
      if (!services_.keyspace.at(db).contains(keys[QueueKey::ring].text)) gone.push_back(state.name);
    });
    for (const std::string& name : gone) databases_[db].erase(name, base::hash_bytes(name));
    gone.clear();
  }
  sweep_at_ = std::max<std::size_t>(64, 2 * size());
}

}  // namespace fairlane::command
