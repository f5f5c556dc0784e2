#include "command/sort_pattern.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {
namespace {

using namespace std::string_view_literals;

class SortPatternTest : public testing::Test {
 protected:
  SortPatternTest() {
    keys_.store_string("w_1", "one", engine::Deadline::clear);
    keys_.store_string("w_1_x", "17", engine::Deadline::clear);
    keys_.store_string("w_1->", "arrow", engine::Deadline::clear);
    auto hash = keys_.upsert<data::Hash>("o_1");
    hash->put("field", "value", {});
    hash.commit(engine::events::kHSet);
  }

  std::string find(std::string_view pattern, std::string_view element = "1") {
    return std::string(SortPattern(pattern).find(keys_, element).value_or("(none)"));
  }

  engine::Keyspace keyspace_{1};
  engine::Database& keys_ = keyspace_.at(0);
};

TEST_F(SortPatternTest, the_element_takes_the_place_of_the_star) {
  EXPECT_EQ(find("w_*"), "one");
  EXPECT_EQ(find("w_*_x"), "17");
  EXPECT_EQ(find("*", "w_1"), "one");
  EXPECT_EQ(find("w_*", "2"), "(none)");
}

TEST_F(SortPatternTest, an_arrow_names_a_field_unless_nothing_follows_it) {
  EXPECT_EQ(find("o_*->field"), "value");
  EXPECT_EQ(find("o_*->other"), "(none)");
  EXPECT_EQ(find("w_*->"), "arrow");
}

TEST_F(SortPatternTest, values_of_another_type_are_none) {
  EXPECT_EQ(find("o_*"), "(none)");
  EXPECT_EQ(find("w_*->field"), "(none)");
}

TEST_F(SortPatternTest, a_hash_sign_alone_is_the_element_and_no_star_is_nothing) {
  EXPECT_EQ(find("#"), "1");
  EXPECT_EQ(find("##"), "(none)");
  EXPECT_EQ(find("w_1"), "(none)");
  EXPECT_FALSE(SortPattern("w_1").has_star());
  EXPECT_FALSE(SortPattern("w_\0*"sv).has_star());
}

TEST(SortScore, reads_what_strtod_reads_without_loss) {
  EXPECT_EQ(parse_sort_score(""), 0.0);
  EXPECT_EQ(parse_sort_score("\0x"sv), 0.0);
  EXPECT_EQ(parse_sort_score(" \t5"), 5.0);
  EXPECT_EQ(parse_sort_score("1\0x"sv), 1.0);
  EXPECT_EQ(parse_sort_score("0x1p3"), 8.0);
  EXPECT_EQ(parse_sort_score("-inf"), -std::numeric_limits<double>::infinity());
  for (const auto text : {" ", "5 ", "-", "nan", "abc", "1e400", "1e-400", "1e-310"}) {
    EXPECT_EQ(parse_sort_score(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace fairlane::command
