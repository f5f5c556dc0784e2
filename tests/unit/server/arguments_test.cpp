#include "server/arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/start_options.hpp"

namespace fairlane::server {
namespace {

Arguments parse(std::vector<std::string_view> words) { return parse_arguments(words); }

TEST(ArgumentsTest, the_first_word_without_a_dash_is_the_file) {
  const Arguments arguments = parse({"a.conf", "--port", "1"});
  EXPECT_EQ(arguments.file, "a.conf");
  EXPECT_FALSE(arguments.standard_input);
  EXPECT_EQ(arguments.directives, "port \"1\" ");
}

TEST(ArgumentsTest, a_dash_at_either_end_is_standard_input) {
  EXPECT_TRUE(parse({"-", "--port", "1"}).standard_input);
  EXPECT_TRUE(parse({"a.conf", "-"}).standard_input);
  EXPECT_FALSE(parse({"a.conf", "-", "--port", "1"}).standard_input);
}

TEST(ArgumentsTest, a_directive_takes_the_words_up_to_the_next_one) {
  EXPECT_EQ(parse({"--save", "900", "1", "--port", "1"}).directives, "save \"900\" \"1\" \nport \"1\" ");
}

TEST(ArgumentsTest, one_word_may_hold_a_whole_directive) {
  EXPECT_EQ(parse({"--save 900 1", "--port", "1"}).directives, "save 900 1 \nport \"1\" ");
}

TEST(ArgumentsTest, a_value_may_begin_with_dashes) {
  EXPECT_EQ(parse({"--requirepass", "--secret", "--port", "1"}).directives, "requirepass \"--secret\" \nport \"1\" ");
}

TEST(ArgumentsTest, save_without_points_is_empty) {
  EXPECT_EQ(parse({"--save", "--port", "1"}).directives, "save \"\"\nport \"1\" ");
  EXPECT_EQ(parse({"--save"}).directives, "save \"\"");
}

TEST(ArgumentsTest, tests_of_the_machine_are_refused_in_one_line) {
  for (const auto& words : {std::vector<std::string_view>{"--check-system"}, {"--test-memory", "100"}}) {
    try {
      parse(words);
      ADD_FAILURE() << words[0];
    } catch (const StartFailure& failure) {
      EXPECT_EQ(failure.what(), "Fairlane has no " + std::string(words[0]) + ": it only serves. See --help.");
    }
  }
}

}  // namespace
}  // namespace fairlane::server
