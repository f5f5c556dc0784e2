#include "server/words.hpp"

#include <gtest/gtest.h>

namespace fairlane::server {
namespace {

using Words = std::vector<std::string>;

TEST(WordsTest, blanks_separate_words) {
  EXPECT_EQ(split_words("  port\t6380 "), (Words{"port", "6380"}));
  EXPECT_EQ(split_words(""), Words{});
  EXPECT_EQ(split_words(" \t "), Words{});
}

TEST(WordsTest, double_quotes_understand_escapes) {
  EXPECT_EQ(split_words(R"(requirepass "a \"b\" \x41\n")"), (Words{"requirepass", "a \"b\" A\n"}));
  EXPECT_EQ(split_words(R"(a "" b)"), (Words{"a", "", "b"}));
  EXPECT_EQ(split_words(R"("\xzz")"), (Words{"xzz"}));
}

TEST(WordsTest, single_quotes_understand_only_themselves) {
  EXPECT_EQ(split_words(R"('a\n\'b')"), (Words{R"(a\n'b)"}));
}

TEST(WordsTest, open_quotes_are_no_words) {
  for (const char* line : {"a \"b", "a 'b", "\"a\"b", "'a'b", "a \"b\\\""}) {
    EXPECT_EQ(split_words(line), std::nullopt) << line;
  }
}

TEST(WordsTest, quoted_text_is_read_back) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  EXPECT_EQ(split_words(in_quotes(every)), Words{every});
  EXPECT_EQ(split_words(in_quotes_if_needed(every)), Words{every});
  EXPECT_EQ(in_quotes_if_needed("plain"), "plain");
  EXPECT_EQ(in_quotes_if_needed(""), "\"\"");
}

}  // namespace
}  // namespace fairlane::server
