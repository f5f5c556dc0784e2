#include "command/lane/lane_queues.hpp"

#include <algorithm>

#include "fairlane/base/hash.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {

QueueState* LaneQueues::find(engine::DbIndex db, std::string_view queue) noexcept {
  if (last_ != nullptr && last_->db == db && last_->name == queue) [[likely]]
    return last_;
  if (db >= databases_.size()) return nullptr;
  QueueState* state = databases_[db].find(queue, base::hash_bytes(queue));
  if (state != nullptr) last_ = state;
  return state;
}

QueueState& LaneQueues::open(engine::DbIndex db, std::string_view queue) {
  if (QueueState* state = find(db, queue)) return *state;
  if (size() >= sweep_at_) sweep();
  if (db >= databases_.size()) databases_.resize(db + 1);
  last_ = new QueueState{db, std::string(queue), lane::RingIndex(stamps_), {}, 0};
  databases_[db].insert(last_, base::hash_bytes(queue));
  return *last_;
}

std::size_t LaneQueues::size() const noexcept {
  std::size_t count = 0;
  for (const auto& queues : databases_) count += queues.size();
  return count;
}

/// Forgets queues whose ring is gone: nobody tells when a key was removed, so this looks, each time they have doubled.
void LaneQueues::sweep() {
  QueueKeys keys;
  std::vector<std::string> gone;
  for (engine::DbIndex db = 0; db < databases_.size(); ++db) {
    databases_[db].for_each([&](const QueueState& state) {
      keys.open(state.name);
      if (!keyspace_->at(db).contains(keys[QueueKey::ring].text)) gone.push_back(state.name);
    });
    for (const std::string& name : gone) databases_[db].erase(name, base::hash_bytes(name));
    gone.clear();
  }
  last_ = nullptr;
  sweep_at_ = std::max<std::size_t>(64, 2 * size());
}

}  // namespace fairlane::command
