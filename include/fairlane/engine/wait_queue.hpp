#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fairlane/engine/changes.hpp"
#include "fairlane/engine/key_id.hpp"

namespace fairlane::engine {

class Keyspace;

/// A client, by the number that CLIENT ID answers; never used again after it left.
using SessionId = std::uint64_t;

/// Who waits for which keys, in order of arrival. Hears of changes and remembers the keys that became worth a look.
class WaitQueue : public ChangeObserver {
 public:
  explicit WaitQueue(Changes& changes) noexcept : changes_(&changes) { changes.attach(Listener::wait_queue, *this); }

  /// The session waits for every one of the keys; it gets a place behind those who wait already.
  void add(SessionId session, DbIndex db, std::span<const std::string_view> keys);
  /// The session waits no more. Does nothing when it does not wait.
  void remove(SessionId session);

  void on_change(const Change& change) override;
  /// Two databases changed places: every awaited key that exists now is worth a look.
  void databases_swapped(Keyspace& keyspace, DbIndex a, DbIndex b);

  /// Takes the key that became ready first; none when there is none.
  std::optional<KeyId> take_ready();
  bool any_ready() const noexcept { return !ready_.empty(); }
  /// Marks an awaited key as worth a look; does nothing when nobody waits for it.
  void mark_ready(DbIndex db, std::string_view key);
  /// Who waits for the key now, in order of arrival.
  std::vector<SessionId> waiters(const KeyId& id) const;
  std::size_t waiting_sessions() const noexcept { return sessions_.size(); }
  std::size_t awaited_keys() const noexcept { return keys_.size(); }

 private:
  struct Line {
    std::deque<SessionId> sessions;
    bool ready = false;
  };
  Changes* changes_;
  std::unordered_map<KeyId, Line, KeyIdHash, KeyIdEqual> keys_;
  std::unordered_map<SessionId, std::vector<KeyId>> sessions_;
  std::deque<KeyId> ready_;
};

}  // namespace fairlane::engine
