// However the bytes of requests arrive, the replies are the same.

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::encode_request;

class Requests : public NetTest {
 protected:
  /// What the requests below are answered, in the notation of the .wire files.
  static std::vector<std::string> replies(SocketClient& client, std::size_t count) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = client.read();
      all.push_back(value ? testkit::show(*value) : "nothing");
    }
    return all;
  }

  const std::string input_ = encode_request({"SET", "key", "a value\r\nof two lines"}) + "GET key\r\n" +
                             encode_request({"LPUSH", "list", "", "x"}) + "*0\r\n\r\nECHO \"two words\"\n" +
                             encode_request({"DEL", "list", "key"});
  const std::vector<std::string> expected_ = {"+OK", "\"a value\\r\\nof two lines\"", ":2", "\"two words\"", ":2"};
};

TEST_F(Requests, every_split_of_an_input_gives_the_same_replies) {
  start();
  SocketClient other = connect();
  SocketClient client = connect();
  for (std::size_t split = 1; split < input_.size(); ++split) {
    client.send(std::string_view(input_).substr(0, split));
    settle(other);
    client.send(std::string_view(input_).substr(split));
    ASSERT_EQ(replies(client, expected_.size()), expected_) << "split at byte " << split;
  }
}

TEST_F(Requests, arrive_byte_by_byte) {
  start();
  SocketClient other = connect();
  SocketClient client = connect();
  for (const char byte : input_) {
    client.send({&byte, 1});
    settle(other);
  }
  EXPECT_EQ(replies(client, expected_.size()), expected_);
}

TEST_F(Requests, a_long_argument_arrives_in_many_pieces) {
  start();
  SocketClient other = connect();
  SocketClient client = connect();
  std::string value;
  for (int i = 0; i < 300000; ++i) value += std::to_string(i);
  const std::string request = encode_request({"SET", "key", value}) + encode_request({"GET", "key"});
  for (std::size_t at = 0; at < request.size(); at += 100003) {
    client.send(std::string_view(request).substr(at, 100003));
    settle(other);
  }
  EXPECT_EQ(client.read()->text, "OK");
  EXPECT_EQ(client.read()->text, value);
}

TEST_F(Requests, a_pipeline_is_longer_than_all_buffers) {
  start();
  SocketClient client = connect();
  constexpr int kTimes = 200000;
  client.send(repeated(kTimes, encode_request({"INCR", "number"})));
  for (int i = 1; i <= kTimes; ++i) {
    const auto reply = client.read();
    ASSERT_TRUE(reply) << i;
    ASSERT_EQ(reply->text, std::to_string(i));
  }
}

TEST_F(Requests, of_a_waiting_client_wait_with_it) {
  start();
  SocketClient client = connect();
  SocketClient other = connect();
  client.send(encode_request({"BLPOP", "list", "0"}) + repeated(20000, encode_request({"RPUSH", "pushed", "x"})));
  settle(other);
  EXPECT_EQ(other.call({"LLEN", "pushed"}).text, "0");
  EXPECT_EQ(other.call({"LPUSH", "list", "v"}).text, "1");
  EXPECT_EQ(client.read()->items.size(), 2U);
  for (int i = 1; i <= 20000; ++i) ASSERT_EQ(client.read()->text, std::to_string(i));
}

TEST_F(Requests, many_waits_in_one_pipeline_are_served_one_by_one) {
  start();
  SocketClient client = connect();
  SocketClient other = connect();
  constexpr std::size_t kTimes = 20000;
  client.send(repeated(kTimes, encode_request({"BLPOP", "list", "0"})));
  settle(other);
  other.send(repeated(kTimes, encode_request({"RPUSH", "list", "v"})));
  for (std::size_t i = 0; i < kTimes; ++i) ASSERT_EQ(client.read()->items.size(), 2U) << i;
}

TEST_F(Requests, held_by_a_pause_run_in_order_when_it_ends) {
  start();
  SocketClient control = connect();
  EXPECT_EQ(control.call({"CLIENT", "PAUSE", "100000", "WRITE"}).text, "OK");
  std::vector<SocketClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(connect());
    clients.back().send(encode_request({"RPUSH", "order", std::to_string(i)}) +
                        encode_request({"RPUSH", "order", std::to_string(i) + "b"}) + encode_request({"PING"}));
    settle(control);
  }
  EXPECT_EQ(control.call({"LLEN", "order"}).text, "0");
  EXPECT_NE(control.call({"CLIENT", "LIST"}).text.find("flags=b"), std::string::npos);
  EXPECT_EQ(control.call({"CLIENT", "UNPAUSE"}).text, "OK");
  for (SocketClient& client : clients) {
    EXPECT_EQ(client.read()->kind, Kind::integer);
    EXPECT_EQ(client.read()->kind, Kind::integer);
    EXPECT_EQ(client.read()->text, "PONG");
  }
  const Value order = control.call({"LRANGE", "order", "0", "-1"});
  std::vector<std::string> first;
  for (const Value& item : order.items) {
    if (item.text.size() == 1) first.push_back(item.text);
  }
  EXPECT_EQ(first, (std::vector<std::string>{"0", "1", "2", "3", "4"}));
}

TEST_F(Requests, see_the_time_that_slow_ones_before_them_in_one_write_took) {
  start({"--enable-debug-command local"});
  SocketClient client = connect();
  client.send(encode_request({"SET", "t", "1", "PX", "1"}) + encode_request({"DEBUG", "SLEEP", "0.02"}) +
              encode_request({"EXISTS", "t"}));
  EXPECT_EQ(client.read()->text, "OK");
  EXPECT_EQ(client.read()->text, "OK");
  EXPECT_EQ(client.read()->text, "0");
}

TEST_F(Requests, may_use_at_once_what_a_login_in_the_same_write_allows) {
  start({"--requirepass", "secret"});
  SocketClient client = connect();
  std::vector<std::string> words = {"DEL"};
  for (int i = 0; i < 40; ++i) words.push_back("key" + std::to_string(i));
  client.send(encode_request({"AUTH", "secret"}) + encode_request(words) + encode_request({"PING"}));
  EXPECT_EQ(client.read()->text, "OK");
  EXPECT_EQ(client.read()->text, "0");
  EXPECT_EQ(client.read()->text, "PONG");
}

TEST_F(Requests, of_both_kinds_may_be_mixed_in_one_write) {
  start();
  SocketClient client = connect();
  std::string input;
  for (int i = 0; i < 50; ++i) {
    input += encode_request({"ECHO", "array" + std::to_string(i)});
    input += "ECHO line" + std::to_string(i) + "\r\n";
    if (i % 3 == 0) input += "\r\n";
    if (i % 7 == 0) input += "ECHO second" + std::to_string(i) + "\r\n";
  }
  client.send(input + "*1\r\n$4\r\nPING\r\n*1\r\n!\r\n");
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(client.read()->text, "array" + std::to_string(i));
    ASSERT_EQ(client.read()->text, "line" + std::to_string(i));
    if (i % 7 != 0) continue;
    ASSERT_EQ(client.read()->text, "second" + std::to_string(i));
  }
  EXPECT_EQ(client.read()->text, "PONG");
  EXPECT_EQ(client.read()->text, "ERR Protocol error: expected '$', got '!'");
}

}  // namespace
}  // namespace fairlane::net
