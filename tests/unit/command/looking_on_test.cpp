// The slow log and MONITOR: what they show of requests.
#include <gtest/gtest.h>

#include "command/monitors.hpp"
#include "command/slow_log.hpp"
#include "testkit/in_process.hpp"

namespace fairlane::command {
namespace {

using namespace std::chrono_literals;

testkit::OptionTexts logging_from(std::string_view micros, std::string_view most = "128") {
  return {{"slowlog-log-slower-than", micros}, {"slowlog-max-len", most}};
}

TEST(SlowLog, keeps_the_newest_requests) {
  testkit::InProcess server(logging_from("0", "2"));
  auto& client = server.connect();
  client.ask("ECHO 1");
  client.ask("ECHO 2");
  client.ask("ECHO 3");
  const auto& entries = server.services().slow_log->entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].words, (std::vector<std::string>{"ECHO", "3"}));
  EXPECT_EQ(entries[0].id, 2);
  EXPECT_EQ(entries[0].unix_seconds, base::unix_millis(server.clock().wall()) / 1000);
  EXPECT_EQ(entries[0].address, client.session()->peer.address);
  EXPECT_EQ(entries[1].id, 1);
}

TEST(SlowLog, hears_nothing_of_quick_requests) {
  testkit::InProcess server(logging_from("1000000"));
  server.connect().ask("PING");
  EXPECT_TRUE(server.services().slow_log->entries().empty());
}

TEST(SlowLog, follows_its_settings) {
  testkit::InProcess server(logging_from("-1"));
  auto& client = server.connect();
  client.ask("PING");
  EXPECT_TRUE(server.services().slow_log->entries().empty());
  client.ask("CONFIG SET slowlog-log-slower-than 0");
  client.ask("PING");
  EXPECT_EQ(server.services().slow_log->entries().size(), 2U) << "the CONFIG SET as well";
  client.ask("CONFIG SET slowlog-max-len 0");
  EXPECT_TRUE(server.services().slow_log->entries().empty());
}

TEST(SlowLog, shows_a_blocking_request_when_it_was_served) {
  testkit::InProcess server(logging_from("0"));
  const auto& entries = server.services().slow_log->entries();
  auto& waiting = server.connect();
  auto& other = server.connect();
  waiting.ask("BLPOP q 0.02");
  server.advance(100ms);
  EXPECT_TRUE(entries.empty()) << "neither parked nor timed out";
  waiting.ask("BLPOP q 0");
  other.ask("RPUSH q a");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].words, (std::vector<std::string>{"BLPOP", "q", "0"}));
  EXPECT_EQ(entries[0].address, waiting.session()->peer.address);
  EXPECT_EQ(entries[1].words[0], "RPUSH");
}

TEST(SlowLog, shows_a_request_that_was_unblocked_with_an_error_without_its_words) {
  testkit::InProcess server(logging_from("0"));
  const auto& entries = server.services().slow_log->entries();
  auto& waiting = server.connect();
  auto& other = server.connect();
  const std::string unblock = "CLIENT UNBLOCK " + std::to_string(waiting.session()->id);
  waiting.ask("BLPOP q 0");
  other.ask(unblock);
  EXPECT_EQ(entries.size(), 1U);
  waiting.ask("BLPOP q 0");
  other.ask(unblock + " ERROR");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].words[1], "UNBLOCK");
  EXPECT_TRUE(entries[1].words.empty());
}

TEST(SlowLog, cuts_long_requests) {
  testkit::InProcess server(logging_from("0"));
  auto& client = server.connect();
  std::string watch = "WATCH";
  for (int i = 0; i < 40; ++i) watch += " k" + std::to_string(i);
  client.ask(watch);
  client.ask("ECHO " + std::string(128, 'x'));
  client.ask("ECHO " + std::string(130, 'x'));
  const auto& entries = server.services().slow_log->entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].words[1], std::string(128, 'x') + "... (2 more bytes)");
  EXPECT_EQ(entries[1].words[1], std::string(128, 'x'));
  ASSERT_EQ(entries[2].words.size(), 32U);
  EXPECT_EQ(entries[2].words[30], "k29");
  EXPECT_EQ(entries[2].words[31], "... (10 more arguments)");
}

