#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fairlane/base/clock.hpp"
#include "fairlane/base/memory_use.hpp"
#include "fairlane/engine/key_id.hpp"

namespace fairlane::engine {
class Entry;
}

namespace fairlane::command {

struct Services;

/// Keeps the data within maxmemory: keys give way as maxmemory-policy says.
///
/// The key that gives way is the worst of a sample, not the worst of all: maxmemory-samples keys of each database are
/// drawn, and the best candidates seen so far stay in a pool of 16 for the next time, which comes close to an exact
/// order at a constant cost.
class Eviction {
 public:
  explicit Eviction(Services& services) : services_(services) {}

  enum class Room : std::uint8_t {
    enough,
    later,  ///< there was no time for more; it goes on by a timer
    none,   ///< nothing may give way
  };
  /// Costs two reads while there is room. Else at most the time that maxmemory-eviction-tenacity allows.
  Room make_room();
  /// The limit has changed: begins to make room by a timer, when there is need.
  void begin();

  /// For how long the data has taken too much, and did so before, in milliseconds.
  std::int64_t current_excess() const;
  std::int64_t total_excess() const { return total_excess_ + current_excess(); }

 private:
  static constexpr std::size_t kPool = 16;

  /// A key that may give way; the higher the score, the sooner.
  struct Candidate {
    std::uint64_t score;
    engine::KeyId id;
  };

  bool exceeded() const;
  Room evict();
  bool evict_one();
  std::optional<engine::KeyId> choose_by_chance();
  std::optional<engine::KeyId> choose_by_score();
  const engine::Entry* draw(engine::DbIndex db);
  bool sample();
  void offer(engine::DbIndex db, const engine::Entry& entry);
  std::uint64_t score_of(const engine::Entry& entry) const;
  bool may_give_way(const engine::KeyId& id) const;
  std::uint64_t patience_ticks() const;
  void note_excess(bool over);
  void go_on_later();

  Services& services_;
  base::AllocationMeter meter_;
  std::vector<Candidate> pool_;  // by rising score
  engine::DbIndex next_db_ = 0;  // where chance looks next
  bool timer_set_ = false;
  bool over_ = false;
  base::Steady over_since_{};
  std::int64_t total_excess_ = 0;
};

}  // namespace fairlane::command
