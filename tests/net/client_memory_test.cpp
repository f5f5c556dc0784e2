// maxmemory-clients: who is closed when all clients together take too much memory.

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

class ClientMemory : public NetTest {
 protected:
  /// Most of a request, which the server has to keep until the rest comes.
  static void send_unfinished(SocketClient& client, std::size_t bytes) {
    client.send("*2\r\n$4\r\nECHO\r\n$" + std::to_string(bytes + 1) + "\r\n" + std::string(bytes, 'x'));
  }
  static std::string evicted(SocketClient& client) {
    const std::string info = client.call({"INFO", "stats"}).text;
    const std::string name = "evicted_clients:";
    const std::size_t at = info.find(name) + name.size();
    return info.substr(at, info.find('\r', at) - at);
  }
};

TEST_F(ClientMemory, the_largest_is_closed) {
  start({"--maxmemory-clients 2mb"});
  SocketClient watcher = connect();
  SocketClient small = connect();
  SocketClient large = connect();
  send_unfinished(small, 300000);
  send_unfinished(large, 3000000);
  EXPECT_TRUE(large.closed());
  EXPECT_EQ(evicted(watcher), "1");
  EXPECT_TRUE(small.silent(base::Millis(10)));
}

TEST_F(ClientMemory, who_asked_for_no_evict_stays) {
  start({"--maxmemory-clients 2mb"});
  SocketClient watcher = connect();
  SocketClient kept = connect();
  SocketClient other = connect();
  ASSERT_EQ(kept.call({"CLIENT", "NO-EVICT", "ON"}).text, "OK");
  ASSERT_EQ(watcher.call({"CLIENT", "NO-EVICT", "ON"}).text, "OK");
  send_unfinished(kept, 3000000);
  EXPECT_TRUE(other.closed());
  EXPECT_EQ(watcher.call({"PING"}).text, "PONG");
  EXPECT_TRUE(kept.silent(base::Millis(10)));
}

TEST_F(ClientMemory, a_lower_limit_counts_at_once) {
  start();
  SocketClient watcher = connect();
  SocketClient large = connect();
  send_unfinished(large, 3000000);
  ASSERT_TRUE(eventually([&] { return watcher.call({"CLIENT", "LIST"}).text.find(" qbuf=3") != std::string::npos; }));
  ASSERT_EQ(watcher.call({"CONFIG", "SET", "maxmemory-clients", "1mb"}).text, "OK");
  EXPECT_TRUE(large.closed());
  EXPECT_EQ(watcher.call({"PING"}).text, "PONG");
}

TEST_F(ClientMemory, transactions_count) {
  start({"--maxmemory-clients 2mb"});
  SocketClient watcher = connect();
  SocketClient queuing = connect();
  ASSERT_EQ(queuing.call({"MULTI"}).text, "OK");
  const std::string value(200000, 'v');
  for (int i = 0; i < 20; ++i) queuing.send_request({"SET", "k", value});
  EXPECT_TRUE(eventually([&] { return evicted(watcher) == "1"; }));
}

}  // namespace
}  // namespace fairlane::net
