#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "command/lane/queue.hpp"
#include "command/lane/rate.hpp"
#include "command/lane/rota.hpp"

namespace fairlane::command {

/// What decides whether a lane can be served.
struct LaneFacts {
  std::size_t depth = 0;
  std::int64_t in_flight = 0;
  std::int64_t limit = 0;  ///< jobs in flight at once; 0 none
  bool paused = false;
  Bucket bucket;
  std::int64_t now = 0;

  bool at_limit() const noexcept { return limit > 0 && in_flight >= limit; }
  bool out_of_tokens() const noexcept { return bucket.limits() && bucket.tokens(now) == 0; }
  bool open() const noexcept { return !paused && !at_limit() && !out_of_tokens(); }
  bool serviceable() const noexcept { return depth != 0 && open(); }
};

/// Each answers `done`, or `wrong_type` when a key holds another type than it should.
Step read_gates(Queue& queue, std::string_view lane, LaneFacts& facts);  ///< paused, limit and rate alone
Step read_facts(Queue& queue, std::string_view lane, LaneFacts& facts);  ///< all
/// 1 when nobody set one.
Step read_weight(Queue& queue, std::string_view lane, std::int64_t& weight);

/// What the whole queue allows, and how it serves.
struct QueueGate {
  bool paused = false;
  bool smooth = false;            ///< the policy; else `ring`
  bool charges_time = false;      ///< under `smooth`: jobs are charged the time they take, not one by one
  std::int64_t ceiling = 0;       ///< jobs of the queue that may be active at once; 0 none
  std::int64_t active = 0;        ///< those that are, where there is a ceiling
  std::int64_t room = INT64_MAX;  ///< claims until the ceiling is reached
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
  /// check() answered `done`. The lane's name is no view of the ring. A lane that only wants for tokens has the timer
  /// set to the instant of the next.
  void set(std::string_view lane, const LaneFacts& facts);

 private:
  Queue& queue_;
  Rota rota_;
};

/// Changes one fact of a lane, with what follows for the ring: `change(facts)` is called when every key has the type it
/// should, changes the keys, and the facts likewise.
template <class Change>
Step change_lane(Queue& queue, std::string_view lane, Change&& change) {
  Membership membership(queue);
  LaneFacts facts;
  if (read_facts(queue, lane, facts) != Step::done || membership.check() != Step::done) return Step::wrong_type;
  change(facts);
  membership.set(lane, facts);
  return Step::done;
}

/// A lane outside of the ring that wants for nothing but tokens comes back when there is one.
void await_token(Queue& queue, std::string_view lane, const LaneFacts& facts);

/// Lets one parked script client try again.
void push_wake_token(Queue& queue);
bool wake_has_wrong_type(Queue& queue);
/// The keys beside the ring whose changes by others may let a claim succeed that found nothing. Good until another
/// queue is opened.
std::span<const std::string_view> claim_hints(Queue& queue);

}  // namespace fairlane::command
