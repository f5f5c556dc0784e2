#include "fairlane/protocol/request_parser.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlane::protocol {
namespace {

using Requests = std::vector<std::vector<std::string>>;

struct Seen {
  Requests requests;
  std::string error;
};

/// Offers `bytes` cut at the given places, keeping what is unfinished as a connection does.
Seen read(const std::string& bytes, const std::vector<std::size_t>& cuts, bool authenticated = true,
          const RequestLimits& limits = {}) {
  RequestParser parser;
  Seen seen;
  std::string unread;
  std::size_t from = 0;
  auto ends = cuts;
  ends.push_back(bytes.size());
  for (const std::size_t end : ends) {
    unread += bytes.substr(from, end - from);
    from = end;
    for (;;) {
      const std::string input = unread;
      Arguments arguments;
      const auto step = parser.next(input, limits, authenticated, arguments);
      if (step == RequestParser::Step::incomplete) break;
      if (step == RequestParser::Step::broken) {
        seen.error = parser.error();
        return seen;
      }
      seen.requests.emplace_back(arguments.begin(), arguments.end());
      unread.erase(0, parser.consumed());
    }
  }
  return seen;
}

const std::string kStream =
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$13\r\n01\r\n3456789ab\r\n*0\r\n*-1\r\nPING \"a b\"\r\n*1\r\n$0\r\n\r\n\r\nGET k\n";
const Requests kRequests = {{"SET", "k", "01\r\n3456789ab"}, {}, {}, {"PING", "a b"}, {""}, {}, {"GET", "k"}};

TEST(RequestParser, every_cut_in_two_gives_the_same_requests) {
  for (std::size_t cut = 0; cut <= kStream.size(); ++cut) {
    EXPECT_EQ(read(kStream, {cut}).requests, kRequests) << "cut at " << cut;
  }
}

TEST(RequestParser, every_cut_in_three_gives_the_same_requests) {
  for (std::size_t first = 0; first <= kStream.size(); ++first) {
    for (std::size_t second = first; second <= kStream.size(); ++second) {
      ASSERT_EQ(read(kStream, {first, second}).requests, kRequests) << first << ", " << second;
    }
  }
}

TEST(RequestParser, byte_by_byte_gives_the_same_requests) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < kStream.size(); ++i) cuts.push_back(i);
  EXPECT_EQ(read(kStream, cuts).requests, kRequests);
}

struct Broken {
  std::string bytes;
  std::string error;
};

TEST(RequestParser, broken_requests_are_named_in_the_words_of_redis) {
  const Broken cases[] = {
      {"*abc\r\n", "Protocol error: invalid multibulk length"},
      {"*+1\r\n", "Protocol error: invalid multibulk length"},
      {"*01\r\n", "Protocol error: invalid multibulk length"},
      {"*2147483648\r\n", "Protocol error: invalid multibulk length"},
      {"*1\r\n:5\r\n", "Protocol error: expected '$', got ':'"},
      {"*1\r\n$-1\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$x\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$536870913\r\n", "Protocol error: invalid bulk length"},
      {"*" + std::string(70000, '1'), "Protocol error: too big mbulk count string"},
      {"*1\r\n$" + std::string(70000, '1'), "Protocol error: too big bulk count string"},
      {std::string(70000, 'x'), "Protocol error: too big inline request"},
      {std::string("PING a\0\r\n", 9) + std::string(70000, '\n'), "Protocol error: too big inline request"},
      {"GET \"k\r\n", "Protocol error: unbalanced quotes in request"},
      {"GET \"k\"x\r\n", "Protocol error: unbalanced quotes in request"},
  };
  for (const Broken& broken : cases)
    EXPECT_EQ(read(broken.bytes, {}).error, broken.error) << broken.bytes.substr(0, 40);
}

TEST(RequestParser, clients_that_have_not_logged_in_may_send_little) {
  EXPECT_EQ(read("*11\r\n", {}, false).error, "Protocol error: unauthenticated multibulk length");
  EXPECT_EQ(read("*1\r\n$16385\r\n", {}, false).error, "Protocol error: unauthenticated bulk length");
  EXPECT_EQ(read("*2\r\n$4\r\nAUTH\r\n$2\r\npw\r\n", {}, false).requests, (Requests{{"AUTH", "pw"}}));
}

TEST(RequestParser, tells_how_much_of_a_large_argument_is_missing) {
  RequestParser parser;
  Arguments arguments;
  const std::string start = "*2\r\n$4\r\nECHO\r\n$1000000\r\nabc";
  EXPECT_EQ(parser.next(start, {}, true, arguments), RequestParser::Step::incomplete);
  EXPECT_EQ(parser.missing(), 1000002U - 3U);
  EXPECT_TRUE(arguments.empty());
}

}  // namespace
}  // namespace fairlane::protocol
