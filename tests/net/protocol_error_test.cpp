// What is no request is answered with an error behind the replies to what came before, and ends the connection.

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::encode_request;

class ProtocolErrors : public NetTest {
 protected:
  /// A fresh client sends the bytes: gives the error that it is told before the connection is closed.
  std::string error_for(const std::string& bytes) {
    SocketClient client = connect();
    client.send(bytes);
    const auto reply = client.read();
    if (!reply) return "no reply";
    if (!client.closed()) return "not closed";
    return reply->text;
  }
};

TEST_F(ProtocolErrors, have_the_words_that_clients_know) {
  start();
  EXPECT_EQ(error_for("*x\r\n"), "ERR Protocol error: invalid multibulk length");
  EXPECT_EQ(error_for("*2147483648\r\n"), "ERR Protocol error: invalid multibulk length");
  EXPECT_EQ(error_for("*99999999999999999999\r\n"), "ERR Protocol error: invalid multibulk length");
  EXPECT_EQ(error_for("*1\r\n:1\r\n"), "ERR Protocol error: expected '$', got ':'");
  EXPECT_EQ(error_for("*1\r\n$-1\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error_for("*1\r\n$x\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error_for("*1\r\n$536870913\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error_for("SET \"a\r\n"), "ERR Protocol error: unbalanced quotes in request");
  EXPECT_EQ(error_for(std::string(65537, 'x')), "ERR Protocol error: too big inline request");
  EXPECT_EQ(error_for("*" + std::string(65537, '1')), "ERR Protocol error: too big mbulk count string");
  EXPECT_EQ(error_for("*1\r\n$" + std::string(65537, '1')), "ERR Protocol error: too big bulk count string");
}

TEST_F(ProtocolErrors, come_behind_the_replies_of_the_same_pipeline) {
  start();
  SocketClient client = connect();
  client.send(encode_request({"SET", "key", "1"}) + encode_request({"INCR", "key"}) + "*1\r\n$x\r\n" +
              encode_request({"INCR", "key"}));
  EXPECT_EQ(client.read()->text, "OK");
  EXPECT_EQ(client.read()->text, "2");
  EXPECT_EQ(client.read()->text, "ERR Protocol error: invalid bulk length");
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(connect().call({"GET", "key"}).text, "2");
}

TEST_F(ProtocolErrors, are_heard_though_the_client_goes_on_sending) {
  start();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(error_for("*1\r\n:\r\n" + std::string(300000, 'x')), "ERR Protocol error: expected '$', got ':'");
  }
}

TEST_F(ProtocolErrors, large_numbers_alone_cost_no_memory) {
  start();
  std::vector<SocketClient> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(connect());
    clients.back().send(i % 2 == 0 ? "*2147483647\r\n" : "*1\r\n$536870912\r\n");
  }
  SocketClient other = connect();
  settle(other);
  std::string list = other.call({"CLIENT", "LIST"}).text;
  while (!list.empty()) {
    const std::string line = list.substr(0, list.find('\n'));
    EXPECT_LT(field_of(line, "tot-mem"), 64 * 1024) << line;
    list.erase(0, line.size() + 1);
  }
}

TEST_F(ProtocolErrors, a_client_that_has_not_logged_in_may_send_little) {
  start({"--requirepass", "secret"});
  EXPECT_EQ(error_for("*11\r\n"), "ERR Protocol error: unauthenticated multibulk length");
  EXPECT_EQ(error_for("*1\r\n$16385\r\n"), "ERR Protocol error: unauthenticated bulk length");
  SocketClient client = connect();
  client.send(encode_request({"AUTH", "secret"}) + encode_request({"ECHO", std::string(20000, 'x')}));
  EXPECT_EQ(client.read()->text, "OK");
  EXPECT_EQ(client.read()->text.size(), 20000U);
}

TEST_F(ProtocolErrors, a_request_of_a_web_page_is_cut_off) {
  start();
  SocketClient client = connect();
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\n\r\nSET key 1\r\n");
  EXPECT_FALSE(client.read());
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(connect().call({"EXISTS", "key"}).text, "0");
}

TEST_F(ProtocolErrors, more_input_than_the_limit_closes_the_connection) {
  start({"--client-query-buffer-limit", "1048576"});
  SocketClient client = connect();
  client.send("*2\r\n$4\r\nECHO\r\n$3000000\r\n" + std::string(2000000, 'x'));
  EXPECT_TRUE(client.closed());
  SocketClient queueing = connect();
  queueing.send(encode_request({"MULTI"}) + repeated(40, encode_request({"SET", "key", std::string(50000, 'x')})));
  while (queueing.read()) {
  }
  EXPECT_TRUE(queueing.closed());
  EXPECT_EQ(connect().call({"EXISTS", "key"}).text, "0");
}

}  // namespace
}  // namespace fairlane::net
