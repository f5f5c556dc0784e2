#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command/lane/deadlines.hpp"
#include "command/lane/queue_keys.hpp"
#include "command/lane/ring_foresight.hpp"
#include "command/lane/served_counts.hpp"
#include "fairlane/base/branded_id.hpp"
#include "fairlane/data/table.hpp"
#include "fairlane/engine/changes.hpp"
#include "fairlane/lane/fair_queue.hpp"
#include "fairlane/lane/ring_index.hpp"

namespace fairlane::command {

/// What the server remembers of a queue beside its keys. More than a copy of what the keys say is the unfinished turn,
/// void when another lane has come to the head of the ring, which deadlines are the server's to keep, how many jobs the
/// lanes were served, and under the policy `smooth` how far each lane is.
struct QueueState {
  QueueState(engine::DbIndex in, std::string_view queue, lane::VersionStamps& stamps)
      : db(in), name(queue), index(stamps) {}

  engine::DbIndex db;
  std::string name;
  lane::RingIndex index;
  std::string turn_lane;       ///< the lane whose turn was cut short
  std::int64_t turn_left = 0;  ///< jobs its turn still allows
  KeptDeadlines deadlines;
  ServedCounts served;
  RingForesight foresight;
  bool recount = false;  ///< a leased job was found to have lost its row: the counts in flight are to be made anew

  // Policy `smooth`; null under `ring`.
  std::unique_ptr<lane::FairQueue> fair;
  bool fair_is_stale = false;   ///< the ring was changed by others since
  std::string picked;           ///< the lane whose turn it is, while it is served
  std::int64_t usual_time = 1;  ///< milliseconds that a job takes, on average: what it is charged at first

  /// Others changed the ring?
  void attach(const data::List& ring) noexcept {
    if (!index.knows(ring)) fair_is_stale = true;
    index.attach(ring);
  }
};

/// What lane commands share: the states of queues, the minter of ids, and the names of keys.
class LaneQueues {
 public:
  explicit LaneQueues(Services& services) noexcept;
  ~LaneQueues();

  /// The state of the queue that keys() is open for. Good until the next call.
  QueueState& current(engine::DbIndex db) {
    const bool same = last_ != nullptr && last_->db == db && last_switch_ == keys_.switches();
    return same ? *last_ : look_up(db);
  }
  /// The same as far as it is at hand, else null.
  const QueueState* known(engine::DbIndex db) const noexcept {
    return last_ != nullptr && last_->db == db && last_switch_ == keys_.switches() ? last_ : nullptr;
  }
  std::size_t size() const noexcept;

  /// SWAPDB: what was known of the queues of one is known of those of the other.
  void databases_swapped(engine::DbIndex a, engine::DbIndex b);
  /// FLUSHDB: what its queues have served so far counts no more.
  void database_emptied(engine::DbIndex db);

  /// Names of keys for a claimer that is about to be parked.
  std::array<std::string_view, 3>& claim_hints() noexcept { return claim_hints_; }

  LaneDeadlines& deadlines() noexcept { return deadlines_; }
  base::Minter& minter() noexcept { return minter_; }
  QueueKeys& keys() noexcept { return keys_; }

 private:
  struct Traits {
    using Entry = QueueState;
    static std::string_view key(const QueueState& state) noexcept { return state.name; }
    static void destroy(QueueState* state) noexcept { delete state; }
  };
  QueueState& look_up(engine::DbIndex db);
  void sweep();

  Services& services_;
  LaneDeadlines deadlines_;
  std::array<std::string_view, 3> claim_hints_;
  lane::VersionStamps stamps_;
  std::vector<data::Table<Traits>> databases_;
  QueueState* last_ = nullptr;     // the one used before: most commands ask for it again
  std::uint64_t last_switch_ = 0;  // of keys_ when current() was asked before
  std::size_t sweep_at_ = 64;
  base::Minter minter_{0};
  QueueKeys keys_;
};

}  // namespace fairlane::command
