// What the clock does to jobs: each thing at its millisecond, and nothing to what others wrote.
#include <gtest/gtest.h>

#include <string>

#include "command/lane/lane_queues.hpp"
#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {
namespace {

using base::Millis;
using testkit::InProcessClient;

class LaneTime : public testing::Test {
 protected:
  static std::string shown(const std::string& bytes) {
    testkit::RespReader reader;
    reader.feed(bytes);
    const auto value = reader.next();
    return value ? testkit::show(*value) : "";
  }
  std::string run(const std::string& request) { return shown(client.ask(request)); }
  std::string heard(InProcessClient& other) { return shown(other.take()); }
  std::int64_t now() { return base::unix_millis(server.clock().wall()); }
  std::string instant(std::int64_t from_now) { return std::to_string(now() + from_now); }
  std::string depth() { return run("LANE.DEPTH q"); }
  /// How many deadlines the server keeps of the queue, those that no longer hold included.
  std::size_t kept() {
    LaneQueues& queues = *server.services().lanes;
    queues.keys().open("q");
    const KeptDeadlines& deadlines = queues.current(0).deadlines;
    return deadlines.leases.size() + deadlines.delays.size() + deadlines.tokens.size();
  }
  void lease(std::int64_t millis) {
    run("LANE.ENQUEUE q a j1 x");
    ASSERT_EQ(run("LANE.CLAIM q " + std::to_string(millis)), R"(["j1" "x" :1 "a"])");
  }

  /// Of a queue with next to no jobs: what no longer holds is cleared above 1024, and four for each job.
  static constexpr std::size_t kBound = 1024 + 8;

