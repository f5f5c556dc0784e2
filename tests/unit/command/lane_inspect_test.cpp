#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fairlane/base/branded_id.hpp"
#include "fairlane/engine/changes.hpp"
#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {
namespace {

using testkit::InProcessClient;

class LaneInspect : public testing::Test {
 protected:
  testkit::Value ask(std::string_view request) {
    testkit::RespReader reader;
    reader.feed(client.ask(request));
    const auto value = reader.next();
    EXPECT_TRUE(value.has_value()) << request;
    return value.value_or(testkit::Value{});
  }
  std::string run(std::string_view request) { return testkit::show(ask(request)); }
  std::string text(std::string_view request) { return ask(request).text; }

  void fill(const std::string& lane, int jobs) {
    for (int job = 1; job <= jobs; ++job) run("LANE.ENQUEUE q " + lane + " " + lane + std::to_string(job) + " work");
  }
  void claim(int count) {
    for (; count > 0; --count) run("LANE.CLAIM q 60000");
  }
  std::string why(const std::string& lane) { return text("LANE.WHY q " + lane); }

  /// A line of LANE.LIST by its names.
  using Line = std::map<std::string, std::string>;
  static Line line_of(const testkit::Value& map) {
    Line line;
    for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) line[map.items[i].text] = map.items[i + 1].text;
    return line;
  }
  Line line(const std::string& lane) {
    const auto reply = ask("LANE.LIST q COUNT 1 MATCH " + lane);
    return reply.items.size() == 2 && !reply.items[1].items.empty() ? line_of(reply.items[1].items[0]) : Line{};
  }
  /// The names of one page, and the cursor to go on with.
  std::string page(std::string& cursor, const std::string& options) {
    const auto reply = ask("LANE.LIST q CURSOR " + cursor + " " + options);
    cursor = reply.items.at(0).text;
    std::string names;
    for (const auto& map : reply.items.at(1).items) names += line_of(map)["lane"] + " ";
    return names;
  }

  testkit::InProcess server;
  InProcessClient& client = server.connect();
};

TEST_F(LaneInspect, an_age_counts_from_the_minting_of_the_oldest_waiting_job) {
  run("LANE.ENQUEUE q a * first");
  server.advance(base::Millis(700));
  run("LANE.ENQUEUE q a * second");
  server.advance(base::Millis(50));
  EXPECT_EQ(line("a")["age"], "750");
  claim(1);
  EXPECT_EQ(line("a")["age"], "50");
  claim(1);
  EXPECT_EQ(line("a")["age"], "-1");
}

TEST_F(LaneInspect, an_age_is_never_negative_and_unknown_for_other_ids) {
  const auto later = static_cast<std::uint64_t>(base::unix_millis(server.clock().wall())) + 5000;
  const base::BrandedIdText id("JOB", (later - base::kBrandedIdEpoch) << 22);
  run("LANE.ENQUEUE q a " + std::string(id.view()) + " from-the-future");
  EXPECT_EQ(line("a")["age"], "0");
  fill("b", 1);
  EXPECT_EQ(line("b")["age"], "-1");
}

TEST_F(LaneInspect, the_queue_is_as_old_as_its_oldest_lane_in_the_ring) {
  run("LANE.ENQUEUE q paused * x");
  run("LANE.PAUSE q paused");
  server.advance(base::Millis(100));
  run("LANE.ENQUEUE q a * x");
  server.advance(base::Millis(30));
  run("LANE.ENQUEUE q b * x");
  EXPECT_NE(run("LANE.STATS q").find(R"("oldest" :30)"), std::string::npos);
  run("LANE.RESUME q paused");
  EXPECT_NE(run("LANE.STATS q").find(R"("oldest" :130)"), std::string::npos);
}

