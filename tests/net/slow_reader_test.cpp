// Clients that do not read as fast as they are told.

#include "net/net_test.hpp"

namespace fairlane::net {
namespace {

using testkit::encode_request;

constexpr std::size_t kLarge = 1000000;

class SlowReaders : public NetTest {
 protected:
  /// Connects a client that asks for `times` large values and reads none of them; gives its id as well.
  std::pair<SocketClient, std::string> asking(std::size_t times) {
    SocketClient client = connect();
    const std::string id = client.call({"CLIENT", "ID"}).text;
    client.call({"SET", "large", std::string(kLarge, 'x')});
    client.send(repeated(times, encode_request({"GET", "large"})));
    return {std::move(client), id};
  }
};

TEST_F(SlowReaders, get_everything_in_the_end) {
  start();
  SocketClient other = connect();
  auto [client, id] = asking(50);
  EXPECT_TRUE(eventually([&, &id = id] { return field_of(line_of(other, id), "omem") > 0; }));
  for (int i = 0; i < 50; ++i) {
    const auto reply = client.read();
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->text.size(), kLarge);
  }
  EXPECT_EQ(field_of(line_of(other, id), "omem"), 0);
  EXPECT_EQ(client.call({"PING"}).text, "PONG");
}

TEST_F(SlowReaders, are_closed_over_the_hard_limit) {
  start({"--client-output-buffer-limit normal 4000000 0 0"});
  SocketClient other = connect();
  const auto [client, id] = asking(100);
  EXPECT_TRUE(eventually([&, &id = id] { return line_of(other, id).empty(); }));
}

TEST_F(SlowReaders, are_closed_when_they_stay_over_the_soft_limit) {
  start({"--client-output-buffer-limit normal 0 1000000 1"});
  SocketClient other = connect();
  const auto begin = std::chrono::steady_clock::now();
  const auto [client, id] = asking(100);
  settle(other);
  EXPECT_FALSE(line_of(other, id).empty());
  EXPECT_TRUE(eventually([&, &id = id] { return line_of(other, id).empty(); }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST_F(SlowReaders, do_not_stop_others) {
  start();
  const auto [client, id] = asking(100);
  SocketClient other = connect();
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ(other.call({"INCR", "n"}).text, std::to_string(i));
}

TEST_F(SlowReaders, among_subscribers_are_closed_and_publishing_goes_on) {
  start({"--client-output-buffer-limit pubsub 4000000 0 0"});
  SocketClient publisher = connect();
  SocketClient subscriber = connect();
  SocketClient reader = connect();
  subscriber.call({"SUBSCRIBE", "channel"});
  reader.call({"SUBSCRIBE", "channel"});
  const std::string message(100000, 'm');
  int published = 0;
  EXPECT_TRUE(eventually([&] {
    ++published;
    const Value receivers = publisher.call({"PUBLISH", "channel", message});
    const auto got = reader.read();
    return !got || got->items.size() != 3 || receivers.text == "1";
  }));
  EXPECT_GT(published, 40);
  EXPECT_EQ(publisher.call({"PUBLISH", "channel", "last"}).text, "1");
  EXPECT_EQ(reader.read()->items[2].text, "last");
}

TEST_F(SlowReaders, one_batch_of_messages_stays_within_the_limit) {
  start({"--client-output-buffer-limit pubsub 4000000 0 0"});
  SocketClient publisher = connect();
  SocketClient subscriber = connect();
  subscriber.call({"SUBSCRIBE", "channel"});
  // A script or transaction publishes without the subscriber's socket getting its turn.
  publisher.send(encode_request({"MULTI"}) +
                 repeated(200, encode_request({"PUBLISH", "channel", std::string(100000, 'm')})) +
                 encode_request({"EXEC"}));
  while (publisher.read()->kind != Kind::array) {
  }
  EXPECT_EQ(publisher.call({"PUBLISH", "channel", "m"}).text, "0");
}

TEST_F(SlowReaders, leave_no_memory_in_use_when_they_have_caught_up) {
  start();
  SocketClient other = connect();
  auto [client, id] = asking(30);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(client.read());
  client.call({"ECHO", std::string(5 * kLarge, 'y')});
  const std::string line = line_of(other, id);
  EXPECT_EQ(field_of(line, "qbuf"), 0);
  EXPECT_EQ(field_of(line, "qbuf-free"), 0);
  EXPECT_LT(field_of(line, "tot-mem"), 64 * 1024);
}

}  // namespace
}  // namespace fairlane::net
