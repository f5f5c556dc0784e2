#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {
namespace {

using testkit::InProcessClient;

/// What a client was told, in the notation of the .wire files.
std::string shown(std::string_view bytes) {
  testkit::RespReader reader;
  reader.feed(bytes);
  std::string text;
  while (const auto value = reader.next()) {
    if (!text.empty()) text += ' ';
    text += testkit::show(*value);
  }
  return text;
}

class Lanes : public testing::Test {
 protected:
  std::string run(std::string_view request) { return shown(client.ask(request)); }
  static std::string run(InProcessClient& other, std::string_view request) { return shown(other.ask(request)); }
  static std::string heard(InProcessClient& other) { return shown(other.take()); }
  /// The job that a claim handed out, by its id.
  std::string claim() {
    const std::string reply = run("LANE.CLAIM q 1000");
    const std::size_t quote = reply.find('"', 2);
    return quote == std::string::npos ? reply : reply.substr(2, quote - 2);
  }
  std::string claims(int count) {
    std::string ids;
    for (; count > 0; --count) ids += claim() + " ";
    return ids;
  }
  void fill(std::string_view lane, int jobs) {
    for (int job = 1; job <= jobs; ++job) {
      const std::string name(lane);
      run("LANE.ENQUEUE q " + name + " " + name + std::to_string(job) + " work");
    }
  }

