// A client that sends nothing more is answered what it has sent before the connection ends.

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::encode_request;

class HalfClosed : public NetTest {};

TEST_F(HalfClosed, all_complete_requests_are_answered) {
  start();
  for (int i = 0; i < 50; ++i) {
    SocketClient client = connect();
    client.send(repeated(1000, encode_request({"INCR", "n"})) + "*1\r\n$4\r\nPI");
    client.end_input();
    for (int j = 1; j <= 1000; ++j) ASSERT_EQ(client.read()->text, std::to_string(i * 1000 + j));
    EXPECT_TRUE(client.closed());
  }
}

TEST_F(HalfClosed, more_replies_than_the_socket_takes_arrive_all) {
  start();
  SocketClient client = connect();
  ASSERT_EQ(client.call({"SET", "key", std::string(1000000, 'x')}).text, "OK");
  client.send(repeated(40, encode_request({"GET", "key"})));
  client.end_input();
  SocketClient other = connect();
  settle(other);
  for (int i = 0; i < 40; ++i) {
    const auto reply = client.read();
    ASSERT_TRUE(reply) << i;
    ASSERT_EQ(reply->text.size(), 1000000U);
  }
  EXPECT_TRUE(client.closed());
}

TEST_F(HalfClosed, a_waiting_client_takes_nothing_any_more) {
  start();
  SocketClient client = connect();
  client.send(encode_request({"BLPOP", "list", "0"}));
  client.end_input();
  EXPECT_TRUE(client.closed());
  SocketClient other = connect();
  EXPECT_EQ(other.call({"LPUSH", "list", "v"}).text, "1");
  EXPECT_EQ(other.call({"LLEN", "list"}).text, "1");
}

TEST_F(HalfClosed, a_client_that_leaves_in_the_middle_leaves_nothing) {
  start();
  SocketClient other = connect();
  const std::string before = other.call({"CLIENT", "LIST"}).text;
  {
    SocketClient client = connect();
    client.send(encode_request({"MULTI"}) + encode_request({"SET", "key", "1"}) +
                "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$100\r\nx");
    settle(other);
  }
  EXPECT_TRUE(eventually([&] {
    const std::string now = other.call({"CLIENT", "LIST"}).text;
    return now.find('\n') == now.size() - 1;
  }));
  EXPECT_EQ(other.call({"EXISTS", "key"}).text, "0");
  EXPECT_FALSE(before.empty());
}

}  // namespace
}  // namespace fairlane::net