TEST(SlowLog, slowlog_get_answers_as_many_as_asked_for) {
  testkit::InProcess server(logging_from("0"));
  auto& client = server.connect();
  for (int i = 0; i < 12; ++i) client.ask("PING");
  EXPECT_TRUE(client.ask("SLOWLOG GET").starts_with("*10\r\n*6\r\n:11\r\n"));
  EXPECT_TRUE(client.ask("SLOWLOG GET -1").starts_with("*13\r\n"));
  EXPECT_TRUE(client.ask("SLOWLOG GET 1").starts_with("*1\r\n"));
  EXPECT_EQ(client.ask("SLOWLOG GET 0"), "*0\r\n");
  EXPECT_EQ(client.ask("SLOWLOG GET -2"), "-ERR count should be greater than or equal to -1\r\n");
  EXPECT_EQ(client.ask("SLOWLOG RESET"), "+OK\r\n");
  EXPECT_EQ(client.ask("SLOWLOG LEN"), ":1\r\n") << "the reset itself comes after";
}

TEST(Monitor, shows_requests_with_time_database_and_address) {
  testkit::InProcess server;
  auto& monitor = server.connect();
  auto& client = server.connect();
  EXPECT_EQ(monitor.ask("MONITOR"), "+OK\r\n");
  server.advance(1500ms);
  client.ask("SELECT 3");
  client.ask("SET k \"a\\n\\x00\\\"\"");
  const std::string head = "+1893456001.500000 [3 " + client.session()->peer.address + "] ";
  EXPECT_EQ(monitor.take(), head + "\"SELECT\" \"3\"\r\n" + head + "\"SET\" \"k\" \"a\\n\\x00\\\"\"\r\n");
}

TEST(Monitor, shows_neither_administration_nor_what_was_refused) {
  testkit::InProcess server;
  auto& monitor = server.connect();
  auto& client = server.connect();
  monitor.ask("MONITOR");
  client.ask("SLOWLOG LEN");
  client.ask("NOSUCH");
  client.ask("GET");
  EXPECT_EQ(monitor.take(), "");
}

TEST(Monitor, who_looks_on_does_not_touch_keys) {
  testkit::InProcess server;
  auto& monitor = server.connect();
  monitor.ask("MONITOR");
  EXPECT_EQ(monitor.ask("MONITOR"), "");
  EXPECT_EQ(monitor.ask("GET k"), "-ERR Replica can't interact with the keyspace\r\n");
  EXPECT_TRUE(monitor.ask("PING").starts_with("+PONG\r\n+"));
}

TEST(Monitor, is_not_for_transactions) {
  testkit::InProcess server;
  auto& client = server.connect();
  client.ask("MULTI");
  client.ask("MONITOR");
  EXPECT_EQ(client.ask("EXEC"), "*1\r\n-ERR MONITOR isn't allowed for DENY BLOCKING client\r\n");
}

TEST(SecretWords, are_kept_from_the_slow_log_and_from_monitor) {
  testkit::InProcess server(logging_from("0"));
  auto& monitor = server.connect();
  auto& client = server.connect();
  monitor.ask("MONITOR");
  client.ask("AUTH secret");
  client.ask("AUTH user secret");
  client.ask("HELLO 3 AUTH user secret SETNAME me");
  client.ask("ACL SETUSER secret >secret");
  client.ask("CONFIG SET requirepass secret timeout 0");
  const auto& entries = server.services().slow_log->entries();
  for (const auto& entry : entries) {
    for (const std::string& word : entry.words) EXPECT_NE(word, "secret");
  }
  const std::vector<std::string> config{"CONFIG", "SET", "requirepass", "(redacted)", "timeout", "0"};
  EXPECT_EQ(entries.front().words, config);
  const std::string seen = monitor.take();
  EXPECT_EQ(seen.find("secret"), std::string::npos);
  EXPECT_NE(seen.find(R"_("HELLO" "3" "AUTH" "(redacted)" "(redacted)" "SETNAME" "me")_"), std::string::npos) << seen;
}

TEST(Monitor, leaves_with_its_connection) {
  testkit::InProcess server;
  auto& first = server.connect();
  auto& second = server.connect();
  first.ask("MONITOR");
  second.ask("MONITOR");
  server.disconnect(first);
  server.connect().ask("PING");
  EXPECT_NE(second.take(), "");
  server.disconnect(second);
  EXPECT_EQ(server.connect().ask("PING"), "+PONG\r\n");
}

TEST(Quoting, escapes_everything_that_is_not_visible) {
  std::string text;
  append_quoted(text, std::string_view("a\\\"\n\r\t\a\b\x7f\xff\0", 11));
  EXPECT_EQ(text, R"("a\\\"\n\r\t\a\b\x7f\xff\x00")");
}

}  // namespace
}  // namespace fairlane::command
