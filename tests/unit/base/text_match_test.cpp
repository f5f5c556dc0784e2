#include "fairlane/base/text_match.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fairlane::base {
namespace {

using namespace std::string_view_literals;

TEST(TextMatch, plain_text_matches_itself_only) {
  EXPECT_TRUE(glob_match("abc", "abc"));
  EXPECT_FALSE(glob_match("abc", "abd"));
  EXPECT_FALSE(glob_match("abc", "abcd"));
  EXPECT_FALSE(glob_match("abc", "ab"));
  EXPECT_FALSE(glob_match("abc", "ABC"));
  EXPECT_TRUE(glob_match("a\0b"sv, "a\0b"sv));
}

TEST(TextMatch, a_star_takes_any_run_and_a_question_mark_one_byte) {
  EXPECT_TRUE(glob_match("*", "x"));
  EXPECT_TRUE(glob_match("a*", "a"));
  EXPECT_TRUE(glob_match("a**c", "abbc"));
  EXPECT_TRUE(glob_match("*ab*ba", "aabxbaba"));
  EXPECT_FALSE(glob_match("*ab*ba", "aabxbab"));
  EXPECT_TRUE(glob_match("h?llo", "hello"));
  EXPECT_FALSE(glob_match("h?llo", "hllo"));
  EXPECT_FALSE(glob_match("a?", "a"));
}

TEST(TextMatch, an_empty_text_matches_only_an_empty_pattern) {
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("*", ""));
  EXPECT_FALSE(glob_match("", "a"));
}

TEST(TextMatch, a_class_takes_one_of_its_bytes) {
  EXPECT_TRUE(glob_match("h[ae]llo", "hallo"));
  EXPECT_FALSE(glob_match("h[ae]llo", "hillo"));
  EXPECT_TRUE(glob_match("h[^e]llo", "hallo"));
  EXPECT_FALSE(glob_match("h[^e]llo", "hello"));
  EXPECT_TRUE(glob_match("h[a-c]llo", "hbllo"));
  EXPECT_TRUE(glob_match("h[c-a]llo", "hbllo"));
  EXPECT_FALSE(glob_match("h[a-c]llo", "hdllo"));
  EXPECT_TRUE(glob_match("[\\]]", "]"));
  EXPECT_TRUE(glob_match("[a\\-z]", "-"));
  EXPECT_FALSE(glob_match("[a\\-z]", "b"));
}

TEST(TextMatch, an_odd_class_keeps_its_meaning) {
  EXPECT_FALSE(glob_match("[]a]", "]"));
  EXPECT_TRUE(glob_match("[^]", "x"));
  EXPECT_FALSE(glob_match("[", "["));
  EXPECT_TRUE(glob_match("[^", "x"));
  EXPECT_TRUE(glob_match("[a", "a"));
  EXPECT_TRUE(glob_match("[a-", "-"));
  EXPECT_TRUE(glob_match("[a-]", "^"));
  EXPECT_TRUE(glob_match("[\\", "\\"));
  EXPECT_TRUE(glob_match("[a-\xff]", "\xff"));
  EXPECT_TRUE(glob_match("[a-\xff]", "A"));
  EXPECT_FALSE(glob_match("[a-\xff]", "b"));
}

TEST(TextMatch, a_backslash_takes_the_next_byte_literally) {
  EXPECT_TRUE(glob_match("a\\*c", "a*c"));
  EXPECT_FALSE(glob_match("a\\*c", "abc"));
  EXPECT_TRUE(glob_match("a\\", "a\\"));
  EXPECT_TRUE(glob_match("\\\\", "\\"));
}

TEST(TextMatch, case_can_be_ignored) {
  EXPECT_TRUE(glob_match("MAX*", "maxmemory", Case::ignored));
  EXPECT_TRUE(glob_match("[A-C]x", "bX", Case::ignored));
  EXPECT_TRUE(glob_match("[b]", "B", Case::ignored));
  EXPECT_FALSE(glob_match("[\\b]", "B", Case::ignored));
}

TEST(TextMatch, many_stars_stay_bounded) {
  std::string pattern;
  for (int star = 0; star < 200; ++star) pattern += "a*";
  pattern += 'b';
  EXPECT_FALSE(glob_match(pattern, std::string(5000, 'a')));
  EXPECT_TRUE(glob_match(pattern, std::string(5000, 'a') + 'b'));
}

TEST(TextMatch, letters_fold_in_ascii_only) {
  EXPECT_EQ(to_lower("GeT \xC4[@Z`{"sv), "get \xC4[@z`{");
  EXPECT_TRUE(equal_ignoring_case("GET", "get"));
  EXPECT_TRUE(equal_ignoring_case("", ""));
  EXPECT_FALSE(equal_ignoring_case("GET", "gets"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
}

}  // namespace
}  // namespace fairlane::base
