#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "fairlane/base/random.hpp"
#include "fairlane/lane/fair_queue.hpp"

namespace fairlane::lane {
namespace {

constexpr std::uint64_t kSeed = 31;
constexpr double kRounding = 1e-6;

std::string lane_name(std::uint64_t number) { return "lane" + std::to_string(number); }

/// A queue beside an ideal server that works on all serviceable lanes at once.
struct Drill {
  FairQueue queue;
  std::map<std::string, std::uint32_t, std::less<>> weights;  // of the serviceable lanes
  std::map<std::string, double, std::less<>> ideal;
  std::map<std::string, std::uint64_t, std::less<>> served;
  double least_lag = 0;
  double most_lag = 0;

  void wake(const std::string& name, std::uint32_t weight) {
    queue.wake(name, weight);
    weights.emplace(name, weight);
  }
  void sleep(const std::string& name) {
    queue.sleep(name);
    weights.erase(name);
  }
  void reweigh(const std::string& name, std::uint32_t weight) {
    queue.reweigh(name, weight);
    weights[name] = weight;
  }
  std::string pick() {
    const std::string name(queue.peek()->lane);
    queue.charge(name, 1);
    ++served[name];
    return name;
  }
  /// A pick, and the ideal server does as much; lags are only kept while no lane sleeps.
  std::string pick_and_measure() {
    std::string name = pick();
    double total = 0;
    for (const auto& lane : weights) total += lane.second;
    for (const auto& [lane, weight] : weights) {
      double& due = ideal[lane];
      due += weight / total;
      const double lag = due - static_cast<double>(served[lane]);
      least_lag = std::min(least_lag, lag);
      most_lag = std::max(most_lag, lag);
    }
    return name;
  }
  double share(const std::string& name, double of_all, int picks) {
    return static_cast<double>(served[name]) / (of_all * picks);
  }
};

std::uint64_t wait_limit(const FairQueue& queue, std::uint32_t weight) {
  const std::uint64_t total = queue.serviceable_weight() + queue.lingering_weight();
  return (total + weight - 1) / weight + 1;
}

TEST(FairQueueGuarantees, a_lane_is_never_more_than_a_job_from_the_ideal) {
  Drill drill;
  for (std::uint32_t lane = 0; lane < 100; ++lane) drill.wake(lane_name(lane), 1 + lane % 16);
  for (int pick = 0; pick < 50'000; ++pick) drill.pick_and_measure();
  EXPECT_GE(drill.least_lag, -1 - kRounding);
  EXPECT_LE(drill.most_lag, 1 + kRounding);
}

TEST(FairQueueGuarantees, changing_weights_keep_lanes_within_a_job_of_the_ideal) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  Drill drill;
  for (std::uint32_t lane = 0; lane < 100; ++lane) drill.wake(lane_name(lane), 1 + lane % 16);
  for (int pick = 0; pick < 50'000; ++pick) {
    if (pick % 100 == 0) drill.reweigh(lane_name(random.below(100)), 1 + static_cast<std::uint32_t>(random.below(16)));
    drill.pick_and_measure();
  }
  EXPECT_GE(drill.least_lag, -1 - kRounding);
  EXPECT_LE(drill.most_lag, 1 + kRounding);
}

TEST(FairQueueGuarantees, a_heavy_lane_is_served_evenly_and_not_in_bursts) {
  Drill drill;
  drill.wake("heavy", 100);
  for (std::uint32_t lane = 0; lane < 100; ++lane) drill.wake(lane_name(lane), 1);
  int longest = 0;
  int run = 0;
  for (int pick = 0; pick < 20'000; ++pick) {
    run = drill.pick() == "heavy" ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  EXPECT_LE(longest, 2);
  EXPECT_EQ(drill.served["heavy"], 10'000U);
}

TEST(FairQueueGuarantees, light_traffic_with_a_high_weight_does_not_wait_for_the_heavy) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  constexpr std::uint32_t kHeavy = 200;
  constexpr std::uint32_t kLight = 20;
  constexpr std::uint32_t kWeight = 20;
  constexpr std::uint64_t kTotal = kHeavy + kLight * kWeight;
  constexpr std::uint64_t kPeriod = 2 * kTotal / kWeight;  // half of what its weight entitles to
  Drill drill;
  for (std::uint32_t lane = 0; lane < kHeavy; ++lane) drill.wake("heavy" + lane_name(lane), 1);
  std::vector<std::uint64_t> phases;
  std::map<std::string, std::vector<std::uint64_t>> waiting;
  for (std::uint32_t lane = 0; lane < kLight; ++lane) phases.push_back(random.below(kPeriod));
  std::vector<std::uint64_t> waits;
  for (std::uint64_t now = 0; now < 60'000; ++now) {
    for (std::uint32_t lane = 0; lane < kLight; ++lane) {
      if (now % kPeriod != phases[lane]) continue;
      waiting[lane_name(lane)].push_back(now);
      drill.wake(lane_name(lane), kWeight);
    }
    const std::string picked = drill.pick();
    const auto queue = waiting.find(picked);
    if (queue == waiting.end()) continue;
    waits.push_back(now + 1 - queue->second.front());
    queue->second.erase(queue->second.begin());
    if (queue->second.empty()) drill.sleep(picked);
  }
  std::sort(waits.begin(), waits.end());
  EXPECT_LE(waits[waits.size() * 99 / 100], kTotal / kWeight + 1);
}

TEST(FairQueueGuarantees, one_job_at_a_time_gets_the_whole_share) {
  for (int delay = 0; delay <= 8; ++delay) {
    SCOPED_TRACE(delay);
    Drill drill;
    for (std::uint32_t lane = 0; lane < 100; ++lane) drill.wake(lane_name(lane), 1);
    drill.wake("loop", 10);
    int back = -1;
    constexpr int kPicks = 55'000;
    for (int pick = 0; pick < kPicks; ++pick) {
      if (pick == back) drill.wake("loop", 10);
      if (drill.pick() != "loop") continue;
      drill.sleep("loop");
      back = pick + 1 + delay;
      if (delay == 0) drill.wake("loop", 10);
    }
    EXPECT_GE(drill.share("loop", 10.0 / 110, kPicks), 0.98);
    EXPECT_LE(drill.share("loop", 10.0 / 110, kPicks), 1.02);
  }
}

TEST(FairQueueGuarantees, coming_and_going_gains_nothing) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  for (std::uint64_t odds = 1; odds <= 4; ++odds) {
    SCOPED_TRACE(odds);
    Drill drill;
    for (std::uint32_t lane = 0; lane < 100; ++lane) drill.wake(lane_name(lane), lane < 90 ? 1 : 1 + lane % 3);
    constexpr int kPicks = 50'000;
    for (int pick = 0; pick < kPicks; ++pick) {
      drill.pick();
      drill.sleep(lane_name(99));
      if (random.below(odds) == 0) drill.wake(lane_name(99), 1);
      for (std::uint32_t lane = 95; lane < 99; ++lane) {
        if (random.below(2) == 0) drill.sleep(lane_name(lane));
        drill.wake(lane_name(lane), 1 + lane % 3);
      }
    }
    constexpr double kTotal = 90 + 19;
    for (std::uint32_t lane = 95; lane < 100; ++lane) {
      const double weight = lane == 99 ? 1 : 1 + lane % 3;
      EXPECT_LE(drill.share(lane_name(lane), weight / kTotal, kPicks), 1.02) << lane;
    }
  }
}

TEST(FairQueueGuarantees, leaving_after_each_service_gains_nothing_and_delays_nobody) {
  for (std::uint32_t weight : {2U, 10U, 50U}) {
    Drill drill;
    for (std::uint32_t lane = 0; lane < 100; ++lane) drill.wake(lane_name(lane), 1);
    drill.wake("flapping", weight);
    constexpr int kPicks = 50'000;
    for (int pick = 0; pick < kPicks; ++pick) {
      if (drill.pick() != "flapping") continue;
      drill.sleep("flapping");
      drill.wake("flapping", weight);
    }
    EXPECT_LE(drill.share("flapping", weight / (100.0 + weight), kPicks), 1.02) << weight;
  }

  // Were the debt of a slow lane forgotten, the clock would be ahead of all others, and a new lane would wait for them.
  FairQueue queue;
  queue.wake("slow", 1);
  for (std::uint32_t lane = 0; lane < 10; ++lane) queue.wake(lane_name(lane), 100);
  const auto pick = [&] {
    std::string name(queue.peek()->lane);
    queue.charge(name, 1);
    if (name == "slow") {
      queue.sleep(name);
      queue.wake(name, 1);
    }
    return name;
  };
  for (int round = 0; round < 500; ++round) {
    for (int picks = 0; picks < 37; ++picks) pick();
    queue.wake("new", 100);
    const std::uint64_t limit = wait_limit(queue, 100);
    std::uint64_t picks = 1;
    while (pick() != "new") ++picks;
    ASSERT_LE(picks, limit) << "round " << round;
    queue.sleep("new");
  }
}

/// A random change to one of sixty lanes.
void churn(Drill& drill, base::Random& random) {
  const std::string name = lane_name(random.below(60));
  const auto weight = 1 + static_cast<std::uint32_t>(random.below(16));
  switch (random.below(3)) {
    case 0:
      drill.wake(name, weight);
      break;
    case 1:
      drill.sleep(name);
      break;
    default:
      if (drill.weights.count(name) != 0) drill.reweigh(name, weight);
  }
}

TEST(FairQueueGuarantees, a_new_lane_is_picked_within_its_round) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  Drill drill;
  for (std::uint32_t lane = 0; lane < 10; ++lane) drill.wake("steady" + lane_name(lane), 1 + lane);
  for (int round = 0; round < 2'000; ++round) {
    for (int pick = 0; pick < 100; ++pick) {
      churn(drill, random);
      const std::string picked = drill.pick();
      if (random.below(4) != 0) continue;
      const std::uint32_t weight = drill.weights[picked];
      drill.sleep(picked);
      if (picked.starts_with("steady") || random.below(2) == 0) drill.wake(picked, weight);
    }
    const std::string fresh = "new" + lane_name(static_cast<std::uint64_t>(round));
    const auto weight = 1 + static_cast<std::uint32_t>(random.below(40));
    drill.wake(fresh, weight);
    const std::uint64_t limit = wait_limit(drill.queue, weight);
    std::uint64_t picks = 1;
    while (drill.pick() != fresh) ++picks;
    ASSERT_LE(picks, limit) << "round " << round << " weight " << weight;
    drill.sleep(fresh);
  }
}

TEST(FairQueueGuarantees, a_flood_does_not_delay_a_new_lane) {
  FairQueue queue;
  queue.wake("flood", 1);
  for (int job = 0; job < 100'000; ++job) {
    ASSERT_EQ(queue.peek()->lane, "flood");
    queue.charge("flood", 1);
    if (job % 1000 != 0) continue;
    const std::string name = lane_name(static_cast<std::uint64_t>(job));
    queue.wake(name, 1);
    int picks = 1;
    for (; queue.peek()->lane != name; ++picks) queue.charge("flood", 1);
    ASSERT_LE(picks, 3);
    queue.charge(name, 1);
    queue.sleep(name);
  }
}

TEST(FairQueueGuarantees, two_lanes_always_serviceable_keep_their_proportion_whatever_others_do) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  Drill drill;
  constexpr std::uint32_t kWeights[] = {1, 3, 7, 40};
  for (std::uint32_t weight : kWeights) drill.wake("steady" + std::to_string(weight), weight);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> extremes;
  for (int pick = 0; pick < 50'000; ++pick) {
    for (std::uint64_t changes = random.below(4); changes > 0; --changes) churn(drill, random);
    drill.pick();
    for (std::uint32_t left : kWeights) {
      for (std::uint32_t right : kWeights) {
        if (left >= right) continue;
        const double apart = static_cast<double>(drill.served["steady" + std::to_string(left)]) / left -
                             static_cast<double>(drill.served["steady" + std::to_string(right)]) / right;
        auto& [least, most] = extremes[{left, right}];
        least = std::min(least, apart);
        most = std::max(most, apart);
      }
    }
  }
  for (const auto& [weights, range] : extremes) {
    const double bound = 1.0 / weights.first + 1.0 / weights.second + kRounding;
    EXPECT_GE(range.first, -bound) << weights.first << " and " << weights.second;
    EXPECT_LE(range.second, bound) << weights.first << " and " << weights.second;
  }
}

