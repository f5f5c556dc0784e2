#pragma once

#include <array>
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
enum class Type : std::uint8_t;

/// A client, by the number that CLIENT ID answers; never used again after it left.
using SessionId = std::uint64_t;

/// Who waits for which keys, in order of arrival. Hears of changes and remembers the keys that became worth a look.
class WaitQueue : public ChangeObserver {
 public:
  explicit WaitQueue(Changes& changes) noexcept : changes_(&changes) { changes.attach(Listener::wait_queue, *this); }

  /// The session waits for every one of the keys; it gets a place behind those who wait already. With a type it has no
  /// use for a key that holds none of it; without, whatever adds to the value is worth a look, and its end as well.
  void add(SessionId session, DbIndex db, std::span<const std::string_view> keys, std::optional<Type> type = {});
  /// The session waits already: a change of one of these keys makes the first key it waits for worth a look as well.
  void add_hints(SessionId session, std::span<const std::string_view> hints);
  /// The session waits no more. Does nothing when it does not wait.
  void remove(SessionId session);

  void on_change(const Change& change) override;
  /// Two databases changed places: every awaited key that exists now is worth a look, and the end of one to
  /// those who wait for any change.
  void databases_swapped(Keyspace& keyspace, DbIndex a, DbIndex b);
  /// All keys of a database are gone.
  void database_emptied(Keyspace& keyspace, DbIndex index) { databases_swapped(keyspace, index, index); }

  /// Takes the key that became ready first; none when there is none.
  std::optional<KeyId> take_ready();
  bool any_ready() const noexcept { return !ready_.empty(); }
  /// Somebody in the line of a key. Turns rise from one who came to the next.
  struct Waiter {
    SessionId session;
    std::uint64_t turn;
  };
  /// The first in line behind turn `after` who has a use for the key now that it holds a value of this type, or is
  /// gone. O(log n) when all in line want the same.
  std::optional<Waiter> next_waiter(const KeyId& id, std::uint64_t after, std::optional<Type> held) const;
  std::size_t waiting_sessions() const noexcept { return sessions_.size(); }
  std::size_t awaited_keys() const noexcept { return keys_.size(); }

 private:
  /// 0: any change; behind it the types.
  static constexpr std::size_t kKinds = 8;
  static std::size_t kind_of(std::optional<Type> type) noexcept;

  struct Place {
    SessionId session;
    std::uint64_t turn;
    std::size_t kind;
  };
  struct Line {
    std::deque<Place> places;
    std::array<std::uint32_t, kKinds> counts{};  // of places, by kind
    bool ready = false;
  };
  struct Awaited {
    std::uint64_t turn;
    std::vector<KeyId> keys;
    std::vector<KeyId> hints;
  };
  /// All who take a hint from one key wait for the same key.
  struct Hint {
    KeyId awaited;
    std::size_t sessions;
  };
  void mark_ready(const KeyId& id, Line& line);
  /// Is anybody in the line whom the key's end concerns as well?
  static bool awaits_any_change(const Line& line) noexcept { return line.counts[kind_of(std::nullopt)] != 0; }

  Changes* changes_;
  std::unordered_map<KeyId, Line, KeyIdHash, KeyIdEqual> keys_;
  std::unordered_map<KeyId, Hint, KeyIdHash, KeyIdEqual> hints_;
  std::unordered_map<SessionId, Awaited> sessions_;
  std::deque<KeyId> ready_;
  std::uint64_t last_turn_ = 0;
};

}  // namespace fairlane::engine
