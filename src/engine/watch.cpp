#include "fairlane/engine/watch.hpp"

#include <algorithm>

#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {

void WatchTable::watch(WatchState& state, DbIndex db, std::string_view key) {
  KeyId id{db, std::string(key)};
  if (std::find(state.keys.begin(), state.keys.end(), id) != state.keys.end()) return;
  watchers_[id].push_back(&state);
  state.keys.push_back(std::move(id));
  changes_->set_interest(Listener::watch, true);
}

void WatchTable::unwatch(WatchState& state) {
  for (const KeyId& id : state.keys) {
    const auto found = watchers_.find(id);
    std::erase(found->second, &state);
    if (found->second.empty()) watchers_.erase(found);
  }
  state.keys.clear();
  state.broken = false;
  if (watchers_.empty()) changes_->set_interest(Listener::watch, false);
}

void WatchTable::on_change(const Change& change) {
  if (!change.modified) return;
  const auto found = watchers_.find(KeyView{change.db, change.key});
  if (found == watchers_.end()) return;
  for (WatchState* state : found->second) state->broken = true;
}

void WatchTable::touch_all(Keyspace& keyspace, DbIndex db, DbIndex other) {
  // A key that has run out is found so by contains(), which tells on_change(): collect first.
  std::vector<KeyId> affected;
  for (const auto& [id, states] : watchers_) {
    if (id.db == db || id.db == other) affected.push_back(id);
  }
  for (const KeyId& id : affected) {
    if (!keyspace.at(db).contains(id.key) && !keyspace.at(other).contains(id.key)) continue;
    for (WatchState* state : watchers_.at(id)) state->broken = true;
  }
}

}  // namespace fairlane::engine
