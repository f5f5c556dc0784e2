// Scripts that take long: the server goes on beside them.

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::encode_request;

constexpr const char* kEndless = "while true do end";

class BusyScripts : public NetTest {
 protected:
  void start_impatient() { start({"--busy-reply-threshold 20"}); }

  /// Waits until the server tells this client that it is busy.
  static bool told_busy(SocketClient& client) {
    return eventually([&] { return client.call({"GET", "k"}).text.starts_with("BUSY "); });
  }

  /// Runs a script without end, kills it, and returns what its caller is told.
  std::string killed(const std::string& script) {
    SocketClient runner = connect();
    SocketClient other = connect();
    runner.send_request({"EVAL", script, "0"});
    EXPECT_TRUE(told_busy(other));
    EXPECT_EQ(other.call({"SCRIPT", "KILL"}).text, "OK");
    const auto reply = runner.read();
    EXPECT_EQ(other.call({"PING"}).text, "PONG");
    return reply ? reply->text : "no reply";
  }
};

TEST_F(BusyScripts, tell_others_that_the_server_is_busy_and_can_be_killed) {
  start_impatient();
  EXPECT_TRUE(killed(kEndless).starts_with("ERR Script killed by user with SCRIPT KILL... script: "));
}

TEST_F(BusyScripts, cannot_hold_the_kill_back) {
  start_impatient();
  for (const char* script :
       {"while true do pcall(function() while true do end end) end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "while true do xpcall(function() while true do end end, function() return 1 end) end",
        "local function f() return pcall(f) end while true do f() end",
        "return string.find(string.rep('a', 300000), '.-b')",
        "local t = {} for i = 1, 10000000 do t[i % 1000] = string.rep('x', 100) end while true do end"}) {
    EXPECT_TRUE(killed(script).starts_with("ERR Script killed by user")) << script;
  }
}

TEST_F(BusyScripts, let_new_clients_in_and_answer_those_commands_that_help) {
  start_impatient();
  SocketClient runner = connect();
  SocketClient first = connect();
  runner.send_request({"EVAL", kEndless, "0"});
  ASSERT_TRUE(told_busy(first));
  SocketClient late(server().port());
  EXPECT_EQ(late.call({"PING"}).text,
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.");
  EXPECT_EQ(late.call({"HELLO", "3"}).kind, Kind::map);
  EXPECT_EQ(late.call({"MULTI"}).text, "OK");
  EXPECT_TRUE(late.call({"GET", "k"}).text.starts_with("BUSY "));
  EXPECT_TRUE(late.call({"EXEC"}).text.starts_with("EXECABORT Transaction discarded because of: BUSY "));
  EXPECT_TRUE(late.call({"FUNCTION", "KILL"}).text.starts_with("BUSY "));
  EXPECT_TRUE(late.call({"SHUTDOWN"}).text.starts_with("BUSY "));
  EXPECT_EQ(late.call({"SCRIPT", "KILL"}).text, "OK");
  EXPECT_TRUE(runner.read());
}

TEST_F(BusyScripts, go_on_when_they_are_done_with_what_their_client_sent_behind_them) {
  start_impatient();
  SocketClient runner = connect();
  SocketClient other = connect();
  const std::string counts = "local n = 0 for i = 1, 30000000 do n = n + 1 end return n";
  runner.send(encode_request({"EVAL", counts, "0"}) + encode_request({"SET", "k", "v"}) + encode_request({"GET", "k"}));
  EXPECT_TRUE(told_busy(other));
  EXPECT_EQ(runner.read()->text, "30000000");
  EXPECT_EQ(runner.read()->text, "OK");
  EXPECT_EQ(runner.read()->text, "v");
  EXPECT_EQ(other.call({"GET", "k"}).text, "v");
}

TEST_F(BusyScripts, are_not_killed_once_they_have_written_but_the_server_can_be_ended) {
  start_impatient();
  SocketClient runner = connect();
  SocketClient other = connect();
  runner.send_request({"EVAL", "redis.call('SET', 'k', 'v') while true do end", "0"});
  ASSERT_TRUE(told_busy(other));
  EXPECT_TRUE(
      other.call({"SCRIPT", "KILL"}).text.starts_with("UNKILLABLE Sorry the script already executed write commands"));
  other.send_request({"SHUTDOWN", "NOSAVE"});
  EXPECT_TRUE(other.closed());
  EXPECT_TRUE(runner.closed());
  EXPECT_EQ(server().stop(), 0);
  start();
}

TEST_F(BusyScripts, of_functions_are_killed_by_function_kill) {
  start_impatient();
  SocketClient runner = connect();
  SocketClient other = connect();
  runner.call(
      {"FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('endless', function() while true do end end)"});
  runner.send_request({"FCALL", "endless", "0"});
  ASSERT_TRUE(told_busy(other));
  EXPECT_TRUE(other.call({"SCRIPT", "KILL"}).text.starts_with("BUSY "));
  EXPECT_EQ(other.call({"FUNCTION", "STATS"}).kind, Kind::array);
  EXPECT_EQ(other.call({"FUNCTION", "KILL"}).text, "OK");
  EXPECT_EQ(runner.read()->text, "ERR Script killed by user with SCRIPT KILL... script: endless, on @user_function:2.");
}

TEST_F(BusyScripts, go_on_when_their_client_has_gone) {
  start_impatient();
  SocketClient other = connect();
  {
    SocketClient runner = connect();
    runner.send_request({"EVAL", kEndless, "0"});
    ASSERT_TRUE(told_busy(other));
  }
  EXPECT_TRUE(other.call({"GET", "k"}).text.starts_with("BUSY "));
  EXPECT_EQ(other.call({"SCRIPT", "KILL"}).text, "OK");
  EXPECT_EQ(other.call({"PING"}).text, "PONG");
}

TEST_F(BusyScripts, do_not_see_what_blocked_clients_would_take) {
  start_impatient();
  SocketClient waiter = connect();
  SocketClient runner = connect();
  SocketClient other = connect();
  waiter.send_request({"BLPOP", "list", "0"});
  settle(other);
  runner.send_request(
      {"EVAL", "redis.call('RPUSH', 'list', 'x') for i = 1, 30000000 do end return redis.call('LLEN', 'list')", "0"});
  EXPECT_TRUE(told_busy(other));
  EXPECT_EQ(runner.read()->text, "1");
  EXPECT_TRUE(waiter.read());
  EXPECT_EQ(other.call({"LLEN", "list"}).text, "0");
}

}  // namespace
}  // namespace fairlane::net