TEST(FairQueueGuarantees, corrected_charges_share_the_cost_and_do_not_delay_a_new_lane) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  FairQueue queue;
  constexpr std::uint32_t kLanes = 10;
  constexpr std::uint64_t kEstimate = 100;
  std::map<std::string, std::uint64_t, std::less<>> spent;
  std::uint64_t sum = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) queue.wake(lane_name(lane), 1 + lane % 3);
  for (int pick = 0; pick < 50'000; ++pick) {
    const std::string picked(queue.peek(kEstimate)->lane);
    queue.charge(picked, kEstimate);
    // Some lanes' jobs take longer than estimated, but all together much less.
    const std::uint64_t actual = picked == lane_name(3) ? 150 : 10 + random.below(30);
    queue.correct(picked, static_cast<std::int64_t>(actual) - static_cast<std::int64_t>(kEstimate));
    spent[picked] += actual;
    sum += actual;
  }
  const double total = static_cast<double>(queue.serviceable_weight());
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const double share = static_cast<double>(spent[lane_name(lane)]) / static_cast<double>(sum);
    EXPECT_NEAR(share * total / (1 + lane % 3), 1, 0.01) << lane;
  }
  queue.wake("new", 1);
  int picks = 1;
  for (; queue.peek(kEstimate)->lane != "new"; ++picks) queue.charge(queue.peek(kEstimate)->lane, kEstimate);
  EXPECT_LE(picks, static_cast<int>(total) + 2);
}

