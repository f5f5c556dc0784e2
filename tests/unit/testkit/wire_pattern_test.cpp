#include "testkit/wire_pattern.hpp"

#include <gtest/gtest.h>

namespace fairlane::testkit {
namespace {

Value reply(std::string_view bytes) {
  RespReader reader;
  reader.feed(bytes);
  return reader.next().value();
}

bool fits(std::string_view pattern, std::string_view bytes) {
  return Pattern::parse(pattern, Variables()).matches(reply(bytes));
}

TEST(Pattern, fits_what_was_shown) {
  for (const char* bytes : {"+OK\r\n",
                            "-ERR a b\r\n",
                            "-ERR ends \r\n",
                            ":5\r\n",
                            "$2\r\nhi\r\n",
                            "$-1\r\n",
                            "*-1\r\n",
                            "_\r\n",
                            "#t\r\n",
                            ",inf\r\n",
                            "(12\r\n",
                            "=5\r\ntxt:x\r\n",
                            "!3\r\nERR\r\n",
                            "*0\r\n",
                            "*2\r\n+OK\r\n-ERR a b\r\n",
                            "%1\r\n$1\r\nk\r\n*1\r\n,1.5\r\n",
                            "~1\r\n:1\r\n",
                            ">2\r\n$1\r\nm\r\n_\r\n",
                            "+a...\r\n",
                            "+${x}\r\n",
                            "$3\r\n\r\n]\r\n"}) {
    const Value value = reply(bytes);
    EXPECT_TRUE(Pattern::parse(show(value), Variables()).matches(value)) << show(value);
  }
}

TEST(Pattern, tells_the_types_apart) {
  EXPECT_FALSE(fits("\"1\"", ":1\r\n"));
  EXPECT_FALSE(fits("$-1", "*-1\r\n"));
  EXPECT_FALSE(fits("_", "$-1\r\n"));
  EXPECT_FALSE(fits("[\"a\"]", "~1\r\n$1\r\na\r\n"));
  EXPECT_FALSE(fits("+OK", "$2\r\nOK\r\n"));
  EXPECT_FALSE(fits("%[\"a\" \"b\"]", "*2\r\n$1\r\na\r\n$1\r\nb\r\n"));
}

TEST(Pattern, loosens_numbers_and_texts) {
  EXPECT_TRUE(fits(":?", ":99\r\n"));
  EXPECT_TRUE(fits(":5..9", ":9\r\n"));
  EXPECT_FALSE(fits(":5..9", ":10\r\n"));
  EXPECT_TRUE(fits(":-5..-1", ":-3\r\n"));
  EXPECT_TRUE(fits(",1.5+-0.1", ",1.55\r\n"));
  EXPECT_FALSE(fits(",1.5+-0.1", ",1.65\r\n"));
  EXPECT_TRUE(fits("\"10\"+-1", "$4\r\n10.5\r\n"));
  EXPECT_TRUE(fits("-ERR bad...", "-ERR bad thing\r\n"));
  EXPECT_TRUE(fits("\"ab\"...", "$3\r\nabc\r\n"));
  EXPECT_TRUE(fits("/a[0-9]+/", "$3\r\na12\r\n"));
  EXPECT_FALSE(fits("/a[0-9]/", "$3\r\na12\r\n"));
  EXPECT_TRUE(fits("/x.*y/", "$5\r\nx\r\n\ty\r\n"));
  EXPECT_TRUE(fits("=txt:/x+/", "=6\r\ntxt:xx\r\n"));
  EXPECT_FALSE(fits("=mkd:/x+/", "=6\r\ntxt:xx\r\n"));
}

TEST(Pattern, matches_in_any_order_without_greed) {
  EXPECT_TRUE(fits("unordered [\"a\" \"b\"]", "*2\r\n$1\r\nb\r\n$1\r\na\r\n"));
  EXPECT_FALSE(fits("unordered [\"a\" \"a\"]", "*2\r\n$1\r\nb\r\n$1\r\na\r\n"));
  EXPECT_TRUE(fits("unordered [? \"a\"]", "*2\r\n$1\r\na\r\n$1\r\nb\r\n"));
  EXPECT_TRUE(fits("pairs [\"a\" :1 \"b\" :2]", "*4\r\n$1\r\nb\r\n:2\r\n$1\r\na\r\n:1\r\n"));
  EXPECT_FALSE(fits("pairs [\"a\" :1 \"b\" :2]", "*4\r\n$1\r\nb\r\n:1\r\n$1\r\na\r\n:2\r\n"));
  EXPECT_TRUE(fits("%[\"b\" ? ...]", "%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:2\r\n"));
  EXPECT_TRUE(fits("[\"a\" ...]", "*2\r\n$1\r\na\r\n:1\r\n"));
  EXPECT_FALSE(fits("[\"a\"]", "*2\r\n$1\r\na\r\n:1\r\n"));
}

TEST(Pattern, inserts_saved_texts) {
  Variables variables;
  variables.set("id", "17");
  EXPECT_TRUE(Pattern::parse(":${id}", variables).matches(reply(":17\r\n")));
  EXPECT_TRUE(Pattern::parse("\"<${id}>\"", variables).matches(reply("$4\r\n<17>\r\n")));
  EXPECT_TRUE(Pattern::parse("-ERR ${id} is bad", variables).matches(reply("-ERR 17 is bad\r\n")));
}

TEST(Pattern, refuses_bad_notation) {
  for (const char* text : {"[\"a\"", "\"a", "/a", "hello", "\"a\" b", "%[\"a\"]", "\"\\q\"", ":5..x", "/(/"}) {
    EXPECT_THROW(static_cast<void>(Pattern::parse(text, Variables()).matches(reply("$1\r\na\r\n"))), NotationError)
        << text;
  }
}

TEST(SplitArguments, knows_quotes_escapes_and_repeats) {
  Variables variables;
  variables.set("v", "x y");
  const std::vector<std::string> expected{"SET", "k", "a b", "ababab", "x y", "${v}", "", "pre\x01post"};
  EXPECT_EQ(split_arguments(R"(SET k "a b" "ab"*3 ${v} '${v}' "" pre"\x01"post)", variables), expected);
}

}  // namespace
}  // namespace fairlane::testkit
