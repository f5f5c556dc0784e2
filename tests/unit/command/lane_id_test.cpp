#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testkit/in_process.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {
namespace {

class LaneIds : public testing::Test {
 protected:
  testkit::Value ask(const std::string& request) {
    testkit::RespReader reader;
    reader.feed(client.ask(request));
    return reader.next().value_or(testkit::Value{});
  }
  std::string run(const std::string& request) { return testkit::show(ask(request)); }

  testkit::InProcess server;
  testkit::InProcessClient& client = server.connect();
};

TEST_F(LaneIds, known_ids_are_taken_apart) {
  EXPECT_EQ(run("LANE.ID USR0KHTOWnGLuC"),
            R"(["brand" "USR" "snowflake" :274557032793636864 "ms" :1769526697641 "node" :0 "seq" :0])");
  EXPECT_EQ(run("LANE.ID USR0NgWEfAEJfs"),
            R"(["brand" "USR" "snowflake" :320636799581945856 "ms" :1780512970164 "node" :0 "seq" :0])");
  EXPECT_EQ(run("LANE.ID EVT000xY9Wvvcd"),
            R"(["brand" "EVT" "snowflake" :209715201620567 "ms" :1704117200000 "node" :395 "seq" :2647])");
  EXPECT_EQ(ask("LANE.ID JOB0000000000z").items[3].text, "61");
  EXPECT_EQ(ask("LANE.ID JOB00000000010").items[3].text, "62");
  EXPECT_EQ(ask("LANE.ID JOB000000000zz").items[3].text, "3843");
  EXPECT_EQ(ask("LANE.ID JOBAzL8n0Y58m7").items[3].text, "9223372036854775807");
  for (const char* id :
       {"JOBzzzzzzzzzzz", "JOBAzL8n0Y58m8", "JOB0000000000", "JOB000000000000", "job00000000000", "JOB0000000000-"}) {
    EXPECT_EQ(run(std::string("LANE.ID ") + id).substr(0, 9), "-EMQKIND ") << id;
  }
}

TEST_F(LaneIds, ids_minted_in_one_millisecond_are_distinct_and_sorted) {
  const testkit::Value reply = ask("LANE.MINT JOB COUNT 5000");
  std::vector<std::string> ids;
  for (const auto& id : reply.items) ids.push_back(id.text);
  ASSERT_EQ(ids.size(), 5000U);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
  const std::string later = ask("LANE.MINT JOB").items[0].text;
  EXPECT_GT(later, ids.back());
  EXPECT_EQ(ask("LANE.ID " + ids[0]).items[5].text, std::to_string(base::unix_millis(server.clock().wall())));
  EXPECT_EQ(run("LANE.MINT job").substr(0, 9), "-EMQKIND ");
  EXPECT_EQ(run("LANE.MINT JOB COUNT 0").substr(0, 11), "-ERR count ");
  EXPECT_EQ(run("LANE.MINT JOB COUNT 100001").substr(0, 11), "-ERR count ");
}

TEST_F(LaneIds, tiers_pop_by_priority_and_then_by_arrival) {
  for (const char* job : {"2 A", "1 B", "3 C", "1 D", "2 E", "1 F"}) run(std::string("TIER.PUSH tier counter ") + job);
  std::string order;
  for (int i = 0; i < 6; ++i) order += ask("ZPOPMIN tier").items[0].text + " ";
  EXPECT_EQ(order, "B D F A E C ");
}

TEST_F(LaneIds, tier_scores_are_the_composite_of_priority_and_counter) {
  EXPECT_EQ(run("TIER.PUSH tier counter 1 a"), R"(["4294967297" :1])");
  EXPECT_EQ(run("TIER.PUSH tier counter 2 b"), R"(["8589934594" :2])");
  run("SET counter 998");
  EXPECT_EQ(run("TIER.PUSH tier counter 1 c"), R"(["4294968295" :999])");
  EXPECT_EQ(run("GET counter"), "\"999\"");
  run("DEL counter");
  EXPECT_EQ(run("TIER.PUSH tier counter 2 d"), R"(["8589934593" :1])");
  EXPECT_EQ(run("ZPOPMIN tier 3"), R"(["a" "4294967297" "c" "4294968295" "d" "8589934593"])");
}

TEST_F(LaneIds, a_tier_beyond_its_range_is_refused_and_changes_nothing) {
  run("SET counter 4294967294");
  EXPECT_EQ(run("TIER.PUSH tier counter 2097151 a"), R"(["9007199254740991" :4294967295])");
  const std::uint64_t changes = server.services().keyspace.shared().changes.modifications();
  EXPECT_EQ(run("TIER.PUSH tier counter 1 b").substr(0, 17), "-ERR the counter ");
  EXPECT_EQ(run("TIER.PUSH tier counter 2097152 b").substr(0, 14), "-ERR priority ");
  EXPECT_EQ(run("TIER.PUSH tier counter -1 b").substr(0, 14), "-ERR priority ");
  EXPECT_EQ(run("TIER.PUSH tier tier 1 b").substr(0, 5), "-ERR ");
  EXPECT_EQ(run("TIER.PUSH counter other 1 b").substr(0, 11), "-WRONGTYPE ");
  EXPECT_EQ(run("TIER.PUSH new tier 1 b").substr(0, 11), "-WRONGTYPE ");
  EXPECT_EQ(server.services().keyspace.shared().changes.modifications(), changes);
  run("SET text abc");
  EXPECT_EQ(run("TIER.PUSH new text 1 b"), "-ERR value is not an integer or out of range");
}

}  // namespace
}  // namespace fairlane::command