TEST(FairQueueGuarantees, a_batch_is_paid_for_before_the_next) {
  FairQueue queue;
  queue.wake("batches", 1);
  queue.wake("single", 1);
  std::map<std::string, std::uint64_t, std::less<>> jobs;
  for (int pick = 0; pick < 11'000; ++pick) {
    const std::string picked(queue.peek()->lane);
    const std::uint64_t batch = picked == "batches" ? 10 : 1;
    jobs[picked] += batch;
    queue.charge(picked, batch);
  }
  EXPECT_EQ(jobs["batches"], jobs["single"]);
}

TEST(FairQueueGuarantees, more_weights_than_heaps_keep_exact_shares) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  Drill drill;
  for (std::uint64_t lane = 0; lane < 300; ++lane) {
    drill.wake(lane_name(lane),
               static_cast<std::uint32_t>(std::pow(2.0, static_cast<double>(random.below(1200)) / 100)));
  }
  std::size_t shared = 0;
  drill.queue.for_each([&](const FairQueue::LaneState& lane) { shared += lane.shared ? 1 : 0; });
  ASSERT_GT(shared, 100U);
  for (int pick = 0; pick < 15'000; ++pick) drill.pick_and_measure();
  EXPECT_GE(drill.least_lag, -1 - kRounding);
  EXPECT_LE(drill.most_lag, 1.5);
}

TEST(FairQueueGuarantees, the_heaviest_weights_share_exactly) {
  Drill drill;
  drill.wake("a", 4'294'967'295);
  drill.wake("b", 3'000'000'000);
  drill.wake("c", 1);
  constexpr int kPicks = 100'000;
  for (int pick = 0; pick < kPicks; ++pick) drill.pick();
  EXPECT_NEAR(drill.share("a", 4'294'967'295.0 / 7'294'967'296.0, kPicks), 1, 1e-4);
  EXPECT_NEAR(drill.share("b", 3'000'000'000.0 / 7'294'967'296.0, kPicks), 1, 1e-4);
}

}  // namespace
}  // namespace fairlane::lane
