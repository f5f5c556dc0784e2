#include "fairlane/lane/ring_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "fairlane/base/random.hpp"

namespace fairlane::lane {
namespace {

constexpr std::uint64_t kSeed = 20;

std::deque<std::string> contents(const data::List& ring) {
  std::deque<std::string> lanes;
  ring.for_each(0, ring.size(), [&](std::string_view name) { lanes.emplace_back(name); });
  return lanes;
}

/// What anybody may do to the list: rotate it, take a lane out or in, replace it by another list.
void change_from_outside(data::List& ring, std::deque<std::string>& model, base::Random& random) {
  switch (random.below(4)) {
    case 0:
      ring.rotate(data::Direction::backward);
      if (!model.empty()) {
        model.push_front(model.back());
        model.pop_back();
      }
      break;
    case 1: {
      if (model.empty()) break;
      const std::string name = model[random.below(model.size())];
      ring.erase_matching(name, 1, data::Direction::forward);
      model.erase(std::find(model.begin(), model.end(), name));
      break;
    }
    case 2: {
      data::List other;
      model.clear();
      for (std::uint64_t i = random.below(5); i > 0; --i) {
        model.push_back("other" + std::to_string(i));
        other.push_back(model.back());
      }
      ring = std::move(other);
      break;
    }
    default:
      ring = ring.clone();
  }
}

void change_through_index(RingIndex& index, data::List& ring, std::deque<std::string>& model, base::Random& random) {
  const std::string name = "lane" + std::to_string(random.below(200));
  bool changed = false;
  const bool there = std::find(model.begin(), model.end(), name) != model.end();
  switch (random.below(4)) {
    case 0:
    case 1:
      ASSERT_EQ(index.contains(ring, name, changed), there);
      if (there) {
        index.remove(ring, name);
        model.erase(std::find(model.begin(), model.end(), name));
      } else {
        index.append(ring, name);
        model.push_back(name);
      }
      break;
    case 2:
      if (model.empty()) break;
      index.rotate(ring);
      model.push_back(model.front());
      model.pop_front();
      break;
    default:
      if (model.empty() || random.below(3) != 0) break;
      index.drop_head(ring);
      model.pop_front();
  }
  ASSERT_FALSE(changed);
}

TEST(RingIndex, agrees_with_a_model_while_others_change_the_list_too) {
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  VersionStamps stamps;
  RingIndex index(stamps);
  data::List ring;
  std::deque<std::string> model;
  for (int step = 0; step < 20'000; ++step) {
    if (random.below(50) == 0) {
      change_from_outside(ring, model, random);
    } else {
      index.attach(ring);
      ASSERT_NO_FATAL_FAILURE(change_through_index(index, ring, model, random)) << "step " << step;
    }
    ASSERT_EQ(contents(ring), model) << "step " << step;
    ASSERT_TRUE(ring.consistent());
  }
}

TEST(RingIndex, a_list_that_took_the_place_of_a_known_one_is_not_mistaken_for_it) {
  VersionStamps stamps;
  RingIndex index(stamps);
  data::List first;
  index.attach(first);
  index.append(first, "a");
  index.append(first, "b");
  EXPECT_TRUE(index.knows(first));

  data::List second;
  second.push_back("c");
  second.push_back("d");
  EXPECT_FALSE(index.knows(second));
  EXPECT_FALSE(index.knows(data::List()));
  EXPECT_FALSE(index.knows(first.clone()));

  // The known list comes back unchanged, as RENAME can do.
  const data::List back = std::move(first);
  EXPECT_TRUE(index.knows(back));
}

TEST(RingIndex, a_rebuild_leaves_one_mention_of_each_lane) {
  VersionStamps stamps;
  RingIndex index(stamps);
  data::List ring;
  for (const char* name : {"a", "b", "a", "c", "b", "a"}) ring.push_back(name);
  index.attach(ring);
  bool changed = false;
  EXPECT_TRUE(index.contains(ring, "a", changed));
  EXPECT_TRUE(changed);
  EXPECT_EQ(contents(ring), (std::deque<std::string>{"a", "b", "c"}));
  index.remove(ring, "a");
  changed = false;
  EXPECT_FALSE(index.contains(ring, "a", changed));
  EXPECT_FALSE(changed);
}

TEST(RingIndex, lanes_are_found_after_a_rotation_through_many_chunks) {
  VersionStamps stamps;
  RingIndex index(stamps);
  data::List ring;
  index.attach(ring);
  constexpr int kLanes = 20'000;
  for (int lane = 0; lane < kLanes; ++lane) index.append(ring, "lane" + std::to_string(lane));
  for (int turn = 0; turn < kLanes + kLanes / 2; ++turn) index.rotate(ring);
  EXPECT_EQ(ring.front(), "lane" + std::to_string(kLanes / 2));
  for (int lane = 0; lane < kLanes; lane += 3) index.remove(ring, "lane" + std::to_string(lane));
  EXPECT_EQ(ring.size(), index.size());
  EXPECT_TRUE(ring.consistent());
}

}  // namespace
}  // namespace fairlane::lane
