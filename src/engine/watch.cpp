#include "fairlane/engine/watch.hpp"

#include <algorithm>

#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {

void WatchTable::watch(WatchState& state, Database& database, std::string_view key) {
  KeyId id{database.index(), std::string(key)};
  if (std::find(state.keys.begin(), state.keys.end(), id) != state.keys.end()) return;
  // Removes a key that has run out before it is watched, unless such keys are kept.
  if (!database.contains(key) && database.keeps_expired(key)) state.run_out.push_back(id);
  watchers_[id].push_back(&state);
  state.keys.push_back(std::move(id));
  changes_->set_interest(Listener::watch, true);
}

bool WatchTable::broken(WatchState& state, Keyspace& keyspace) {
  for (const KeyId& id : state.keys) {
    Database& database = keyspace.at(id.db);
    if (database.contains(id.key) || !database.keeps_expired(id.key)) continue;
    if (std::find(state.run_out.begin(), state.run_out.end(), id) == state.run_out.end()) state.broken = true;
  }
  return state.broken;
}

void WatchTable::unwatch(WatchState& state) {
  for (const KeyId& id : state.keys) {
    const auto found = watchers_.find(id);
    std::erase(found->second, &state);
    if (found->second.empty()) watchers_.erase(found);
  }
  state.keys.clear();
  state.run_out.clear();
  state.broken = false;
  if (watchers_.empty()) changes_->set_interest(Listener::watch, false);
}

void WatchTable::on_change(const Change& change) {
  if (!change.modified) return;
  const auto found = watchers_.find(KeyView{change.db, change.key});
  if (found == watchers_.end()) return;
  for (WatchState* state : found->second) {
    const bool expected = change.removed && std::erase(state->run_out, found->first) != 0;
    if (!expected) state->broken = true;
  }
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