  testkit::InProcess server;
  InProcessClient& client = server.connect();
};

TEST_F(LaneTime, a_lease_returns_at_its_very_millisecond) {
  lease(100);
  server.advance(Millis{99});
  EXPECT_EQ(depth(), ":0");
  EXPECT_EQ(run("LANE.CLAIM q 100"), "*-1");
  EXPECT_EQ(server.step(Millis{1000}), Millis{1});
  EXPECT_EQ(run("ZCARD emq:{q}:active"), ":0");
  EXPECT_EQ(run("LANE.CLAIM q 100"), R"(["j1" "x" :2 "a"])");
}

TEST_F(LaneTime, a_delayed_job_is_claimable_at_its_millisecond) {
  run("LANE.ENQUEUE q a j1 x DELAY 50");
  run("LANE.ENQUEUE q a j2 x AT " + instant(70));
  server.advance(Millis{49});
  EXPECT_EQ(run("LANE.CLAIM q 1000"), "*-1");
  server.advance(Millis{1});
  EXPECT_EQ(run("LANE.CLAIM q 1000"), R"(["j1" "x" :1 "a"])");
  server.advance(Millis{19});
  EXPECT_EQ(run("LANE.CLAIM q 1000"), "*-1");
  server.advance(Millis{1});
  EXPECT_EQ(run("LANE.CLAIM q 1000"), R"(["j2" "x" :1 "a"])");
}

TEST_F(LaneTime, who_waits_is_served_at_that_instant) {
  InProcessClient& first = server.connect();
  InProcessClient& second = server.connect();
  lease(100);
  run("LANE.ENQUEUE q a j2 y DELAY 40");
  first.send("LANE.CLAIM q 1000 BLOCK 0");
  second.send("LANE.CLAIM q 1000 BLOCK 0");
  server.advance(Millis{39});
  EXPECT_EQ(heard(first), "");
  server.advance(Millis{1});
  EXPECT_EQ(heard(first), R"(["j2" "y" :1 "a"])");
  server.advance(Millis{59});
  EXPECT_EQ(heard(second), "");
  server.advance(Millis{1});
  EXPECT_EQ(heard(second), R"(["j1" "x" :2 "a"])");
}

TEST_F(LaneTime, an_extended_lease_ends_at_the_new_instant) {
  lease(100);
  server.advance(Millis{60});
  EXPECT_EQ(run("LANE.EXTEND q j1 1 100"), ":1");
  server.advance(Millis{99});
  EXPECT_EQ(run("ZCARD emq:{q}:active"), ":1");
  server.advance(Millis{1});
  EXPECT_EQ(depth(), ":1");
  EXPECT_EQ(run("LANE.EXTEND q j1 1 100").substr(0, 9), "-EMQSTALE");
}

TEST_F(LaneTime, a_lease_extended_to_an_earlier_instant_ends_then) {
  lease(100);
  EXPECT_EQ(run("LANE.EXTEND q j1 1 30"), ":1");
  EXPECT_EQ(server.step(Millis{1000}), Millis{30});
  EXPECT_EQ(depth(), ":1");
}

TEST_F(LaneTime, leases_and_delays_of_ordinary_commands_are_left_alone) {
  run("HSET emq:{q}:job:j1 state active attempts 1 payload x group a");
  run("ZADD emq:{q}:active " + instant(10) + " j1");
  run("HSET emq:{q}:gactive a 1");
  run("HSET emq:{q}:job:j2 state scheduled attempts 0 payload x group a");
  run("ZADD emq:{q}:schedule " + instant(10) + " j2");
  run("LANE.ENQUEUE q b j3 x");
  run("LANE.CLAIM q 20");
  run("ZADD emq:{q}:active " + instant(500) + " j3");
  server.advance(Millis{1000});
  EXPECT_EQ(run("ZRANGE emq:{q}:active 0 -1"), R"(["j1" "j3"])");
  EXPECT_EQ(depth(), ":0");
  EXPECT_EQ(run("LANE.REAP q"), ":2");
  EXPECT_EQ(run("LANE.PROMOTE q"), ":1");
  EXPECT_EQ(depth(), ":3");
}

TEST_F(LaneTime, leases_move_with_their_database) {
  lease(100);
  run("SWAPDB 0 1");
  server.advance(Millis{100});
  EXPECT_EQ(depth(), ":0");
  run("SELECT 1");
  EXPECT_EQ(depth(), ":1");
  EXPECT_EQ(run("LANE.CLAIM q 50"), R"(["j1" "x" :2 "a"])");
  run("SWAPDB 1 0");
  run("SWAPDB 2 0");
  server.advance(Millis{50});
  run("SELECT 2");
  EXPECT_EQ(depth(), ":1");
}

TEST_F(LaneTime, deadlines_of_deleted_keys_do_no_harm) {
  for (const char* deletion : {"FLUSHALL", "FLUSHDB", "DEL emq:{q}:active emq:{q}:schedule emq:{q}:gactive",
                               "DEL emq:{q}:job:j1 emq:{q}:job:j2", "SET emq:{q}:active text", "SET emq:{q}:ring text",
                               "SET emq:{q}:job:j1 text"}) {
    run("FLUSHALL");
    lease(100);
    run("LANE.ENQUEUE q a j2 x DELAY 100");
    run(deletion);
    server.advance(Millis{200});
    EXPECT_EQ(run("PING"), "+PONG") << deletion;
    run("FLUSHALL");
    run("LANE.ENQUEUE q a j1 again");
    EXPECT_EQ(run("LANE.CLAIM q 1000"), R"(["j1" "again" :1 "a"])") << deletion;
  }
}

TEST_F(LaneTime, a_lease_without_a_row_ends_and_leaves_nothing) {
  lease(100);
  run("DEL emq:{q}:job:j1");
  server.advance(Millis{100});
  EXPECT_EQ(run("EXISTS emq:{q}:active emq:{q}:g:a:pending"), ":0");
}

TEST_F(LaneTime, completed_jobs_leave_no_deadlines_beyond_the_bound) {
  for (int job = 0; job < 100'000; ++job) {
    const std::string id = "j" + std::to_string(job);
    client.ask("LANE.ENQUEUE q a " + id + " x");
    client.ask("LANE.CLAIM q 1000000");
    client.ask("LANE.COMPLETE q " + id + " 1");
  }
  EXPECT_LE(kept(), kBound);
  // One timer a queue: what is left is looked at once, and then no more.
  server.advance(Millis{1'000'000});
  while (server.step(Millis{1000}) != Millis{1000}) {
  }
  EXPECT_EQ(kept(), 0U);
}

TEST_F(LaneTime, jobs_that_come_to_a_lane_without_tokens_are_not_kept_one_by_one) {
  ASSERT_EQ(run("LANE.RATE q a 1 100000"), "+OK");
  run("LANE.ENQUEUE q a first x");
  run("LANE.CLAIM q 1000");
  for (int job = 0; job < 10'000; ++job) client.ask("LANE.ENQUEUE q a j" + std::to_string(job) + " x");
  EXPECT_LE(kept(), kBound);
  server.advance(Millis{100'000});
  EXPECT_EQ(run("LRANGE emq:{q}:ring 0 -1"), R"(["a"])");
}

TEST_F(LaneTime, extending_at_one_instant_keeps_one_deadline) {
  lease(1000);
  for (int time = 0; time < 10'000; ++time) client.ask("LANE.EXTEND q j1 1 500");
  EXPECT_LE(kept(), kBound);
  server.advance(Millis{500});
  EXPECT_EQ(depth(), ":1");
}

TEST_F(LaneTime, more_deadlines_of_one_instant_than_are_handled_in_one_go) {
  for (int job = 0; job < 3'000; ++job) client.ask("LANE.ENQUEUE q a j" + std::to_string(job) + " x DELAY 10");
  server.advance(Millis{10});
  EXPECT_EQ(depth(), ":3000");
}

TEST_F(LaneTime, a_wall_clock_set_back_makes_leases_last_until_it_says_so_again) {
  lease(100);
  server.advance(Millis{50});
  server.clock().set_wall(Millis{-1000});
  server.advance(Millis{1049});
  EXPECT_EQ(depth(), ":0");
  server.advance(Millis{1});
  EXPECT_EQ(depth(), ":1");
}

TEST_F(LaneTime, a_wall_clock_set_forward_ends_no_lease_before_its_time_has_passed_and_keeps_none_longer) {
  lease(100);
  run("LANE.ENQUEUE q a j2 x DELAY 80");
  server.advance(Millis{50});
  server.clock().set_wall(Millis{3'600'000});
  EXPECT_EQ(run("LANE.EXTEND q j1 1 1000").substr(0, 9), "-EMQSTALE");
  server.advance(Millis{30});
  EXPECT_EQ(depth(), ":2");
}

}  // namespace
}  // namespace fairlane::command
