#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testkit/lane_queue.hpp"

/// How fair a whole server is: each drill drives a queue through LANE commands and measures one promise of its policy.
/// They take no real time into account, so the same drill measures the same every time.
namespace fairlane::testkit {

enum class Verdict : std::uint8_t {
  pass,
  fail,
  documented,  ///< a property of the policy rather than a target
};

struct DrillRow {
  std::string drill;
  LanePolicy policy;
  std::string target;
  std::string measured;
  Verdict verdict;
};

struct DrillSizes {
  std::size_t share_picks = 400'000;
  std::size_t picks = 60'000;  ///< of each of the other drills, or of each part of one
  std::size_t flood = 100'000;
  std::size_t operations = 200'000;
};

/// 100 lanes of weights 1 to 16, all backlogged. `ring`: every whole round serves every lane as often as its weight
/// says. `smooth`: Jain's index over any W picks, W the sum of the weights, and how far a lane is from the fluid ideal.
DrillRow share_drill(LanePolicy policy, const DrillSizes& sizes);
/// One lane of weight 100 among 100 of weight 1: its longest run.
DrillRow burst_drill(LanePolicy policy, const DrillSizes& sizes);
/// 20 light lanes of weight 20, at half of what that entitles them to, among 200 backlogged ones of weight 1: how many
/// picks a job of theirs waits.
DrillRow premium_drill(LanePolicy policy, const DrillSizes& sizes);
/// A lane of weight 10 that never has more than one job, against 100 backlogged ones of weight 1: what it gets of what
/// its weight entitles to. The next job comes up to 8 picks after the last was handed out.
DrillRow closed_loop_drill(LanePolicy policy, const DrillSizes& sizes);
/// A lane that leaves and comes back all the time, with its one job, by pauses, by a limit of one job in flight, or by
/// limits that are set and taken away: the most that it gets of what its weight entitles to.
DrillRow flapping_drill(LanePolicy policy, const DrillSizes& sizes);
/// A random weight changes every 100 picks. `ring`: a turn that begins after it is as long as the new weight. `smooth`:
/// how far a lane is from the fluid ideal, which heeds the new weight from the next pick on.
DrillRow reweight_drill(LanePolicy policy, const DrillSizes& sizes);
/// A flood of jobs in one lane, and now and then a job in a new lane: how many picks it waits.
DrillRow starvation_drill(LanePolicy policy, const DrillSizes& sizes);
/// Random operations: every job is in one place, the ring holds the serviceable lanes, no claim exceeds a limit or is
/// empty while a lane is serviceable.
DrillRow invariants_drill(LanePolicy policy, const DrillSizes& sizes);
/// The log of such operations, played to another server whose hashes have another seed: every reply is the same. No
/// other server may exist meanwhile.
DrillRow determinism_drill(LanePolicy policy, const DrillSizes& sizes);

/// All of them.
std::vector<DrillRow> lane_drills(LanePolicy policy, const DrillSizes& sizes);

}  // namespace fairlane::testkit
