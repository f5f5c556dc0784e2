#pragma once

#include <cstdint>
#include <string_view>

#include "command/lane/queue.hpp"
#include "command/lane/rota.hpp"

namespace fairlane::command {

/// What decides whether a lane can be served.
struct LaneFacts {
  std::size_t depth = 0;
  std::int64_t in_flight = 0;
  std::int64_t limit = 0;  ///< jobs in flight at once; 0 none
  bool paused = false;

  bool at_limit() const noexcept { return limit > 0 && in_flight >= limit; }
  bool open() const noexcept { return !paused && !at_limit(); }
  bool serviceable() const noexcept { return depth != 0 && open(); }
};

/// Each answers `done`, or `wrong_type` when a key holds another type than it should.
Step read_gates(Queue& queue, std::string_view lane, LaneFacts& facts);  ///< paused and limit alone
Step read_facts(Queue& queue, std::string_view lane, LaneFacts& facts);  ///< all
/// 1 when nobody set one.
Step read_weight(Queue& queue, std::string_view lane, std::int64_t& weight);

/// What the whole queue allows.
struct QueueGate {
  bool paused = false;
  std::int64_t room = INT64_MAX;  ///< claims until the queue's own ceiling is reached
};
Step read_gate(Queue& queue, QueueGate& gate);

/// Puts a lane into the ring or takes it out, as the contract says a ring is: every serviceable lane once. Is asked
/// before a step's first change whether it can, so that a wrong type is found in time.
class Membership {
 public:
  explicit Membership(Queue& queue) : queue_(queue), rota_(queue) {}

  bool wrong_type() const noexcept { return rota_.wrong_type(); }
  Step check();
  bool in_ring(std::string_view lane) { return rota_.contains(lane); }
  /// check() answered `done`. The lane's name is no view of the ring.
  void set(std::string_view lane, bool serviceable);

 private:
  Queue& queue_;
  Rota rota_;
};

/// Lets one parked script client try again.
void push_wake_token(Queue& queue);
bool wake_has_wrong_type(Queue& queue);
/// The queue's ring has not changed, but what it allows has: the clients that wait for it are to look again.
void wake_claimers(Queue& queue);

}  // namespace fairlane::command
