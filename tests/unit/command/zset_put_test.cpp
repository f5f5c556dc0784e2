#include "command/zset_put.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace fairlane::command {
namespace {

using data::SortedSet;

bool negative(const SortedSet& set, std::string_view member) { return std::signbit(set.score(member).value()); }

TEST(ZsetPut, a_packed_set_has_no_negative_zero) {
  const SortedSet::Limits limits{.max_packed_entries = 2, .max_packed_value = 4};
  SortedSet set;
  put_score(set, "a", -0.0, limits);
  put_score(set, "b", 1, limits);
  put_score(set, "b", -0.0, limits);
  EXPECT_FALSE(negative(set, "a"));
  EXPECT_FALSE(negative(set, "b"));
  EXPECT_FALSE(set.large());
}

TEST(ZsetPut, the_member_that_outgrows_the_packed_form_keeps_it) {
  const SortedSet::Limits limits{.max_packed_entries = 2, .max_packed_value = 4};
  SortedSet set;
  put_score(set, "a", -0.0, limits);
  put_score(set, "b", -0.0, limits);
  put_score(set, "c", -0.0, limits);
  EXPECT_FALSE(negative(set, "a"));
  EXPECT_TRUE(negative(set, "c"));
  put_score(set, "d", -0.0, limits);
  EXPECT_TRUE(negative(set, "d"));
}

TEST(ZsetPut, a_long_member_keeps_it) {
  const SortedSet::Limits limits{.max_packed_entries = 2, .max_packed_value = 4};
  SortedSet set;
  put_score(set, "longer", -0.0, limits);
  EXPECT_TRUE(negative(set, "longer"));
}

}  // namespace
}  // namespace fairlane::command
