#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "command/lane/job.hpp"
#include "command/lane/queue.hpp"
#include "fairlane/protocol/reply.hpp"

/// The state machine of a job: the steps it takes from one place to the next, over the ordinary keys of its queue.
/// Commands, timers and scripts share them. Each looks at everything it needs before it changes anything, and leaves
/// every job in exactly one place and the ring true.
namespace fairlane::command {

// --- coming into being

struct NewJob {
  std::string_view lane;
  std::string_view id;
  std::string_view payload;
  std::size_t most = SIZE_MAX;     ///< the lane takes it only while it holds fewer jobs
  std::int64_t due = 0;            ///< milliseconds since 1970; one after now makes the job a delayed one
  std::uint64_t row_hash = 0;      ///< of the key of the job's row, and
  std::uint64_t backlog_hash = 0;  ///< of the lane's backlog; 0 where not known
};
/// A new job at the end of its lane's order. `exists`, `full`.
Step enqueue(Queue& queue, const NewJob& job);

// --- being handed out

/// How much of a lane one turn may take.
enum class Share : std::uint8_t { one, weight, all };

struct ClaimOrder {
  std::int64_t lease;  ///< milliseconds
  Share share;
  std::size_t most = SIZE_MAX;  ///< jobs altogether; a turn cut short by it goes on with the next claim
};

struct Turn {
  Step step;  ///< done, nothing, or wrong_type
  std::size_t jobs = 0;
};

/// Serves the lane whose turn it is: its first jobs are leased and written as tuples of id, payload, attempts and lane.
/// Lanes at the head that cannot be served leave the ring.
Turn claim_turn(Queue& queue, const ClaimOrder& order, protocol::Reply& reply);

// --- settling; the token is what the claim handed out. `gone`, `stale`, `wrong_state`

/// The job is done: its row, its lease and what hangs off it are gone, or kept where the queue says so.
/// `row` is the hash of the row's key, 0 when not known.
Step complete(Queue& queue, std::string_view id, std::string_view token, std::uint64_t row = 0);

struct Failure {
  std::int64_t delay;         ///< milliseconds until the next try
  std::int64_t max_attempts;  ///< at so many the job is dead
  std::string_view error;
};
/// The job failed: it waits again, now or after a delay, or is dead; `place` tells which.
Step retry(Queue& queue, std::string_view id, std::string_view token, const Failure& failure, Place& place);

/// The lease ends so many milliseconds from now. `stale` also for a lease that has ended.
Step extend(Queue& queue, std::string_view id, std::string_view token, std::int64_t lease);

// --- by the clock

/// The lease ended: the job waits again with a token that is still good until the next claim, or is dead when it had
/// all the attempts that the queue allows. A lease that stands for no leased job just ends (`gone`).
Step expire_lease(Queue& queue, std::string_view id);
/// A delayed job goes to its lane. An entry that stands for no delayed job just ends (`gone`).
Step promote(Queue& queue, std::string_view id);
/// Leases past their end, of one lane or all; scheduled jobs that are due. Up to `most`, the first ones first.
Step reap(Queue& queue, std::string_view lane, std::size_t most, std::size_t& count);
Step promote_due(Queue& queue, std::size_t most, std::size_t& count);
/// Something that kept a lane out of the ring may be over.
void look_at_lane_again(Queue& queue, std::string_view lane);

// --- by an operator

/// The job is gone, wherever it was. `locked` when it is leased and not forced.
Step remove_job(Queue& queue, std::string_view id, bool force);
/// A waiting job goes to another lane. `same`, `wrong_state`, `gone`.
Step reassign(Queue& queue, std::string_view id, std::string_view lane);
/// Deletes all jobs that wait in a lane, or in the whole queue.
Step drain_lane(Queue& queue, std::string_view lane, std::size_t& count);
Step drain_queue(Queue& queue, std::size_t& count);
/// A dead job waits again, in its lane or another one when one is named. `gone`, `wrong_state`.
Step revive(Queue& queue, std::string_view id, std::string_view lane);
Step revive_all(Queue& queue, std::string_view lane, std::size_t& count);

}  // namespace fairlane::command
