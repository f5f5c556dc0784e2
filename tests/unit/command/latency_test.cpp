#include "fairlane/command/latency.hpp"

#include <gtest/gtest.h>

namespace fairlane::command {
namespace {

TEST(LatencyTest, a_percentile_is_at_most_an_eighth_too_long) {
  Latency latency;
  for (std::uint64_t ticks = 1; ticks <= 100'000; ++ticks) latency.note(ticks);
  EXPECT_EQ(latency.calls(), 100'000U);
  for (const double percent : {1.0, 50.0, 99.0, 99.9, 100.0}) {
    const double exact = percent * 1000;
    const auto told = static_cast<double>(latency.percentile(percent));
    EXPECT_GE(told, exact) << percent;
    EXPECT_LE(told, exact * 1.125 + 1) << percent;
  }
}

TEST(LatencyTest, calls_within_a_time_are_those_whose_class_ends_there) {
  Latency latency;
  latency.note(3);
  latency.note(1000);
  EXPECT_EQ(latency.calls_within(2), 0U);
  EXPECT_EQ(latency.calls_within(3), 1U);
  EXPECT_EQ(latency.calls_within(1024), 2U);
  EXPECT_EQ(latency.calls_within(~std::uint64_t{0}), 2U);
}

TEST(LatencyTest, times_of_any_length_have_a_class) {
  Latency latency;
  for (int bit = 0; bit < 64; ++bit) latency.note(std::uint64_t{1} << bit);
  latency.note(0);
  latency.note(~std::uint64_t{0});
  EXPECT_EQ(latency.calls(), 66U);
  EXPECT_EQ(latency.longest(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace fairlane::command
