// Connections come and go: their number, their idle time, their end.

#include <sys/resource.h>

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::encode_request;

class Connections : public NetTest {};

TEST_F(Connections, ten_thousand_come_and_go) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  start();
  SocketClient control = connect();
  constexpr std::size_t kTogether = 500;
  for (int round = 0; round < 20; ++round) {
    std::vector<SocketClient> clients;
    for (std::size_t i = 0; i < kTogether; ++i) {
      clients.push_back(connect());
      clients.back().send(i % 3 == 0 ? encode_request({"BLPOP", "list", "0"}) : encode_request({"PING"}));
    }
    for (std::size_t i = 0; i < kTogether; ++i) {
      if (i % 3 == 0) continue;
      ASSERT_EQ(clients[i].read()->text, "PONG");
    }
  }
  EXPECT_TRUE(eventually([&] {
    const std::string list = control.call({"CLIENT", "LIST"}).text;
    return list.find('\n') == list.size() - 1;
  }));
  EXPECT_EQ(control.call({"LPUSH", "list", "v"}).text, "1");
  EXPECT_EQ(control.call({"LLEN", "list"}).text, "1");
}

TEST_F(Connections, beyond_the_limit_are_refused) {
  start({"--maxclients", "3"});
  // The client that asked whether the server is there may not be gone yet.
  std::vector<SocketClient> clients;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([&] {
      SocketClient client(server().port());
      client.send(encode_request({"PING"}));
      if (client.read()->text != "PONG") return false;
      clients.push_back(std::move(client));
      return true;
    }));
  }
  SocketClient refused(server().port());
  const auto reply = refused.read();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->text, "ERR max number of clients reached");
  EXPECT_TRUE(refused.closed());
  clients.pop_back();
  EXPECT_TRUE(eventually([&] {
    SocketClient next(server().port());
    next.send("PING\r\n");
    const auto answer = next.read();
    return answer && answer->text == "PONG";
  }));
}

TEST_F(Connections, that_are_idle_are_closed_and_those_that_wait_are_not) {
  start({"--timeout", "1"});
  SocketClient idle = connect();
  SocketClient waiting = connect();
  SocketClient subscriber = connect();
  settle(idle);
  waiting.send(encode_request({"BLPOP", "list", "0"}));
  subscriber.call({"SUBSCRIBE", "channel"});
  EXPECT_TRUE(idle.closed(std::chrono::seconds(10)));
  SocketClient other = connect();
  EXPECT_EQ(other.call({"PUBLISH", "channel", "m"}).text, "1");
  EXPECT_EQ(other.call({"RPUSH", "list", "v"}).text, "1");
  EXPECT_EQ(waiting.read()->items.size(), 2U);
}

TEST_F(Connections, that_are_killed_leave_at_once) {
  start();
  SocketClient control = connect();
  SocketClient victim = connect();
  const std::string id = victim.call({"CLIENT", "ID"}).text;
  victim.send(encode_request({"BLPOP", "list", "0"}));
  settle(control);
  control.send(encode_request({"CLIENT", "KILL", "ID", id}) + encode_request({"CLIENT", "LIST", "ID", id}) +
               encode_request({"LPUSH", "list", "v"}) + encode_request({"LLEN", "list"}));
  EXPECT_EQ(control.read()->text, "1");
  EXPECT_EQ(control.read()->text, "");
  EXPECT_EQ(control.read()->text, "1");
  EXPECT_EQ(control.read()->text, "1");
  EXPECT_TRUE(victim.closed());
}

TEST_F(Connections, that_kill_themselves_are_answered_first) {
  start();
  SocketClient client = connect();
  const std::string id = client.call({"CLIENT", "ID"}).text;
  client.send(encode_request({"PING"}) + encode_request({"CLIENT", "KILL", "ID", id, "SKIPME", "no"}) +
              encode_request({"SET", "key", "1"}));
  EXPECT_EQ(client.read()->text, "PONG");
  EXPECT_EQ(client.read()->text, "1");
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(connect().call({"EXISTS", "key"}).text, "0");
}

}  // namespace
}  // namespace fairlane::net
