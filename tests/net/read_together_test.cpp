// Sockets that are read together, before the first request of any runs: what one client does to another still counts.

#include <optional>

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

class ReadTogether : public NetTest {
 protected:
  void start_with(std::vector<std::string> options) {
    options.emplace_back("--enable-debug-command yes");
    start(options);
    holder_.emplace(connect());
  }
  /// While the server stands still, what several clients send gathers. The socket that was ready last is looked at
  /// first when there is more to read, so that has to be the holder's.
  void hold() {
    settle(*holder_);
    holder_->send_request({"DEBUG", "SLEEP", "0.05"});
  }
  static std::string id_of(SocketClient& client) { return client.call({"CLIENT", "ID"}).text; }

 private:
  std::optional<SocketClient> holder_;
};

TEST_F(ReadTogether, requests_run_in_the_order_in_which_they_came) {
  start_with({});
  std::vector<SocketClient> clients;
  for (int i = 0; i < 20; ++i) clients.push_back(connect());
  hold();
  for (int i = 0; i < 20; ++i) {
    clients[static_cast<std::size_t>(i)].send_request({"RPUSH", "l", std::to_string(i)});
    clients[static_cast<std::size_t>(i)].send_request({"RPUSH", "l", std::to_string(i) + " again"});
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(clients[static_cast<std::size_t>(i)].read()->text, std::to_string(2 * i + 1));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(clients[static_cast<std::size_t>(i)].read()->text, std::to_string(2 * i + 2));
}

TEST_F(ReadTogether, a_client_that_is_killed_runs_nothing) {
  start_with({});
  SocketClient killer = connect();
  SocketClient victim = connect();
  SocketClient third = connect();
  const std::string id = id_of(victim);
  hold();
  killer.send_request({"CLIENT", "KILL", "ID", id});
  victim.send_request({"SET", "k", "v"});
  third.send_request({"EXISTS", "k"});
  EXPECT_EQ(killer.read()->text, "1");
  EXPECT_TRUE(victim.closed());
  EXPECT_EQ(third.read()->text, "0");
}

TEST_F(ReadTogether, a_client_that_goes_on_waiting_is_served_before_it_is_heard) {
  start_with({});
  SocketClient waiter = connect();
  SocketClient giver = connect();
  waiter.send_request({"BLPOP", "l", "0"});
  SocketClient other = connect();
  hold();
  giver.send_request({"RPUSH", "l", "a"});
  waiter.send_request({"ECHO", "behind"});
  EXPECT_EQ(giver.read()->text, "1");
  EXPECT_EQ(waiter.read()->items.size(), 2U);
  EXPECT_EQ(waiter.read()->text, "behind");
}

TEST_F(ReadTogether, a_pause_holds_back_who_was_read_with_it) {
  start_with({});
  SocketClient pauser = connect();
  SocketClient writer = connect();
  hold();
  pauser.send_request({"CLIENT", "PAUSE", "100000", "WRITE"});
  writer.send_request({"SET", "k", "v"});
  EXPECT_EQ(pauser.read()->text, "OK");
  EXPECT_TRUE(writer.silent(base::Millis(50)));
  EXPECT_EQ(pauser.call({"CLIENT", "UNPAUSE"}).text, "OK");
  EXPECT_EQ(writer.read()->text, "OK");
}

TEST_F(ReadTogether, a_request_in_pieces_is_put_together) {
  start_with({});
  SocketClient first = connect();
  SocketClient second = connect();
  const std::string request = testkit::encode_request({"SET", "k", "value"});
  hold();
  first.send(request.substr(0, 20));
  second.send_request({"PING"});
  EXPECT_EQ(second.read()->text, "PONG");
  first.send(request.substr(20));
  EXPECT_EQ(first.read()->text, "OK");
  EXPECT_EQ(second.call({"GET", "k"}).text, "value");
}

TEST_F(ReadTogether, who_was_read_with_an_endless_script_hears_that_the_server_is_busy) {
  start_with({"--busy-reply-threshold 20"});
  SocketClient runner = connect();
  SocketClient other = connect();
  SocketClient broken = connect();
  SocketClient killer = connect();
  hold();
  runner.send_request({"EVAL", "while true do end", "0"});
  other.send_request({"GET", "k"});
  broken.send("*1\r\n$x\r\n");
  killer.send_request({"SCRIPT", "KILL"});
  EXPECT_TRUE(other.read()->text.starts_with("BUSY "));
  EXPECT_EQ(broken.read()->text, "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(killer.read()->text, "OK");
  EXPECT_TRUE(runner.read()->text.starts_with("ERR Script killed by user"));
}

TEST_F(ReadTogether, nothing_runs_behind_a_shutdown) {
  start_with({});
  SocketClient ender = connect();
  SocketClient other = connect();
  hold();
  ender.send_request({"SHUTDOWN", "NOSAVE"});
  other.send_request({"SET", "k", "v"});
  EXPECT_TRUE(ender.closed());
  EXPECT_TRUE(other.closed());
  stopped_by_test();
}

}  // namespace
}  // namespace fairlane::net