TEST_F(LaneInspect, shares_are_what_was_served_and_what_weights_entitle_to) {
  fill("a", 20);
  fill("b", 20);
  run("LANE.WEIGHT q a 3");
  for (int turn = 0; turn < 4; ++turn) run("LANE.WCLAIM q 60000");
  EXPECT_EQ(line("a")["served"], "6");
  EXPECT_EQ(line("b")["served"], "2");
  EXPECT_EQ(line("a")["share"], "0.75");
  EXPECT_EQ(line("b")["share"], "0.25");
  EXPECT_EQ(line("a")["entitled"], "0.75");
  EXPECT_EQ(line("b")["entitled"], "0.25");
  run("LANE.PAUSE q b");
  EXPECT_EQ(line("a")["entitled"], "1");
  EXPECT_EQ(line("b")["entitled"], "0");
  EXPECT_EQ(line("b")["share"], "0.25");
}

TEST_F(LaneInspect, the_smooth_policy_counts_what_it_serves) {
  run("LANE.CONFIG q SET policy smooth");
  run("LANE.WEIGHT q a 3");
  fill("a", 20);
  fill("b", 20);
  claim(12);
  EXPECT_EQ(line("a")["served"], "9");
  EXPECT_EQ(line("b")["share"], "0.25");
  EXPECT_NE(run("LANE.STATS q").find(R"("policy" "smooth")"), std::string::npos);
}

TEST_F(LaneInspect, a_flush_ends_what_was_served) {
  fill("a", 2);
  claim(2);
  run("FLUSHALL");
  fill("a", 1);
  EXPECT_EQ(line("a")["served"], "0");
  EXPECT_EQ(line("a")["share"], "0");
}

TEST_F(LaneInspect, counts_of_lanes_that_are_over_are_dropped) {
  fill("stays", 1);
  run("LANE.CLAIM q 600000");
  for (int lane = 0; lane < 6000; ++lane) {
    const std::string name = "lane" + std::to_string(lane);
    run("LANE.ENQUEUE q " + name + " " + name + " x");
    run("LANE.CLAIM q 60000");
    run("LANE.COMPLETE q " + name + " 1");
  }
  EXPECT_EQ(line("stays")["served"], "1");
  run("LANE.PAUSE q lane0");
  run("LANE.PAUSE q lane5999");
  EXPECT_EQ(line("lane0")["served"], "0");
  EXPECT_EQ(line("lane5999")["served"], "1");
  // What was dropped is no part of the whole either: 1 of the some 2000 that are left.
  EXPECT_GT(std::stod(line("stays")["share"]), 1.0 / 4200);
}

TEST_F(LaneInspect, a_walk_lists_every_lane_once_in_the_order_of_names) {
  for (const char* lane : {"b", "a", "c1", "c0", "B"}) fill(lane, 1);
  std::string cursor = "0";
  EXPECT_EQ(page(cursor, "COUNT 2"), "B a ");
  EXPECT_EQ(cursor, "61");
  EXPECT_EQ(page(cursor, "COUNT 2"), "b c0 ");
  EXPECT_EQ(page(cursor, "COUNT 2"), "c1 ");
  EXPECT_EQ(cursor, "0");
  EXPECT_EQ(page(cursor, "COUNT 5"), "B a b c0 c1 ");
  EXPECT_EQ(cursor, "0");
  EXPECT_EQ(page(cursor, "MATCH c* COUNT 1"), "c0 ");
  EXPECT_EQ(cursor, "6330");
  EXPECT_EQ(page(cursor, "MATCH c* COUNT 1"), "c1 ");
  EXPECT_EQ(cursor, "0");
}

TEST_F(LaneInspect, a_cursor_stands_for_any_name_and_survives_its_lane) {
  run(R"(LANE.ENQUEUE q "\x00\xff" one x)");
  run(R"(LANE.ENQUEUE q "0" two x)");
  run(R"(LANE.ENQUEUE q "00" three x)");
  std::string cursor = "0";
  page(cursor, "COUNT 1");
  EXPECT_EQ(cursor, "00ff");
  EXPECT_EQ(page(cursor, "COUNT 1"), "0 ");
  EXPECT_EQ(cursor, "30");
  run("LANE.DRAIN q 0");
  EXPECT_EQ(page(cursor, "COUNT 1"), "00 ");
  EXPECT_EQ(cursor, "0");
  for (const char* bad : {"\"\"", "1", "zz", "abc", "6G", "AB"}) {
    EXPECT_EQ(run("LANE.LIST q CURSOR " + std::string(bad)), "-ERR invalid cursor") << bad;
  }
}

