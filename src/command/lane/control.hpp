#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/lane/queue.hpp"

/// What an operator sets on a lane or a queue, and what he asks about it. The setters keep the ring true.
namespace fairlane::command {

Step set_weight(Queue& queue, std::string_view lane, std::int64_t weight);
/// 0 takes the limit away.
Step set_limit(Queue& queue, std::string_view lane, std::int64_t limit);
Step pause_lane(Queue& queue, std::string_view lane);
Step resume_lane(Queue& queue, std::string_view lane);
Step pause_queue(Queue& queue);
Step resume_queue(Queue& queue);

Step read_limit(Queue& queue, std::string_view lane, std::int64_t& limit);
Step read_depth(Queue& queue, std::string_view lane, std::int64_t& depth);

/// Every lane that has jobs, each once: those in the ring, paused, or with jobs in flight, or with a rate. Lanes of the
/// last three kinds may be empty. O(lanes).
Step find_lanes(Queue& queue, std::vector<std::string>& lanes);

/// The sum over all lanes; looks at every lane that has jobs.
Step read_whole_depth(Queue& queue, std::int64_t& depth);

struct QueueTotals {
  std::int64_t depth = 0;        ///< jobs waiting in lanes
  std::int64_t lanes = 0;        ///< lanes with jobs waiting or in flight
  std::int64_t serviceable = 0;  ///< lanes in the ring
  std::int64_t paused_lanes = 0;
  std::int64_t ungrouped = 0;
  std::int64_t active = 0;
  std::int64_t scheduled = 0;
  std::int64_t dead = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t oldest = -1;      ///< milliseconds since the oldest job waiting in the ring's lanes was minted; -1 none
  std::int64_t max_active = 0;   ///< jobs of the queue that may be active at once; 0 none
  std::string_view policy = {};  ///< a word of the options' table
  bool paused = false;
};
/// Looks at every lane that has jobs: a lane with jobs waiting is in the ring, paused, or has jobs in flight.
Step read_totals(Queue& queue, QueueTotals& totals);

}  // namespace fairlane::command
