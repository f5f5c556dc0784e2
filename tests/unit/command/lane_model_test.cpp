// Random operations on several queues in virtual time, beside a plain model of the contract that is compared with every
// key after each step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "unit/command/random_run.hpp"

namespace fairlane::command::lane_model {
namespace {

constexpr int kSteps = 200'000;
constexpr int kReplayedSteps = 20'000;

/// FAIRLANE_SEED chooses another run.
std::uint64_t chosen_seed() {
  const char* text = std::getenv("FAIRLANE_SEED");
  const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : 31;
  std::cout << "FAIRLANE_SEED=" << seed << "\n";
  return seed;
}

std::string last_of(const std::vector<Happened>& log) {
  std::string text;
  for (std::size_t i = log.size() - std::min<std::size_t>(log.size(), 20); i < log.size(); ++i) {
    text += shown(log[i]) + "\n";
  }
  return text;
}

TEST(LaneModel, every_key_and_reply_agrees_with_the_model_after_every_step) {
  RandomRun run(chosen_seed(), Log::latest);
  for (int step = 0; step < kSteps; ++step) {
    const std::string error = run.step();
    ASSERT_EQ(error, "") << "in step " << step << ", after\n" << last_of(run.log());
  }
}

TEST(LaneModel, the_same_operations_give_the_same_claims) {
  RandomRun run(chosen_seed(), Log::all);
  for (int step = 0; step < kReplayedSteps; ++step) ASSERT_EQ(run.step(), "");
  Recorder replay(Log::all);
  for (const Happened& happened : run.log()) {
    const Happened now = replay.again(happened);
    ASSERT_EQ(now, happened) << shown(now) << "\nbefore: " << shown(happened);
  }
}

}  // namespace
}  // namespace fairlane::command::lane_model