TEST_F(LaneInspect, a_lane_is_listed_for_any_reason_to_know_it) {
  fill("waits", 1);
  fill("flies", 1);
  claim(2);
  fill("waits", 2);
  run("LANE.PAUSE q paused");
  run("LANE.WEIGHT q weighted 2");
  run("LANE.LIMIT q limited 2");
  run("LANE.RATE q rated 10 1000");
  run("RPUSH emq:{q}:ring nobody");
  std::string cursor = "0";
  EXPECT_EQ(page(cursor, ""), "flies limited paused rated waits weighted ");
  EXPECT_EQ(line("flies")["active"], "1");
  EXPECT_EQ(line("weighted")["weight"], "2");
  EXPECT_EQ(line("limited")["limit"], "2");
  EXPECT_EQ(line("paused")["paused"], "1");
  EXPECT_EQ(line("waits")["depth"], "1");
  EXPECT_NE(run("LANE.LIST q MATCH rated").find(R"("rate" [:10 :1000])"), std::string::npos);
}

TEST_F(LaneInspect, why_tells_the_first_reason_that_holds) {
  EXPECT_EQ(why("a"), "the lane is empty");
  fill("a", 4);
  fill("b", 1);
  EXPECT_EQ(why("a"), "the lane is served: position 1 of 2 in the rota");
  EXPECT_EQ(why("b"), "the lane is served: position 2 of 2 in the rota");
  run("LANE.CONFIG q SET policy smooth");
  EXPECT_EQ(why("b"), "the lane is served: one of 2 lanes that share by weight");
  run("LANE.CONFIG q SET policy ring");
  run("LREM emq:{q}:ring 0 b");
  EXPECT_EQ(why("b"), "the lane is missing in the rota");
  run("LANE.RATE q a 2 1000");
  claim(2);
  server.advance(base::Millis(380));
  EXPECT_EQ(why("a"), "the lane has spent its rate: next token in 120 ms");
  run("LANE.LIMIT q a 2");
  EXPECT_EQ(why("a"), "the lane is at its limit: 2 of 2 jobs in flight");
  run("LANE.PAUSE q a");
  EXPECT_EQ(why("a"), "the lane is paused");
  run("LANE.CONFIG q SET max-active 2");
  EXPECT_EQ(why("a"), "the queue is at its limit: 2 of 2 jobs active");
  run("LANE.PAUSE q");
  EXPECT_EQ(why("a"), "the queue is paused");
  EXPECT_EQ(why("b"), "the queue is paused");
}

TEST_F(LaneInspect, a_larger_ceiling_serves_who_waits) {
  fill("a", 4);
  run("LANE.CONFIG q SET max-active 1");
  claim(1);
  InProcessClient& worker = server.connect();
  worker.send("LANE.CLAIM q 60000 BLOCK 0");
  EXPECT_EQ(worker.take(), "");
  run("LANE.CONFIG q SET max-active 1 policy smooth");
  EXPECT_EQ(worker.take(), "");
  run("DEL emq:{q}:wake");
  run("LANE.CONFIG q SET max-active 2");
  EXPECT_NE(worker.take().find("a2"), std::string::npos);
  EXPECT_EQ(run("LLEN emq:{q}:wake"), ":1");
  worker.send("LANE.CLAIM q 60000 BLOCK 0");
  EXPECT_EQ(worker.take(), "");
  run("LANE.CONFIG q SET max-active 0");
  EXPECT_NE(worker.take().find("a3"), std::string::npos);
}

TEST_F(LaneInspect, keeping_fewer_completed_jobs_ends_the_oldest) {
  run("LANE.CONFIG q SET keep-completed 3");
  fill("a", 4);
  for (int job = 1; job <= 4; ++job) {
    claim(1);
    server.advance(base::Millis(1));
    run("LANE.COMPLETE q a" + std::to_string(job) + " 1");
  }
  EXPECT_EQ(run("ZRANGE emq:{q}:completed 0 -1"), R"(["a2" "a3" "a4"])");
  EXPECT_EQ(run("LANE.JOB q a4"), R"(["id" "a4" "state" "completed" "lane" "a" "attempts" :1 "payload" "work"])");
  run("LANE.CONFIG q SET keep-completed 1");
  EXPECT_EQ(run("ZRANGE emq:{q}:completed 0 -1"), R"(["a4"])");
  EXPECT_EQ(run("EXISTS emq:{q}:job:a2 emq:{q}:job:a3 emq:{q}:job:a4"), ":1");
  run("LANE.CONFIG q SET keep-completed 0");
  EXPECT_EQ(run("EXISTS emq:{q}:completed emq:{q}:job:a4 emq:{q}:meta"), ":0");
}

