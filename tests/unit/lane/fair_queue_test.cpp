#include "fairlane/lane/fair_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "fairlane/base/random.hpp"
#include "unit/lane/fair_model.hpp"

namespace fairlane::lane {
namespace {

constexpr std::uint64_t kSeed = 27;

std::string lane_name(std::uint64_t number) { return "lane" + std::to_string(number); }

struct Saved {
  FairQueue::Totals totals;
  std::vector<std::string> names;
  std::vector<FairQueue::LaneState> lanes;
};

Saved save(const FairQueue& queue) {
  Saved saved{queue.totals(), {}, {}};
  queue.for_each([&](const FairQueue::LaneState& lane) {
    saved.names.emplace_back(lane.name);
    saved.lanes.push_back(lane);
  });
  return saved;
}

void restore(FairQueue& queue, const Saved& saved, VirtualTime later = 0) {
  FairQueue::Totals totals = saved.totals;
  totals.now += later;
  queue.restore(totals);
  for (std::size_t i = saved.lanes.size(); i-- > 0;) {
    FairQueue::LaneState lane = saved.lanes[i];
    lane.name = saved.names[i];
    lane.start += later;
    queue.restore(lane);
  }
}

void expect_same_state(const FairQueue& queue, const FairModel& model) {
  std::size_t known = 0;
  std::size_t serviceable = 0;
  VirtualTime weights = 0;
  queue.for_each([&](const FairQueue::LaneState& state) {
    const auto found = model.lanes.find(std::string(state.name));
    ASSERT_NE(found, model.lanes.end());
    const FairModel::Lane& lane = found->second;
    ASSERT_TRUE(state.start == lane.start && state.fraction == lane.fraction) << state.name;
    ASSERT_TRUE(state.weight == lane.weight && state.lingering == lane.lingering) << state.name;
    ASSERT_EQ(state.sequence, lane.sequence) << state.name;
    ++known;
    serviceable += state.lingering ? 0 : 1;
    weights += state.weight;
  });
  ASSERT_EQ(known, model.lanes.size());
  ASSERT_EQ(queue.size(), serviceable);
  ASSERT_TRUE(weights == VirtualTime{queue.serviceable_weight()} + queue.lingering_weight());
  const FairQueue::Totals totals = queue.totals();
  ASSERT_TRUE(totals.now == model.now && totals.remainder == model.remainder && totals.divisor == model.divisor);
}

std::uint32_t some_weight(base::Random& random) {
  constexpr std::uint32_t kWeights[] = {1, 1, 1, 2, 3, 5, 10, 16, 100, 4096, 1'000'003, 4'294'967'295};
  return kWeights[random.below(std::size(kWeights))];
}

/// Calls one random function on the queue and on another that must do the same (a model, or a queue itself).
template <class Other>
void step(FairQueue& queue, Other& other, base::Random& random) {
  const std::string name = lane_name(random.below(40));
  const std::uint32_t weight = some_weight(random);
  const std::uint64_t cost = random.below(8) == 0 ? random.below(100) : 1;
  const auto kind = random.below(20);
  if (kind < 4) {
    queue.wake(name, weight);
    other.wake(name, weight);
  } else if (kind < 7) {
    queue.sleep(name);
    other.sleep(name);
  } else if (kind < 8) {
    queue.reweigh(name, weight);
    other.reweigh(name, weight);
  } else if (kind < 9) {
    const auto delta = static_cast<std::int64_t>(random.below(9)) - 4;
    queue.correct(name, delta);
    other.correct(name, delta);
  } else {
    const std::uint64_t expected = random.below(4) == 0 ? cost : 1;
    const auto pick = queue.peek(expected);
    const auto same = other.peek(expected);
    ASSERT_EQ(pick.has_value(), same.has_value());
    if (!pick) return;
    const std::string picked(pick->lane);
    if constexpr (std::is_same_v<Other, FairModel>) {
      ASSERT_EQ(picked, *same);
    } else {
      ASSERT_EQ(picked, same->lane);
    }
    queue.charge(pick->lane, cost);
    other.charge(picked, cost);
    if (random.below(4) != 0) return;
    queue.sleep(picked);
    other.sleep(picked);
  }
}

TEST(FairQueue, agrees_with_a_model_that_looks_at_every_lane) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  FairQueue queue;
  FairModel model;
  for (int count = 0; count < 200'000; ++count) {
    ASSERT_NO_FATAL_FAILURE(step(queue, model, random)) << "step " << count;
    if (count % 50 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_same_state(queue, model)) << "step " << count;
  }
}

TEST(FairQueue, picks_the_same_after_a_restore_at_any_time) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  FairQueue queue;
  FairQueue restored;
  for (int count = 0; count < 50'000; ++count) {
    if (count % 500 == 0) restore(restored, save(queue));
    ASSERT_NO_FATAL_FAILURE(step(queue, restored, random)) << "step " << count;
  }
}

TEST(FairQueue, picks_the_same_after_a_restore_with_shared_heaps) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  FairQueue queue;
  FairQueue restored;
  std::size_t most_shared = 0;
  for (int count = 0; count < 50'000; ++count) {
    if (count % 500 == 0) {
      const Saved saved = save(queue);
      restore(restored, saved);
      std::size_t shared = 0;
      for (const FairQueue::LaneState& lane : saved.lanes) shared += lane.shared ? 1 : 0;
      most_shared = std::max(most_shared, shared);
    }
    const std::string name = lane_name(random.below(200));
    const auto weight = static_cast<std::uint32_t>(1 + random.below(300));
    const auto kind = random.below(4);
    for (FairQueue* each : {&queue, &restored}) {
      if (kind == 0) each->wake(name, weight);
      if (kind == 1 && count % 3 != 0) each->sleep(name);
      if (kind == 2) each->reweigh(name, weight);
    }
    if (queue.size() == 0) continue;
    const std::string picked(queue.peek()->lane);
    ASSERT_EQ(picked, restored.peek()->lane) << "step " << count;
    queue.charge(picked, 1);
    restored.charge(picked, 1);
  }
  EXPECT_GT(most_shared, 20U);
}

