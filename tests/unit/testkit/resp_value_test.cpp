#include "testkit/resp_value.hpp"

#include <gtest/gtest.h>

namespace fairlane::testkit {
namespace {

std::string shown(std::string_view bytes) {
  RespReader reader;
  reader.feed(bytes);
  std::string out;
  while (const auto value = reader.next()) {
    if (!out.empty()) out += " | ";
    out += show(*value);
  }
  return out;
}

TEST(RespReader, reads_every_resp2_type) {
  EXPECT_EQ(shown("+OK\r\n"), "+OK");
  EXPECT_EQ(shown("-ERR no such key\r\n"), "-ERR no such key");
  EXPECT_EQ(shown(":-7\r\n"), ":-7");
  EXPECT_EQ(shown("$3\r\na\r\n\r\n"), "\"a\\r\\n\"");
  EXPECT_EQ(shown("$-1\r\n*-1\r\n*0\r\n"), "$-1 | *-1 | []");
  EXPECT_EQ(shown("*2\r\n*1\r\n:1\r\n$0\r\n\r\n"), "[[:1] \"\"]");
}

TEST(RespReader, reads_every_resp3_type) {
  EXPECT_EQ(shown("_\r\n#t\r\n#f\r\n,1.5\r\n(123\r\n"), "_ | #t | #f | ,1.5 | (123");
  EXPECT_EQ(shown("%1\r\n+k\r\n~2\r\n:1\r\n:2\r\n"), "%[+k ~[:1 :2]]");
  EXPECT_EQ(shown(">2\r\n+a\r\n=5\r\ntxt:x\r\n"), ">[+a =txt:\"x\"]");
  EXPECT_EQ(shown("!5\r\nERR x\r\n"), "!\"ERR x\"");
}

TEST(RespReader, keeps_its_place_at_every_split) {
  const std::string bytes = "*3\r\n$5\r\nhello\r\n%1\r\n+k\r\n:1\r\n*0\r\n-ERR x\r\n$2\r\n\r\n\r\n";
  const std::string whole = shown(bytes);
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    RespReader reader;
    std::string out;
    for (const auto& part : {bytes.substr(0, split), bytes.substr(split)}) {
      reader.feed(part);
      while (const auto value = reader.next()) out += (out.empty() ? "" : " | ") + show(*value);
    }
    EXPECT_EQ(out, whole) << "split at " << split;
    EXPECT_TRUE(reader.empty());
  }
}

TEST(RespReader, reports_what_is_not_resp_and_then_falls_silent) {
  for (const char* bytes : {"hello\r\n", ":x\r\n", "$x\r\n", "$1\r\nabc\r\n", "#x\r\n", "\r\n", "*2\r\n:1\r\n?\r\n"}) {
    RespReader reader;
    reader.feed(bytes);
    const auto value = reader.next();
    ASSERT_TRUE(value) << bytes;
    EXPECT_EQ(value->kind, Kind::malformed) << bytes;
    EXPECT_FALSE(reader.next());
  }
}

TEST(Quote, escapes_what_is_not_printable_and_shortens_runs) {
  EXPECT_EQ(quote("a\"b\\\n\r\t\x01\xff"), R"("a\"b\\\n\r\t\x01\xff")");
  EXPECT_EQ(quote(std::string(70000, 'x')), "\"x\"*70000");
  EXPECT_EQ(quote(""), "\"\"");
}

TEST(EncodeRequest, makes_an_array_of_bulk_strings) {
  EXPECT_EQ(encode_request({"GET", ""}), "*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
}

}  // namespace
}  // namespace fairlane::testkit