TEST_F(LaneInspect, a_refused_option_changes_none) {
  run("LANE.CONFIG q SET policy smooth");
  EXPECT_EQ(run("LANE.CONFIG q SET policy ring max-active many").substr(0, 31), "-ERR lane option 'max-active' m");
  EXPECT_EQ(run("LANE.CONFIG q SET policy ring colour blue"), "-ERR unknown lane option 'colour'");
  EXPECT_EQ(run("HGETALL emq:{q}:meta"), R"(["policy" "smooth"])");
}

TEST_F(LaneInspect, looking_changes_nothing) {
  fill("a", 3);
  fill("b", 2);
  claim(1);
  run("DEL emq:{q}:job:a2");
  run("RPUSH emq:{q}:ring nobody");
  const auto& changes = server.services().keyspace.shared().changes;
  const std::uint64_t before = changes.modifications();
  EXPECT_EQ(run("LANE.PEEK q a COUNT 5"), R"([["a3" "work" :0 "a"]])");
  for (const char* request : {"LANE.JOB q a1", "LANE.JOB q a2", "LANE.DEAD q", "LANE.LIST q", "LANE.QUEUES",
                              "LANE.WHY q a", "LANE.WHY q nobody", "LANE.STATS q", "LANE.CONFIG q GET policy",
                              "LANE.RATE q a", "LANE.CONFIG q SET policy ring"}) {
    EXPECT_NE(run(request).front(), '-') << request;
  }
  EXPECT_EQ(changes.modifications(), before);
}

TEST_F(LaneInspect, a_key_of_another_type_is_an_error_that_changes_nothing) {
  const std::pair<const char*, const char*> uses[] = {{"g:a:pending", "LANE.PEEK q a"},
                                                      {"job:a2", "LANE.PEEK q a"},
                                                      {"job:a1", "LANE.JOB q a1"},
                                                      {"active", "LANE.JOB q a1"},
                                                      {"dead", "LANE.DEAD q"},
                                                      {"ring", "LANE.LIST q"},
                                                      {"paused", "LANE.LIST q"},
                                                      {"gactive", "LANE.LIST q"},
                                                      {"gweight", "LANE.LIST q"},
                                                      {"glimit", "LANE.LIST q"},
                                                      {"grate", "LANE.LIST q"},
                                                      {"g:a:pending", "LANE.LIST q"},
                                                      {"meta", "LANE.WHY q a"},
                                                      {"ring", "LANE.WHY q a"},
                                                      {"glimit", "LANE.WHY q a"},
                                                      {"grate", "LANE.RATE q a"},
                                                      {"grate", "LANE.RATE q a 1 5"},
                                                      {"gtokens", "LANE.RATE q a 1 5"},
                                                      {"wake", "LANE.RATE q a 1 5"},
                                                      {"meta", "LANE.CONFIG q GET policy"},
                                                      {"meta", "LANE.STATS q"},
                                                      {"meta", "LANE.CONFIG q SET policy smooth"},
                                                      {"wake", "LANE.CONFIG q SET policy smooth"},
                                                      {"completed", "LANE.CONFIG q SET keep-completed 1"}};
  const auto& changes = server.services().keyspace.shared().changes;
  for (const auto& [key, request] : uses) {
    run("FLUSHALL");
    fill("a", 3);
    claim(1);
    run("SET emq:{q}:" + std::string(key) + " text");
    const std::uint64_t before = changes.modifications();
    EXPECT_EQ(run(request).substr(0, 10), "-WRONGTYPE") << request << " with " << key;
    EXPECT_EQ(changes.modifications(), before) << request << " with " << key;
  }
}

}  // namespace
}  // namespace fairlane::command