  testkit::InProcess server;
  InProcessClient& client = server.connect();
};

TEST_F(Lanes, an_enqueued_job_lies_in_exactly_the_keys_of_the_contract) {
  EXPECT_EQ(run("LANE.ENQUEUE q tenant-a job1 data"), "\"job1\"");
  EXPECT_EQ(run("HGETALL emq:{q}:job:job1"),
            R"(["state" "pending" "attempts" "0" "payload" "data" "group" "tenant-a"])");
  EXPECT_EQ(run("ZPOPMIN emq:{q}:g:tenant-a:pending"), R"(["job1" "0"])");
  EXPECT_EQ(run("LRANGE emq:{q}:ring 0 -1"), R"(["tenant-a"])");
  EXPECT_EQ(run("LRANGE emq:{q}:wake 0 -1"), R"(["1"])");
  EXPECT_EQ(run("DBSIZE"), ":3");
}

TEST_F(Lanes, an_id_that_has_a_row_is_not_enqueued_again) {
  fill("a", 1);
  EXPECT_EQ(run("LANE.ENQUEUE q b a1 other"), "$-1");
  EXPECT_EQ(run("LANE.DEPTH q b"), ":0");
  EXPECT_EQ(run("HGET emq:{q}:job:a1 payload"), "\"work\"");
}

TEST_F(Lanes, minted_ids_of_one_millisecond_keep_their_order) {
  run("LANE.ENQUEUE q a * first");
  run("LANE.ENQUEUE q a * second");
  run("LANE.ENQUEUE q a * third");
  EXPECT_NE(run("LANE.CLAIM q 1000").find("first"), std::string::npos);
  EXPECT_NE(run("LANE.CLAIM q 1000").find("second"), std::string::npos);
  EXPECT_NE(run("LANE.CLAIM q 1000").find("third"), std::string::npos);
}

TEST_F(Lanes, equal_lanes_alternate) {
  fill("a", 4);
  fill("b", 4);
  EXPECT_EQ(claims(8), "a1 b1 a2 b2 a3 b3 a4 b4 ");
  EXPECT_EQ(run("LANE.CLAIM q 1000"), "*-1");
  EXPECT_EQ(run("EXISTS emq:{q}:ring"), ":0");
}

TEST_F(Lanes, weights_of_three_and_one_give_three_then_one) {
  fill("a", 6);
  fill("b", 6);
  run("LANE.WEIGHT q a 3");
  EXPECT_EQ(run("LANE.WCLAIM q 1000"), R"([["a1" "work" :1 "a"] ["a2" "work" :1 "a"] ["a3" "work" :1 "a"]])");
  EXPECT_EQ(run("LANE.WCLAIM q 1000"), R"([["b1" "work" :1 "b"]])");
  EXPECT_EQ(run("LANE.WCLAIM q 1000"), R"([["a4" "work" :1 "a"] ["a5" "work" :1 "a"] ["a6" "work" :1 "a"]])");
}

TEST_F(Lanes, a_turn_cut_short_by_a_count_goes_on_with_the_next_claim) {
  fill("a", 6);
  fill("b", 6);
  run("LANE.WEIGHT q a 3");
  EXPECT_EQ(run("LANE.WCLAIM q 1000 COUNT 2"), R"([["a1" "work" :1 "a"] ["a2" "work" :1 "a"]])");
  EXPECT_EQ(run("LRANGE emq:{q}:ring 0 -1"), R"(["a" "b"])");
  EXPECT_EQ(run("LANE.WCLAIM q 1000 COUNT 2"), R"([["a3" "work" :1 "a"] ["b1" "work" :1 "b"]])");
  EXPECT_EQ(run("LANE.WCLAIM q 1000 COUNT 1"), R"([["a4" "work" :1 "a"]])");
  EXPECT_EQ(run("LANE.WCLAIM q 1000"), R"([["a5" "work" :1 "a"] ["a6" "work" :1 "a"]])");
}

TEST_F(Lanes, a_batch_is_bounded_by_its_count_and_by_the_limit) {
  fill("a", 6);
  EXPECT_EQ(run("LANE.BCLAIM q 1000 COUNT 2"), R"([["a1" "work" :1 "a"] ["a2" "work" :1 "a"]])");
  run("LANE.LIMIT q a 5");
  EXPECT_EQ(run("LANE.BCLAIM q 1000"), R"([["a3" "work" :1 "a"] ["a4" "work" :1 "a"] ["a5" "work" :1 "a"]])");
  EXPECT_EQ(run("LANE.BCLAIM q 1000"), "[]");
}

TEST_F(Lanes, a_claim_moves_the_job_to_the_leased_ones_and_counts_the_attempt) {
  fill("a", 1);
  EXPECT_EQ(run("LANE.CLAIM q 30000"), R"(["a1" "work" :1 "a"])");
  EXPECT_EQ(run("ZPOPMIN emq:{q}:active"),
            "[\"a1\" \"" + std::to_string(base::unix_millis(server.clock().wall()) + 30000) + "\"]");
  EXPECT_EQ(run("HMGET emq:{q}:job:a1 state attempts"), R"(["active" "1"])");
  EXPECT_EQ(run("HGETALL emq:{q}:gactive"), R"(["a" "1"])");
}

TEST_F(Lanes, completing_leaves_nothing_of_the_job) {
  fill("a", 1);
  claim();
  run("SET emq:{q}:job:a1:lock token");
  run("RPUSH emq:{q}:job:a1:logs line");
  run("DEL emq:{q}:wake");
  EXPECT_EQ(run("LANE.COMPLETE q a1 1"), ":1");
  EXPECT_EQ(run("HGETALL emq:{q}:metrics:completed"), R"(["count" "1"])");
  EXPECT_EQ(run("DBSIZE"), ":1");
  EXPECT_EQ(run("LANE.COMPLETE q a1 1"), ":0");
}

TEST_F(Lanes, a_job_whose_id_ends_like_an_attachment_stays) {
  run("LANE.ENQUEUE q a x 1");
  run("LANE.ENQUEUE q a x:logs 2");
  claim();
  run("LANE.COMPLETE q x 1");
  EXPECT_EQ(run("LANE.CLAIM q 1000"), R"(["x:logs" "2" :1 "a"])");
}

TEST_F(Lanes, refusals_change_nothing) {
  fill("a", 2);
  claim();
  EXPECT_EQ(run("LANE.COMPLETE q a1 2").substr(0, 9), "-EMQSTALE");
  EXPECT_EQ(run("LANE.COMPLETE q a1 01").substr(0, 9), "-EMQSTALE");
  EXPECT_EQ(run("LANE.COMPLETE q a2 0").substr(0, 9), "-EMQSTATE");
  EXPECT_EQ(run("LANE.COMPLETE q a1 1"), ":1");
}

TEST_F(Lanes, settling_claims_the_next_job_in_the_same_round_trip) {
  fill("a", 2);
  claim();
  EXPECT_EQ(run("LANE.COMPLETE q a1 1 NEXT 1000"), R"([:1 ["a2" "work" :1 "a"]])");
  EXPECT_EQ(run("LANE.COMPLETE q a2 1 NEXT 1000"), "[:1 *-1]");
  EXPECT_EQ(run("LANE.COMPLETE q a2 1 NEXT 1000"), "[:0 *-1]");
}

TEST_F(Lanes, a_lane_at_its_limit_rejoins_at_the_tail_when_a_job_settles) {
  fill("a", 3);
  fill("b", 3);
  run("LANE.LIMIT q a 1");
  EXPECT_EQ(claims(3), "a1 b1 b2 ");
  EXPECT_EQ(run("LRANGE emq:{q}:ring 0 -1"), R"(["b"])");
  run("LANE.COMPLETE q a1 1");
  EXPECT_EQ(run("LRANGE emq:{q}:ring 0 -1"), R"(["b" "a"])");
  EXPECT_EQ(claims(3), "b3 a2 *-1 ");
}

TEST_F(Lanes, lowering_and_raising_a_limit_takes_effect_at_once) {
  fill("a", 3);
  claims(2);
  run("LANE.LIMIT q a 2");
  EXPECT_EQ(run("EXISTS emq:{q}:ring"), ":0");
  run("LANE.LIMIT q a 3");
  EXPECT_EQ(claims(2), "a3 *-1 ");
  EXPECT_EQ(run("LANE.LIMIT q a"), ":3");
  run("LANE.LIMIT q a 0");
  EXPECT_EQ(run("LANE.LIMIT q a"), ":0");
  EXPECT_EQ(run("EXISTS emq:{q}:glimit"), ":0");
}

TEST_F(Lanes, a_paused_lane_keeps_its_jobs_and_can_be_paused_before_its_first) {
  EXPECT_EQ(run("LANE.PAUSE q a"), "+OK");
  EXPECT_EQ(run("LANE.PAUSE q a"), "+OK");
  fill("a", 2);
  EXPECT_EQ(claims(1), "*-1 ");
  EXPECT_EQ(run("LANE.DEPTH q a"), ":2");
  EXPECT_EQ(run("LANE.RESUME q a"), "+OK");
  EXPECT_EQ(run("LANE.RESUME q a"), "+OK");
  EXPECT_EQ(claims(2), "a1 a2 ");
}

TEST_F(Lanes, a_paused_queue_hands_out_nothing) {
  fill("a", 1);
  EXPECT_EQ(run("LANE.PAUSE q"), "+OK");
  EXPECT_EQ(run("HGETALL emq:{q}:meta"), R"(["paused" "1"])");
  EXPECT_EQ(claims(1), "*-1 ");
  EXPECT_EQ(run("LANE.RESUME q"), "+OK");
  EXPECT_EQ(run("EXISTS emq:{q}:meta"), ":0");
  EXPECT_EQ(claims(1), "a1 ");
}

TEST_F(Lanes, the_queues_own_ceiling_holds_across_lanes) {
  fill("a", 2);
  fill("b", 2);
  run("HSET emq:{q}:meta concurrency 3");
  EXPECT_EQ(claims(4), "a1 b1 a2 *-1 ");
  run("LANE.COMPLETE q b1 1");
  EXPECT_EQ(claims(2), "b2 *-1 ");
}

TEST_F(Lanes, a_full_lane_refuses_jobs) {
  EXPECT_EQ(run("LANE.ENQUEUE q a a1 x MAXDEPTH 1"), "\"a1\"");
  EXPECT_EQ(run("LANE.ENQUEUE q a a2 x MAXDEPTH 1").substr(0, 9), "-LANEFULL");
  EXPECT_EQ(run("EXISTS emq:{q}:job:a2"), ":0");
  EXPECT_EQ(run("LANE.ENQUEUE q a a2 x MAXDEPTH 2"), "\"a2\"");
}

TEST_F(Lanes, no_more_than_64_wake_tokens_pile_up) {
  for (int lane = 0; lane < 100; ++lane)
    run("LANE.ENQUEUE q lane" + std::to_string(lane) + " j" + std::to_string(lane) + " x");
  EXPECT_EQ(run("LLEN emq:{q}:wake"), ":64");
}

TEST_F(Lanes, blocked_claimers_are_served_in_order_of_arrival_each_with_its_own_job) {
  InProcessClient& first = server.connect();
  InProcessClient& second = server.connect();
  InProcessClient& gone = server.connect();
  InProcessClient& third = server.connect();
  EXPECT_EQ(run(first, "LANE.CLAIM q 1000 BLOCK 0"), "");
  EXPECT_EQ(run(gone, "LANE.CLAIM q 1000 BLOCK 0"), "");
  EXPECT_EQ(run(second, "LANE.WCLAIM q 1000 BLOCK 500"), "");
  EXPECT_EQ(run(third, "LANE.CLAIM q 1000 BLOCK 200"), "");
  server.disconnect(gone);
  server.advance(base::Millis{200});
  EXPECT_EQ(heard(third), "*-1");
  fill("a", 3);
  EXPECT_EQ(heard(first), R"(["a1" "work" :1 "a"])");
  EXPECT_EQ(heard(second), R"([["a2" "work" :1 "a"]])");
  EXPECT_EQ(run("LANE.DEPTH q a"), ":1");
  EXPECT_EQ(server.services().waits.waiting_sessions(), 0U);
}

TEST_F(Lanes, whatever_makes_a_job_claimable_serves_who_waits) {
  InProcessClient& waiter = server.connect();
  const std::vector<std::pair<std::string, std::string>> closings = {
      {"LANE.PAUSE q a", "LANE.RESUME q a"},
      {"LANE.PAUSE q", "LANE.RESUME q"},
      {"LANE.LIMIT q a 1", "LANE.LIMIT q a 2"},
      {"LANE.LIMIT q a 1", "LANE.COMPLETE q held 1"},
      {"HSET emq:{q}:meta concurrency 1", "LANE.COMPLETE q held 1"},
  };
  for (const auto& [closing, opening] : closings) {
    run("FLUSHALL");
    run("LANE.ENQUEUE q a held x");
    claim();
    run(closing);
    run("LANE.ENQUEUE q a job x");
    ASSERT_EQ(run(waiter, "LANE.CLAIM q 1000 BLOCK 0"), "") << closing;
    run(opening);
    EXPECT_EQ(heard(waiter), R"(["job" "x" :1 "a"])") << opening;
  }
}

TEST_F(Lanes, nobody_waits_inside_a_transaction) {
  EXPECT_EQ(run("MULTI"), "+OK");
  run("LANE.CLAIM q 1000 BLOCK 0");
  run("LANE.ENQUEUE q a a1 work");
  run("LANE.WCLAIM q 1000 BLOCK 0");
  EXPECT_EQ(run("EXEC"), R"([*-1 "a1" [["a1" "work" :1 "a"]]])");
}

TEST_F(Lanes, a_watch_on_any_key_of_a_queue_hears_of_lane_commands) {
  fill("a", 1);
  InProcessClient& watcher = server.connect();
  for (const char* key :
       {"emq:{q}:g:a:pending", "emq:{q}:ring", "emq:{q}:job:a1", "emq:{q}:active", "emq:{q}:gactive"}) {
    run("FLUSHALL");
    fill("a", 1);
    run(watcher, std::string("WATCH ") + key);
    run(watcher, "MULTI");
    claim();
    EXPECT_EQ(run(watcher, "EXEC"), "*-1") << key;
  }
}

TEST_F(Lanes, a_wrong_type_at_any_key_is_refused_and_changes_nothing) {
  const std::vector<std::pair<std::string, std::string>> uses = {
      {"emq:{q}:ring", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:wake", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:paused", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:glimit", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:gactive", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:job:n1", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:g:new:pending", "LANE.ENQUEUE q new n1 x"},
      {"emq:{q}:ring", "LANE.CLAIM q 1000"},
      {"emq:{q}:meta", "LANE.CLAIM q 1000"},
      {"emq:{q}:active", "LANE.CLAIM q 1000"},
      {"emq:{q}:gactive", "LANE.CLAIM q 1000"},
      {"emq:{q}:paused", "LANE.CLAIM q 1000"},
      {"emq:{q}:glimit", "LANE.CLAIM q 1000"},
      {"emq:{q}:job:a2", "LANE.CLAIM q 1000"},
      {"emq:{q}:g:a:pending", "LANE.CLAIM q 1000"},
      {"emq:{q}:gweight", "LANE.WCLAIM q 1000"},
      {"emq:{q}:job:a2", "LANE.BCLAIM q 1000 COUNT 9"},
      {"emq:{q}:job:a1", "LANE.COMPLETE q a1 1"},
      {"emq:{q}:active", "LANE.COMPLETE q a1 1"},
      {"emq:{q}:gactive", "LANE.COMPLETE q a1 1"},
      {"emq:{q}:metrics:completed", "LANE.COMPLETE q a1 1"},
      {"emq:{q}:ring", "LANE.COMPLETE q a1 1"},
      {"emq:{q}:gweight", "LANE.WEIGHT q a 2"},
      {"emq:{q}:glimit", "LANE.LIMIT q a 2"},
      {"emq:{q}:ring", "LANE.LIMIT q a 2"},
      {"emq:{q}:paused", "LANE.PAUSE q a"},
      {"emq:{q}:paused", "LANE.RESUME q a"},
      {"emq:{q}:meta", "LANE.PAUSE q"},
      {"emq:{q}:meta", "LANE.RESUME q"},
      {"emq:{q}:g:a:pending", "LANE.DEPTH q a"},
      {"emq:{q}:ring", "LANE.DEPTH q"},
      {"emq:{q}:dead", "LANE.STATS q"},
  };
  for (const auto& [key, request] : uses) {
    run("FLUSHALL");
    fill("a", 3);
    claim();
    run("SET " + key + " text");
    const std::string size = run("DBSIZE");
    const std::uint64_t changes = server.services().keyspace.shared().changes.modifications();
    EXPECT_EQ(run(request).substr(0, 10), "-WRONGTYPE") << request << " with " << key;
    EXPECT_EQ(run("DBSIZE"), size) << request << " with " << key;
    EXPECT_EQ(server.services().keyspace.shared().changes.modifications(), changes) << request << " with " << key;
  }
}

TEST_F(Lanes, others_may_change_the_ring_at_any_time) {
  fill("a", 3);
  fill("b", 3);
  fill("c", 3);
  EXPECT_EQ(claims(1), "a1 ");
  run("LREM emq:{q}:ring 0 c");
  EXPECT_EQ(claims(1), "b1 ");
  run("RPUSH emq:{q}:ring c nobody c");
  EXPECT_EQ(claims(4), "a2 b2 c1 c2 ");
  run("LMOVE emq:{q}:ring emq:{q}:ring LEFT RIGHT");
  EXPECT_EQ(claims(1), "b3 ");
  run("RENAME emq:{q}:ring elsewhere");
  EXPECT_EQ(claims(1), "*-1 ");
  run("RENAME elsewhere emq:{q}:ring");
  EXPECT_NE(claims(1), "*-1 ");
}

TEST_F(Lanes, queues_and_databases_do_not_see_each_other) {
  fill("a", 1);
  EXPECT_EQ(run("LANE.CLAIM q2 1000"), "*-1");
  run("SELECT 1");
  EXPECT_EQ(claims(1), "*-1 ");
  run("LANE.ENQUEUE q a other x");
  run("SELECT 0");
  run("SWAPDB 0 1");
  EXPECT_EQ(claims(2), "other *-1 ");
  run("SWAPDB 0 1");
  EXPECT_EQ(claims(2), "a1 *-1 ");
}

TEST_F(Lanes, an_entry_without_a_row_is_dropped) {
  fill("a", 3);
  run("DEL emq:{q}:job:a1");
  run("DEL emq:{q}:job:a3");
  EXPECT_EQ(claims(2), "a2 *-1 ");
  EXPECT_EQ(run("EXISTS emq:{q}:g:a:pending emq:{q}:ring"), ":0");
}

TEST_F(Lanes, totals_count_lanes_wherever_they_are) {
  fill("a", 3);
  fill("42", 2);
  fill("c", 4);
  claim();
  run("LANE.LIMIT q a 1");
  run("LANE.PAUSE q 42");
  EXPECT_EQ(run("LANE.DEPTH q"), ":8");
  EXPECT_EQ(run("LANE.STATS q"),
            R"(["depth" :8 "active" :1 "scheduled" :0 "dead" :0 "completed" :0 "failed" :0 "ungrouped" :0 "lanes" :3 )"
            R"("serviceable" :1 "paused-lanes" :1 "paused" :0 "max-active" :0 "oldest" :-1 "policy" "ring"])");
}

TEST_F(Lanes, bad_input_is_refused) {
  EXPECT_EQ(run("LANE.ENQUEUE q/2 a a1 x").substr(0, 23), "-ERR invalid queue name");
  EXPECT_EQ(run("LANE.ENQUEUE " + std::string(129, 'q') + " a a1 x").substr(0, 23), "-ERR invalid queue name");
  EXPECT_EQ(run("LANE.ENQUEUE " + std::string(128, 'q') + " a a1 x"), "\"a1\"");
  EXPECT_EQ(run("LANE.ENQUEUE q " + std::string(513, 'a') + " a1 x").substr(0, 22), "-ERR invalid lane name");
  EXPECT_EQ(run("LANE.ENQUEUE q a " + std::string(513, 'a') + " x").substr(0, 19), "-ERR invalid job id");
  EXPECT_EQ(run("LANE.ENQUEUE q \"\" id x").substr(0, 22), "-ERR invalid lane name");
  EXPECT_EQ(run("LANE.ENQUEUE q a a1 x MAXDEPTH 0").substr(0, 10), "-ERR depth");
  EXPECT_EQ(run("LANE.ENQUEUE q a a1 x MAXDEPTH"), "-ERR syntax error");
  EXPECT_EQ(run("LANE.CLAIM q 0").substr(0, 10), "-ERR lease");
  EXPECT_EQ(run("LANE.CLAIM q 9223372036854775807").substr(0, 10), "-ERR lease");
  EXPECT_EQ(run("LANE.CLAIM q 1000 COUNT 3"), "-ERR syntax error");
  EXPECT_EQ(run("LANE.CLAIM q 1000 BLOCK -1"), "-ERR timeout is negative");
  EXPECT_EQ(run("LANE.WCLAIM q 1000 COUNT 0").substr(0, 10), "-ERR count");
  EXPECT_EQ(run("LANE.WEIGHT q a 0").substr(0, 11), "-ERR weight");
  EXPECT_EQ(run("LANE.LIMIT q a -1").substr(0, 10), "-ERR limit");
  EXPECT_EQ(run("LANE.PAUSE q a b"), "-ERR syntax error");
  EXPECT_EQ(run("LANE.COMPLETE q a1 1 NEXT -5").substr(0, 10), "-ERR lease");
  EXPECT_EQ(run("LANE.CLAIM q"), "-ERR wrong number of arguments for 'lane.claim' command");
}

}  // namespace
}  // namespace fairlane::command
