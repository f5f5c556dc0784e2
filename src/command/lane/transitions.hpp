#pragma once

#include <cstdint>
#include <string_view>

#include "command/lane/queue.hpp"
#include "fairlane/protocol/reply.hpp"

/// The steps that a job takes from one place to the next, over the ordinary keys of its queue. Each looks at everything
/// it needs before it changes anything, and leaves every job in exactly one place and the ring true.
namespace fairlane::command {

/// A new job at the end of a lane's order. `most`: the lane takes it only while it holds fewer jobs.
Step enqueue(Queue& queue, std::string_view lane, std::string_view id, std::string_view payload, std::size_t most);

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

/// The job is done: its row, its lease and what hangs off it are gone. The token is what the claim handed out.
Step complete(Queue& queue, std::string_view id, std::string_view token);

}  // namespace fairlane::command
