#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "fairlane/data/hash.hpp"

namespace fairlane::data {
namespace {

const Hash::Limits kLimits;

TEST(HashDeadlines, a_hash_is_timed_from_the_first_deadline_on) {
  Hash hash;
  EXPECT_FALSE(hash.timed());
  hash.put("a", "1", kLimits);
  const std::size_t before = hash.memory();
  EXPECT_FALSE(hash.clear_deadline("a"));
  EXPECT_FALSE(hash.timed());
  EXPECT_EQ(hash.nearest_deadline(), std::nullopt);
  hash.set_deadline("a", 70);
  EXPECT_TRUE(hash.timed());
  EXPECT_EQ(hash.deadline("a"), 70);
  EXPECT_EQ(hash.nearest_deadline(), 70);
  EXPECT_GT(hash.memory(), before);
  EXPECT_TRUE(hash.clear_deadline("a"));
  EXPECT_FALSE(hash.clear_deadline("a"));
  EXPECT_TRUE(hash.timed());
  EXPECT_EQ(hash.nearest_deadline(), std::nullopt);
}

TEST(HashDeadlines, an_emptied_hash_is_empty_and_keeps_its_place_in_the_index) {
  Hash hash;
  hash.put("a", "1", kLimits);
  hash.set_deadline("a", 70);
  EXPECT_EQ(hash.index_position(), Hash::kNoPosition);
  hash.set_index_position(3);
  EXPECT_EQ(hash.clone().index_position(), Hash::kNoPosition);
  EXPECT_TRUE(hash.erase("a"));
  EXPECT_TRUE(hash.empty());
  EXPECT_FALSE(hash.all_due(100));
  EXPECT_EQ(hash.nearest_deadline(), std::nullopt);
  EXPECT_EQ(hash.index_position(), 3U);
  hash.put("a", "1", kLimits);
  hash.set_deadline("a", 70);
  hash.clear();
  EXPECT_TRUE(hash.empty());
  EXPECT_EQ(hash.index_position(), 3U);
}

TEST(HashDeadlines, the_last_instant_comes_back_to_the_millisecond) {
  constexpr std::int64_t kLast = (std::int64_t{1} << 53) - 1;
  Hash hash;
  hash.put("a", "1", kLimits);
  hash.set_deadline("a", kLast);
  EXPECT_EQ(hash.deadline("a"), kLast);
  EXPECT_FALSE(hash.all_due(kLast - 1));
  EXPECT_TRUE(hash.all_due(kLast));
  EXPECT_EQ(hash.erase_due(kLast - 1, 9), 0U);
  EXPECT_EQ(hash.erase_due(kLast, 9), 1U);
}

struct Field {
  std::string value;
  std::optional<std::int64_t> deadline;
};
using Model = std::map<std::string, Field>;

std::optional<std::int64_t> nearest(const Model& model) {
  std::optional<std::int64_t> found;
  for (const auto& [name, field] : model) {
    if (field.deadline && (!found || *field.deadline < *found)) found = field.deadline;
  }
  return found;
}

std::size_t erase_due(Model& model, std::int64_t now) {
  return std::erase_if(model, [now](const auto& pair) { return pair.second.deadline.value_or(INT64_MAX) <= now; });
}

void compare(const Hash& hash, const Model& model) {
  ASSERT_EQ(hash.size(), model.size());
  ASSERT_EQ(hash.nearest_deadline(), nearest(model));
  std::size_t visited = 0;
  hash.for_each([&](std::string_view name, std::string_view value) {
    const auto found = model.find(std::string(name));
    ASSERT_NE(found, model.end());
    EXPECT_EQ(value, found->second.value);
    EXPECT_EQ(hash.deadline(name), found->second.deadline);
    ++visited;
  });
  EXPECT_EQ(visited, model.size());
}

/// One random change of both, or of the model's instant.
void step(base::Random& random, const Hash::Limits& limits, Hash& hash, Model& model, std::int64_t& now) {
  const std::string name = "field:" + std::to_string(random.below(60));
  const std::string value = std::to_string(random.below(100000));
  const auto found = model.find(name);
  const bool there = found != model.end();
  switch (random.below(12)) {
    case 0:
    case 1:
      ASSERT_EQ(hash.put(name, value, limits) == Hash::Put::inserted, !there);
      model[name] = {value, std::nullopt};
      break;
    case 2:
      hash.put_keeping(name, value, limits);
      model[name].value = value;
      break;
    case 3:
      ASSERT_EQ(hash.erase(name), model.erase(name) == 1);
      break;
    case 4:
    case 5:
    case 6:
      if (!there) break;
      found->second.deadline = now + static_cast<std::int64_t>(random.below(1000));
      hash.set_deadline(name, *found->second.deadline);
      break;
    case 7:
      ASSERT_EQ(hash.clear_deadline(name), there && found->second.deadline.has_value());
      if (there) found->second.deadline.reset();
      break;
    case 8:
      hash.add(name, 5, limits);
      model[name].value = std::to_string((there ? std::stoll(found->second.value) : 0) + 5);
      break;
    case 9:
      if (!there || random.below(3) != 0) break;
      hash.count_down(name, limits);
      if (std::stoll(found->second.value) > 1) {
        found->second.value = std::to_string(std::stoll(found->second.value) - 1);
      } else {
        model.erase(found);
      }
      break;
    case 10:
      hash = hash.clone();
      break;
    default:
      now += static_cast<std::int64_t>(random.below(100));
      ASSERT_EQ(hash.all_due(now), !model.empty() && std::all_of(model.begin(), model.end(), [now](const auto& pair) {
                  return pair.second.deadline.value_or(INT64_MAX) <= now;
                }));
      ASSERT_EQ(hash.erase_due(now, 1000), erase_due(model, now));
  }
}

void run_model(std::uint64_t seed, const Hash::Limits& limits) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Random random(seed);
  Hash hash;
  Model model;
  std::int64_t now = 1'700'000'000'000;
  for (int i = 0; i < 50000 && !testing::Test::HasFailure(); ++i) {
    step(random, limits, hash, model, now);
    if (i % 20 == 0) compare(hash, model);
  }
}

TEST(HashDeadlines, random_operations_agree_with_a_map_while_packed) { run_model(21, Hash::Limits{512, 64}); }
TEST(HashDeadlines, random_operations_agree_with_a_map_as_a_table) { run_model(22, Hash::Limits{0, 64, 0}); }
TEST(HashDeadlines, random_operations_agree_with_a_map_across_both) { run_model(23, Hash::Limits{20, 64, 8}); }

}  // namespace
}  // namespace fairlane::data