TEST(FairQueue, the_clock_passes_2_to_the_64_without_a_trace) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  FairQueue queue;
  FairQueue later;
  for (int count = 0; count < 1'000; ++count) step(queue, later, random);
  constexpr VirtualTime kWrap = VirtualTime{1} << 64;
  const VirtualTime offset = kWrap - (VirtualTime{1} << 40) - queue.totals().now;
  restore(later, save(queue), offset);
  ASSERT_TRUE(later.totals().now < kWrap);
  for (int count = 0; count < 50'000; ++count) ASSERT_NO_FATAL_FAILURE(step(queue, later, random));
  EXPECT_TRUE(later.totals().now > kWrap);
  EXPECT_TRUE(later.totals().now == queue.totals().now + offset);
}

TEST(FairQueue, the_largest_costs_and_weights_do_not_overflow) {
  FairQueue queue;
  FairModel model;
  constexpr std::uint32_t kWeights[] = {1, 2, 3, 4'294'967'294, 4'294'967'295};
  for (std::uint32_t weight : kWeights) {
    queue.wake(std::to_string(weight), weight);
    model.wake(std::to_string(weight), weight);
  }
  base::Random random(kSeed);
  for (int count = 0; count < 5'000; ++count) {
    const std::uint64_t cost = FairQueue::kMaxCost - random.below(3);
    const std::string picked(queue.peek(cost)->lane);
    ASSERT_EQ(picked, *model.peek(cost));
    queue.charge(picked, cost);
    model.charge(picked, cost);
    const std::string other = std::to_string(kWeights[random.below(5)]);
    const std::uint32_t weight = kWeights[random.below(5)];
    queue.reweigh(other, weight);
    model.reweigh(other, weight);
    const auto delta = static_cast<std::int64_t>(random.next()) / 2;
    queue.correct(other, delta);
    model.correct(other, delta);
    ASSERT_NO_FATAL_FAILURE(expect_same_state(queue, model)) << "step " << count;
  }
}

TEST(FairQueue, equal_lanes_take_turns) {
  FairQueue queue;
  for (const char* name : {"a", "b", "c"}) queue.wake(name, 7);
  std::string order;
  for (int turn = 0; turn < 9; ++turn) {
    order += queue.peek()->lane;
    queue.charge(queue.peek()->lane, 1);
  }
  EXPECT_EQ(order, "abcabcabc");
}

TEST(FairQueue, an_empty_queue_picks_nothing_and_owns_no_memory) {
  FairQueue queue;
  EXPECT_FALSE(queue.peek());
  EXPECT_EQ(queue.memory(), 0U);
  queue.wake("a", 1);
  queue.charge("a", 1);
  queue.sleep("a");
  EXPECT_FALSE(queue.peek());
  queue.clear();
  EXPECT_FALSE(queue.knows("a"));
  EXPECT_EQ(queue.memory(), 0U);
}

TEST(FairQueue, a_lane_lingers_while_it_is_ahead_and_is_then_forgotten) {
  FairQueue queue;
  queue.wake("a", 1);
  queue.wake("b", 1);
  EXPECT_EQ(queue.peek()->lane, "a");
  queue.charge("a", 1);
  queue.sleep("a");
  queue.sleep("b");
  EXPECT_TRUE(queue.knows("a"));
  EXPECT_FALSE(queue.serviceable("a"));
  EXPECT_FALSE(queue.knows("b"));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.lingering_weight(), 1U);

  queue.wake("b", 1);
  queue.charge(queue.peek()->lane, 2);
  queue.peek();
  EXPECT_FALSE(queue.knows("a"));
  EXPECT_EQ(queue.weight("b"), 1U);
  EXPECT_EQ(queue.weight("a"), std::nullopt);
}

TEST(FairQueue, waking_and_putting_to_sleep_twice_is_as_once) {
  FairQueue queue;
  queue.wake("other", 1);
  queue.sleep("a");
  queue.wake("a", 2);
  queue.wake("a", 3);
  EXPECT_EQ(queue.weight("a"), 2U);
  EXPECT_EQ(queue.size(), 2U);
  queue.charge("a", 1);
  queue.sleep("a");
  queue.sleep("a");
  EXPECT_EQ(queue.lingering_weight(), 2U);
  queue.wake("a", 3);
  EXPECT_EQ(queue.weight("a"), 3U);
  EXPECT_EQ(queue.lingering_weight(), 0U);
}

}  // namespace
}  // namespace fairlane::lane
