#include "fairlane/data/set.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "data/intset.hpp"

namespace fairlane::data {
namespace {

const Set::Limits kLimits;

std::vector<std::string> members_of(const Set& set) {
  std::vector<std::string> members;
  set.for_each([&](std::string_view member) { members.emplace_back(member); });
  return members;
}

std::string member_of(std::uint64_t number) { return "member:" + std::to_string(number); }

TEST(Set, an_empty_set_owns_nothing) {
  Set set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.size(), 0U);
  EXPECT_FALSE(set.is_intset());
  EXPECT_FALSE(set.contains("a"));
  EXPECT_FALSE(set.erase("a"));
  EXPECT_EQ(set.memory(), 0U);
  EXPECT_EQ(set.scan(0, 10, [](auto) { FAIL(); }), 0U);
  EXPECT_TRUE(set.clone().empty());
}

TEST(Set, only_canonical_texts_are_integers) {
  for (const char* text : {"0", "-1", "7", "9223372036854775807", "-9223372036854775808"}) {
    Set set;
    set.add(text, kLimits);
    EXPECT_TRUE(set.is_intset()) << text;
    EXPECT_EQ(members_of(set), std::vector<std::string>{text});
  }
  for (const char* text : {"", "-", "-0", "+1", "01", "00", "1 ", " 1", "1e3", "1.0", "9223372036854775808",
                           "-9223372036854775809", "123456789012345678901"}) {
    Set set;
    set.add(text, kLimits);
    EXPECT_FALSE(set.is_intset()) << text;
    EXPECT_TRUE(set.contains(text));
  }
}

TEST(Set, an_intset_is_ascending_and_widens_as_needed) {
  Set set;
  std::set<std::int64_t> model;
  for (const std::int64_t value : {5LL, -3LL, 32767LL, -32768LL, 32768LL, 0LL, 2147483647LL, -2147483648LL,
                                   2147483648LL, -2147483649LL, 9223372036854775807LL, 1LL}) {
    EXPECT_TRUE(set.add(std::to_string(value), kLimits));
    EXPECT_FALSE(set.add(std::to_string(value), kLimits));
    model.insert(value);
    std::vector<std::string> expected;
    for (const std::int64_t one : model) expected.push_back(std::to_string(one));
    ASSERT_EQ(members_of(set), expected);
  }
  EXPECT_TRUE(set.is_intset());
  EXPECT_FALSE(set.contains("2"));
  EXPECT_FALSE(set.contains("05"));
}

TEST(Set, an_intset_becomes_a_table_with_one_member_more_than_the_limit) {
  Set set;
  for (int i = 0; i < 512; ++i) set.add(std::to_string(i), kLimits);
  EXPECT_TRUE(set.is_intset());
  EXPECT_FALSE(set.add("5", kLimits));
  EXPECT_TRUE(set.is_intset());
  EXPECT_TRUE(set.add("512", kLimits));
  EXPECT_FALSE(set.is_intset());
  EXPECT_EQ(set.size(), 513U);
  for (int i = 0; i <= 512; ++i) ASSERT_TRUE(set.contains(std::to_string(i)));
}

TEST(Set, once_not_an_intset_it_never_becomes_one_again) {
  Set set;
  set.add("1", kLimits);
  set.add("a", kLimits);
  EXPECT_FALSE(set.is_intset());
  EXPECT_EQ(members_of(set), (std::vector<std::string>{"1", "a"}));
  set.erase("a");
  set.add("2", kLimits);
  EXPECT_FALSE(set.is_intset());
  set.erase("1");
  set.erase("2");
  EXPECT_TRUE(set.empty());
  set.add("3", kLimits);
  EXPECT_TRUE(set.is_intset());
}

TEST(Set, a_large_intset_turns_into_a_table_for_a_text) {
  Set set;
  for (int i = 0; i < 300; ++i) set.add(std::to_string(i * 1000000), kLimits);
  set.add("text", kLimits);
  EXPECT_EQ(set.size(), 301U);
  EXPECT_TRUE(set.contains("text"));
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(set.contains(std::to_string(i * 1000000)));
}

TEST(Set, small_texts_are_packed_and_cheaper_than_a_table) {
  Set small;
  Set large;
  for (std::uint64_t i = 0; i < 60; ++i) {
    small.add(member_of(i), kLimits);
    large.add(member_of(i), Set::Limits{512, 0, 64});
  }
  EXPECT_EQ(members_of(small).front(), member_of(0));
  EXPECT_EQ(members_of(small).back(), member_of(59));
  EXPECT_LT(small.memory() * 2, large.memory());
  const std::size_t before = small.memory();
  small.add(std::string(65, 'x'), kLimits);
  EXPECT_GT(small.memory(), before * 2);
  EXPECT_EQ(small.size(), 61U);
}

TEST(Set, known_texts_and_long_ones_are_ordinary_members) {
  Set set;
  const Set::Limits limits{512, 64, 100000};
  for (const std::size_t length : {127U, 128U, 16383U, 16384U}) EXPECT_TRUE(set.add(std::string(length, 'x'), limits));
  EXPECT_TRUE(set.add("state", limits));
  EXPECT_FALSE(set.add("state", limits));
  for (const std::size_t length : {127U, 128U, 16383U, 16384U}) EXPECT_TRUE(set.erase(std::string(length, 'x')));
  EXPECT_EQ(members_of(set), std::vector<std::string>{"state"});
}

TEST(Set, random_is_fair_and_pop_takes_all) {
  base::Random random(77);
  for (const bool integers : {true, false}) {
    for (const std::uint64_t size : {1ULL, 20ULL, 600ULL}) {
      Set set;
      for (std::uint64_t i = 0; i < size; ++i) set.add(integers ? std::to_string(i) : member_of(i), kLimits);
      std::map<std::string, int> drawn;
      Set::Scratch scratch;
      for (std::uint64_t i = 0; i < size * 100; ++i) ++drawn[std::string(set.random(random, scratch))];
      EXPECT_EQ(drawn.size(), size);
      for (const auto& [member, times] : drawn) EXPECT_GT(times, 40) << member;
      std::set<std::string> popped;
      while (!set.empty()) EXPECT_TRUE(popped.insert(set.pop(random)).second);
      EXPECT_EQ(popped.size(), size);
    }
  }
}

TEST(Set, clone_is_equal_and_apart) {
  for (const bool integers : {true, false}) {
    for (const std::uint64_t size : {3ULL, 40ULL, 2000ULL}) {
      Set set;
      for (std::uint64_t i = 0; i < size; ++i) set.add(integers ? std::to_string(i) : member_of(i), kLimits);
      Set copy = set.clone();
      EXPECT_EQ(copy.is_intset(), set.is_intset());
      EXPECT_EQ(copy.size(), size);
      copy.add("more", kLimits);
      copy.erase(integers ? "1" : member_of(1));
      EXPECT_EQ(set.size(), size);
      EXPECT_FALSE(set.contains("more"));
      Set moved = std::move(copy);
      EXPECT_TRUE(copy.empty());  // NOLINT(bugprone-use-after-move): that is the promise under test
      EXPECT_TRUE(moved.contains("more"));
    }
  }
}

TEST(Set, scan_visits_all_that_stays) {
  Set set;
  for (std::uint64_t i = 0; i < 3000; ++i) set.add(member_of(i), kLimits);
  std::set<std::string> seen;
  std::uint64_t cursor = 0;
  std::uint64_t erased = 2999;
  do {
    cursor = set.scan(cursor, 10, [&](std::string_view member) { seen.emplace(member); });
    for (int i = 0; i < 20 && erased > 500; ++i) set.erase(member_of(erased--));
  } while (cursor != 0);
  for (std::uint64_t i = 0; i <= erased; ++i) ASSERT_EQ(seen.count(member_of(i)), 1U);
}

/// Random additions and removals, checked against a set of texts after every step.
void run_model(std::uint64_t seed, const Set::Limits& limits, std::uint64_t integers_percent) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Random random(seed);
  Set set;
  std::unordered_set<std::string> model;
  bool intset = true;
  for (int step = 0; step < 20000; ++step) {
    const bool integer = random.below(100) < integers_percent;
    const std::int64_t value = static_cast<std::int64_t>(random.below(60)) - 30;
    const int shift = static_cast<int>(random.below(3)) * 20;
    const std::string member = integer ? std::to_string(value * (1LL << shift)) : member_of(random.below(90));
    const std::uint64_t percent = random.below(100);
    if (percent < 50) {
      const bool fresh = model.insert(member).second;
      ASSERT_EQ(set.add(member, limits), fresh);
      intset = intset && integer && model.size() <= limits.max_intset_entries;
    } else if (percent < 95) {
      ASSERT_EQ(set.erase(member), model.erase(member) == 1);
    } else if (percent < 97) {
      set = set.clone();
    } else if (step % 20 == 0) {
      set.clear();
      model.clear();
    }
    if (model.empty()) intset = true;
    ASSERT_EQ(set.size(), model.size());
    ASSERT_EQ(set.empty(), model.empty());
    ASSERT_EQ(set.is_intset(), intset && !model.empty());
    ASSERT_EQ(set.contains(member), model.count(member) == 1);
    if (step % 100 == 0) {
      const auto members = members_of(set);
      ASSERT_EQ(members.size(), model.size());
      for (const std::string& one : members) ASSERT_EQ(model.count(one), 1U);
    }
  }
}

TEST(Set, random_operations_agree_with_a_model_as_an_intset) { run_model(1, kLimits, 100); }
TEST(Set, random_operations_agree_with_a_model_as_a_small_intset) { run_model(2, Set::Limits{20, 64, 64}, 100); }
TEST(Set, random_operations_agree_with_a_model_while_packed) { run_model(3, Set::Limits{512, 1000, 64}, 50); }
TEST(Set, random_operations_agree_with_a_model_as_a_table) { run_model(4, Set::Limits{0, 0, 64}, 50); }
TEST(Set, random_operations_agree_with_a_model_across_all) { run_model(5, Set::Limits{30, 40, 64}, 95); }

}  // namespace
}  // namespace fairlane::data
