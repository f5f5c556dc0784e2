#include "command/timeout.hpp"

#include <gtest/gtest.h>

namespace fairlane::command {
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

std::int64_t millis(std::string_view text) {
  Args args({&text, 1}, 0);
  const std::int64_t value = timeout_millis(args, kNow);
  EXPECT_TRUE(args.ok()) << text << ": " << args.error();
  return value;
}

std::string_view refusal(std::string_view text) {
  Args args({&text, 1}, 0);
  timeout_millis(args, kNow);
  return args.error();
}

TEST(Timeout, is_rounded_up_to_whole_milliseconds) {
  EXPECT_EQ(millis("1"), 1000);
  EXPECT_EQ(millis("0.5"), 500);
  EXPECT_EQ(millis("0.0001"), 1);
  EXPECT_EQ(millis("1e-30"), 1);
  EXPECT_EQ(millis("1.0001"), 1001);
}

TEST(Timeout, nothing_means_for_ever_and_so_does_less_than_a_millisecond_below) {
  EXPECT_EQ(millis("0"), 0);
  EXPECT_EQ(millis("-0"), 0);
  EXPECT_EQ(millis("-0.0001"), 0);
}

TEST(Timeout, one_that_ends_beyond_all_time_is_for_ever) {
  EXPECT_EQ(millis("9223372036854775"), 0);
  EXPECT_GT(millis("9000000000000000"), 0);
}

TEST(Timeout, negative_and_too_large_ones_are_refused_alike) {
  EXPECT_EQ(refusal("-1"), errors::kTimeoutNegative);
  EXPECT_EQ(refusal("-inf"), errors::kTimeoutNegative);
  EXPECT_EQ(refusal("inf"), errors::kTimeoutNegative);
  EXPECT_EQ(refusal("9223372036854776"), errors::kTimeoutNegative);
}

TEST(Timeout, what_is_no_number_is_refused) {
  for (const std::string_view text : {"", "x", " 1", "1 ", "nan", "1,5"}) {
    EXPECT_EQ(refusal(text), errors::kTimeoutNotFloat) << text;
  }
}

}  // namespace
}  // namespace fairlane::command
