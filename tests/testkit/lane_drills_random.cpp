// lane_drills_random.cpp - the drills that are made of random operations.
#include <utility>

#include "fairlane/base/hash.hpp"
#include "testkit/lane_drill_text.hpp"
#include "testkit/lane_drills.hpp"
#include "testkit/lane_random_run.hpp"

namespace fairlane::testkit {
namespace {

constexpr std::uint64_t kSeed = 31;

/// Another seed of all hashes, for as long as it lives. No table may live longer.
class OtherHashes {
 public:
  OtherHashes() noexcept : before_(std::exchange(base::hash_seed, base::hash_seed * 3 + 1)) {}
  OtherHashes(const OtherHashes&) = delete;
  OtherHashes& operator=(const OtherHashes&) = delete;
  ~OtherHashes() { base::hash_seed = before_; }

 private:
  std::uint64_t before_;
};

}  // namespace

DrillRow invariants_drill(LanePolicy policy, const DrillSizes& sizes) {
  LaneRandomRun run(policy, kSeed);
  for (std::size_t step = 0; step < sizes.operations; ++step) {
    if (!run.step()) break;
  }
  const bool pass = run.problem().empty() && run.check_keys();
  return {"invariants", policy, "one place, no limit exceeded, empty means empty",
          pass ? text("%zu operations: %zu jobs claimed, %zu leases ended, %zu claims empty", sizes.operations,
                      run.claimed(), run.expired(), run.empty_claims())
               : run.problem(),
          judged(pass)};
}

DrillRow determinism_drill(LanePolicy policy, const DrillSizes& sizes) {
  LaneLog log;
  std::string replies;
  std::size_t claimed = 0;
  {
    LaneRandomRun run(policy, kSeed + 1);
    for (std::size_t step = 0; step < sizes.operations && run.step(); ++step) continue;
    log = run.log();
    replies = run.replies();
    claimed = run.claimed();
  }
  const OtherHashes hashes;
  const bool same = log.play() == replies;
  return {"determinism", policy, "the same log gives the same replies",
          same ? text("%zu claims and all other replies the same", claimed) : "replies differ", judged(same)};
}

}  // namespace fairlane::testkit
