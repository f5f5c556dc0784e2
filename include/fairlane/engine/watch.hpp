#pragma once

#include <unordered_map>
#include <vector>

#include "fairlane/engine/changes.hpp"
#include "fairlane/engine/key_id.hpp"

namespace fairlane::engine {

class Database;
class Keyspace;

/// What one client watches, and whether something of it has changed.
struct WatchState {
  std::vector<KeyId> keys;
  std::vector<KeyId> run_out;  ///< those of them that were past their deadline before and kept: their end is no change
  bool broken = false;
};

/// WATCH: marks a client's state as broken when a key it watches is changed, removed or runs out.
class WatchTable : public ChangeObserver {
 public:
  explicit WatchTable(Changes& changes) noexcept : changes_(&changes) { changes.attach(Listener::watch, *this); }

  /// Watches a key of `state`; a key already watched stays. The state must not move until unwatch().
  void watch(WatchState& state, Database& database, std::string_view key);
  /// Has something changed? A watched key that ran out and was not found so yet is found now, which breaks the watch.
  static bool broken(WatchState& state, Keyspace& keyspace);
  /// Forgets all keys of a state and that it was broken.
  void unwatch(WatchState& state);

  void on_change(const Change& change) override;
  /// A database was emptied, or exchanged with `other`: breaks the states that watch a key which exists in one of them.
  /// To be called before the keys go.
  void touch_all(Keyspace& keyspace, DbIndex db, DbIndex other);

  std::size_t watched_keys() const noexcept { return watchers_.size(); }

 private:
  Changes* changes_;
  std::unordered_map<KeyId, std::vector<WatchState*>, KeyIdHash, KeyIdEqual> watchers_;
};

}  // namespace fairlane::engine
