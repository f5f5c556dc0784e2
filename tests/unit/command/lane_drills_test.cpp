// The drills of tests/bench/lane_drills.cpp with fewer operations.
#include "testkit/lane_drills.hpp"

#include <gtest/gtest.h>

namespace fairlane::command {
namespace {

using testkit::LanePolicy;

constexpr testkit::DrillSizes kSizes{.share_picks = 5'000, .picks = 1'500, .flood = 2'000, .operations = 6'000};

class LaneDrills : public testing::TestWithParam<LanePolicy> {
 protected:
  static void run(testkit::DrillRow (*drill)(LanePolicy, const testkit::DrillSizes&)) {
    const testkit::DrillRow row = drill(GetParam(), kSizes);
    EXPECT_NE(row.verdict, testkit::Verdict::fail) << row.target << ": " << row.measured;
  }
};

TEST_P(LaneDrills, shares_are_as_the_weights) { run(testkit::share_drill); }
TEST_P(LaneDrills, a_heavy_lane_comes_in_no_longer_bursts_than_its_policy_says) { run(testkit::burst_drill); }
TEST_P(LaneDrills, light_traffic_with_a_high_weight_does_not_wait_for_the_heavy) { run(testkit::premium_drill); }
TEST_P(LaneDrills, one_job_at_a_time_gets_what_its_policy_says) { run(testkit::closed_loop_drill); }
TEST_P(LaneDrills, coming_and_going_gains_nothing) { run(testkit::flapping_drill); }
TEST_P(LaneDrills, changed_weights_count_at_once) { run(testkit::reweight_drill); }
TEST_P(LaneDrills, a_flood_does_not_delay_a_new_lane) { run(testkit::starvation_drill); }
TEST_P(LaneDrills, random_operations_leave_every_job_in_one_place) { run(testkit::invariants_drill); }
TEST_P(LaneDrills, the_same_log_gives_the_same_claims) { run(testkit::determinism_drill); }

INSTANTIATE_TEST_SUITE_P(Policies, LaneDrills, testing::Values(LanePolicy::ring, LanePolicy::smooth),
                         [](const auto& policy) { return std::string(testkit::policy_name(policy.param)); });

}  // namespace
}  // namespace fairlane::command
