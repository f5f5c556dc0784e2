#include "fairlane/command/output_limit.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fairlane/engine/pubsub.hpp"

namespace fairlane::command {
namespace {

class OutputLimitsTest : public testing::Test {
 protected:
  OutputLimitsTest() { settings_.output_limits = {{{100000, 50000, 10}, {}, {200000, 0, 0}}}; }

  void write(std::size_t bytes) { session_.out.append(std::string(bytes, 'x')); }
  bool exceeded_at(int seconds) {
    return limits_.exceeded_for_long(session_, base::Steady(std::chrono::seconds(1000 + seconds)));
  }

  Settings settings_;
  OutputLimits limits_{settings_};
  Session session_;
};

TEST_F(OutputLimitsTest, hard_limit_is_exceeded_when_it_is_reached) {
  write(99999);
  EXPECT_FALSE(limits_.exceeded(session_));
  write(1);
  EXPECT_TRUE(limits_.exceeded(session_));
}

TEST_F(OutputLimitsTest, what_was_sent_does_not_count) {
  write(150000);
  session_.sent = 60000;
  EXPECT_FALSE(limits_.exceeded(session_));
}

TEST_F(OutputLimitsTest, subscribers_have_limits_of_their_own) {
  engine::PubSub pubsub;
  pubsub.subscribe(session_, engine::Topic::channel, "channel");
  write(150000);
  EXPECT_FALSE(limits_.exceeded(session_));
  write(50000);
  EXPECT_TRUE(limits_.exceeded(session_));
  pubsub.leave(session_);
}

TEST_F(OutputLimitsTest, zero_is_no_limit) {
  settings_.output_limits = {};
  write(10000000);
  EXPECT_FALSE(limits_.exceeded(session_));
  EXPECT_FALSE(exceeded_at(0));
  EXPECT_FALSE(exceeded_at(1000));
}

TEST_F(OutputLimitsTest, small_output_is_never_too_much) {
  settings_.output_limits = {{{1, 1, 0}, {}, {}}};
  write(16 * 1024);
  EXPECT_FALSE(limits_.exceeded(session_));
  write(1);
  EXPECT_TRUE(limits_.exceeded(session_));
}

TEST_F(OutputLimitsTest, soft_limit_counts_the_time_without_a_break) {
  write(60000);
  EXPECT_FALSE(exceeded_at(0));
  EXPECT_FALSE(exceeded_at(10));
  session_.out.clear();
  EXPECT_FALSE(exceeded_at(11));
  write(60000);
  EXPECT_FALSE(exceeded_at(12));
  EXPECT_FALSE(exceeded_at(22));
  EXPECT_TRUE(exceeded_at(23));
}

}  // namespace
}  // namespace fairlane::command
