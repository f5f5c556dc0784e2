#include "fairlane/engine/wait_queue.hpp"

#include <algorithm>

#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {

void WaitQueue::add(SessionId session, DbIndex db, std::span<const std::string_view> keys) {
  auto& awaited = sessions_[session];
  for (const std::string_view key : keys) {
    KeyId id{db, std::string(key)};
    if (std::find(awaited.begin(), awaited.end(), id) != awaited.end()) continue;
    keys_[id].sessions.push_back(session);
    awaited.push_back(std::move(id));
  }
  changes_->set_interest(Listener::wait_queue, true);
}

void WaitQueue::remove(SessionId session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  for (const KeyId& id : found->second) {
    const auto line = keys_.find(id);
    // Whoever is served stands first, so this finds at once where it matters.
    auto& waiting = line->second.sessions;
    waiting.erase(std::find(waiting.begin(), waiting.end(), session));
    if (waiting.empty()) keys_.erase(line);
  }
  sessions_.erase(found);
  if (sessions_.empty()) changes_->set_interest(Listener::wait_queue, false);
}

void WaitQueue::on_change(const Change& change) {
  if (change.grew || change.created || change.removed) mark_ready(change.db, change.key);
}

void WaitQueue::mark_ready(DbIndex db, std::string_view key) {
  const auto line = keys_.find(KeyView{db, key});
  if (line == keys_.end() || line->second.ready) return;
  line->second.ready = true;
  ready_.push_back(line->first);
}

void WaitQueue::databases_swapped(Keyspace& keyspace, DbIndex a, DbIndex b) {
  std::vector<KeyId> affected;
  for (const auto& [id, line] : keys_) {
    if (id.db == a || id.db == b) affected.push_back(id);
  }
  for (const KeyId& id : affected) {
    if (keyspace.at(id.db).contains(id.key)) mark_ready(id.db, id.key);
  }
}

std::optional<KeyId> WaitQueue::take_ready() {
  if (ready_.empty()) return std::nullopt;
  KeyId id = std::move(ready_.front());
  ready_.pop_front();
  const auto line = keys_.find(id);
  if (line != keys_.end()) line->second.ready = false;
  return id;
}

std::vector<SessionId> WaitQueue::waiters(const KeyId& id) const {
  const auto line = keys_.find(id);
  if (line == keys_.end()) return {};
  return {line->second.sessions.begin(), line->second.sessions.end()};
}

}  // namespace fairlane::engine
