#include "fairlane/engine/access.hpp"

#include <gtest/gtest.h>

namespace fairlane::engine {
namespace {

constexpr std::uint32_t kMinute = 60;

TEST(Access, idle_time_survives_the_24_bits_running_over) {
  EXPECT_EQ(idle_seconds(100, 130), 30U);
  EXPECT_EQ(idle_seconds(kAccessMask - 4, kAccessMask + 6), 10U);
}

TEST(Access, a_count_falls_by_one_a_minute_down_to_nothing) {
  const AccessRule rule{.counted = true};
  const std::uint32_t access = counted_access(5, 1000 * kMinute);
  EXPECT_EQ(access_count(rule, access, 1000 * kMinute), 5U);
  EXPECT_EQ(access_count(rule, access, 1003 * kMinute), 2U);
  EXPECT_EQ(access_count(rule, access, 1100 * kMinute), 0U);
}

TEST(Access, a_count_falls_by_one_in_the_minutes_asked_for_or_never) {
  const std::uint32_t access = counted_access(5, 1000 * kMinute);
  EXPECT_EQ(access_count({.counted = true, .decay_minutes = 10}, access, 1025 * kMinute), 3U);
  EXPECT_EQ(access_count({.counted = true, .decay_minutes = 0}, access, 9000 * kMinute), 5U);
}

TEST(Access, the_minutes_may_run_over) {
  const AccessRule rule{.counted = true};
  const std::uint32_t access = counted_access(200, 0xFFFF * kMinute);
  EXPECT_EQ(access_count(rule, access, (0x10000 + 9) * kMinute), 190U);
}

TEST(Access, every_access_counts_with_a_factor_of_0_up_to_the_most) {
  const AccessRule rule{.counted = true, .log_factor = 0};
  base::Random random(1);
  std::uint32_t access = counted_access(kFirstCount, 0);
  for (std::uint32_t i = 1; i <= 300; ++i) {
    access = next_counted_access(rule, access, 0, random);
    EXPECT_EQ(access & 0xFF, std::min(kFirstCount + i, kMostCount));
  }
}

/// Redis' documentation has a table: with a factor of 10, 100 accesses make about 10 and 1000 about 18.
TEST(Access, a_higher_count_grows_more_slowly) {
  const AccessRule rule{.counted = true};
  base::Random random(7);
  double after_hundred = 0;
  double after_thousand = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    std::uint32_t access = counted_access(kFirstCount, 0);
    for (int i = 0; i < 1000; ++i) {
      access = next_counted_access(rule, access, 0, random);
      if (i == 99) after_hundred += access & 0xFF;
    }
    after_thousand += access & 0xFF;
  }
  EXPECT_NEAR(after_hundred / kRuns, 10, 1.5);
  EXPECT_NEAR(after_thousand / kRuns, 18, 2);
}

}  // namespace
}  // namespace fairlane::engine
