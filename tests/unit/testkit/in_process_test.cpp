#include "testkit/in_process.hpp"

#include <gtest/gtest.h>

#include "testkit/in_process_peer.hpp"

namespace fairlane::testkit {
namespace {

using namespace std::chrono_literals;

TEST(InProcess, answers_byte_for_byte) {
  InProcess server;
  auto& client = server.connect();
  EXPECT_EQ(client.ask("SET key \"a value\""), "+OK\r\n");
  EXPECT_EQ(client.ask("GET key"), "$7\r\na value\r\n");
  EXPECT_EQ(client.take(), "");
  EXPECT_EQ(server.database().size(), 1U);
}

TEST(InProcess, takes_requests_in_pieces_and_several_at_once) {
  InProcess server;
  auto& client = server.connect();
  client.send_bytes("PI");
  EXPECT_EQ(client.take(), "");
  client.send_bytes("NG\r\nPING\r\nPI");
  EXPECT_EQ(client.take(), "+PONG\r\n+PONG\r\n");
}

TEST(InProcess, keys_run_out_in_virtual_time) {
  InProcess server;
  auto& client = server.connect();
  client.ask("SET key value");
  server.database().expire_at("key", base::unix_millis(server.clock().wall()) + 5000);
  server.advance(4999ms);
  EXPECT_EQ(client.ask("GET key"), "$5\r\nvalue\r\n");
  server.advance(1ms);
  EXPECT_EQ(client.ask("GET key"), "$-1\r\n");
}

TEST(InProcess, a_closed_connection_is_closed_on_both_sides) {
  InProcess server;
  auto& client = server.connect();
  EXPECT_EQ(client.ask("QUIT"), "+OK\r\n");
  EXPECT_TRUE(client.closed());
  client.send("PING");
  EXPECT_EQ(client.take(), "");
  auto& other = server.connect();
  server.disconnect(other);
  EXPECT_TRUE(other.closed());
  EXPECT_EQ(server.services().sessions.size(), 0U);
}

TEST(InProcess, bytes_that_are_no_request_close_the_connection) {
  InProcess server;
  auto& client = server.connect();
  client.send_bytes("*1\r\n?\r\n");
  EXPECT_EQ(client.take(), "-ERR Protocol error: expected '$', got '?'\r\n");
  EXPECT_TRUE(client.closed());
}

TEST(InProcess, timers_run_each_at_its_own_instant) {
  InProcess server;
  std::vector<std::int64_t> seen;
  const auto note = [&] { seen.push_back(server.clock().passed().count()); };
  auto& scheduler = server.services().scheduler;
  const auto start = server.clock().steady();
  scheduler.at(start + 20ms, note);
  scheduler.at(start + 10ms, [&] {
    note();
    scheduler.at(server.clock().steady() + 5ms, note);
  });
  scheduler.cancel(scheduler.at(start + 12ms, note));
  server.advance(30ms);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{10, 15, 20}));
  EXPECT_EQ(server.clock().passed(), 30ms);
}

TEST(InProcessPeer, waiting_for_a_reply_takes_virtual_time_only) {
  InProcessPeer peer;
  peer.open("A");
  peer.send("A", "PING\r\n");
  EXPECT_EQ(show(peer.read("A", 1s).value()), "+PONG");
  EXPECT_FALSE(peer.read("A", 60min));
  EXPECT_EQ(peer.server().clock().passed(), 60min);
  peer.send("A", "QUIT\r\n");
  EXPECT_FALSE(peer.closed("A", 0ms));
  EXPECT_TRUE(peer.read("A", 0ms));
  EXPECT_TRUE(peer.closed("A", 0ms));
}

}  // namespace
}  // namespace fairlane::testkit
