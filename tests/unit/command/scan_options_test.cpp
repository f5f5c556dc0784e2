#include "command/scan_options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

namespace fairlane::command {
namespace {

TEST(ScanOptions, a_cursor_is_what_strtoull_takes) {
  EXPECT_EQ(parse_cursor("0"), 0U);
  EXPECT_EQ(parse_cursor("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_cursor("+7"), 7U);
  EXPECT_EQ(parse_cursor("007"), 7U);
  EXPECT_EQ(parse_cursor("-1"), UINT64_MAX);
  EXPECT_EQ(parse_cursor(std::string(300, '0') + "5"), 5U);
}

TEST(ScanOptions, other_cursors_are_refused) {
  for (const std::string_view text : {"x", "1x", " 1", "18446744073709551616", "-18446744073709551616"}) {
    EXPECT_EQ(parse_cursor(text), std::nullopt) << text;
  }
}

ScanOptions taken(std::span<const std::string_view> words, std::string_view error = {}) {
  Args args(words, 0);
  const ScanOptions options = take_scan_options(args);
  EXPECT_EQ(args.error(), error);
  return options;
}

TEST(ScanOptions, the_last_of_each_option_counts) {
  const std::array<std::string_view, 8> words = {"COUNT", "5", "match", "a*", "count", "7", "MATCH", "b*"};
  const ScanOptions options = taken(words);
  EXPECT_EQ(options.count, 7U);
  EXPECT_TRUE(options.wants("bcd"));
  EXPECT_FALSE(options.wants("abc"));
}

TEST(ScanOptions, a_count_is_a_positive_integer) {
  taken(std::array<std::string_view, 2>{"COUNT", "0"}, errors::kSyntax);
  taken(std::array<std::string_view, 2>{"COUNT", "x"}, errors::kNotInteger);
  taken(std::array<std::string_view, 1>{"COUNT"}, errors::kSyntax);
  taken(std::array<std::string_view, 2>{"TYPE", "set"}, errors::kSyntax);
}

TEST(ScanOptions, the_cursor_is_written_before_the_elements) {
  base::Buffer out;
  protocol::Reply reply(out, protocol::Version::resp2);
  const auto elements = reply.open();
  reply.bulk("a");
  close_scan(reply, elements, 12, 1);
  EXPECT_EQ(out.view(), "*2\r\n$2\r\n12\r\n*1\r\n$1\r\na\r\n");
}

}  // namespace
}  // namespace fairlane::command
