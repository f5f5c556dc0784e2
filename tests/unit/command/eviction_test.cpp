// The memory limit: which keys give way.

#include <gtest/gtest.h>

#include <string>

#include "fairlane/base/memory_use.hpp"
#include "testkit/in_process.hpp"

namespace fairlane::command {
namespace {

using testkit::InProcess;
using testkit::InProcessClient;

constexpr std::size_t kValueBytes = 1000;
constexpr int kKeys = 600;
constexpr int kMore = 300;

class EvictionTest : public testing::Test {
 protected:
  InProcess server_{{{"maxmemory-eviction-tenacity", "100"}, {"maxmemory-samples", "10"}, {"lfu-log-factor", "0"}}};
  InProcessClient& client_ = server_.connect();
  const std::string value_ = std::string(kValueBytes, 'v');

  void set(const std::string& key, const std::string& more = {}) {
    ASSERT_EQ(client_.ask("SET " + key + " " + value_ + more), "+OK\r\n");
  }
  static std::string name(const char* prefix, int i) { return prefix + std::to_string(i); }
  /// As much as there is now may stay.
  void limit_memory(const std::string& policy) {
    client_.ask("CONFIG SET maxmemory-policy " + policy);
    client_.ask("CONFIG SET maxmemory " + std::to_string(base::allocated_memory()));
  }
  int count(const char* prefix, int keys) {
    int found = 0;
    for (int i = 0; i < keys; ++i) found += server_.services().keyspace.at(0).peek(name(prefix, i)) != nullptr ? 1 : 0;
    return found;
  }
  void add_more() {
    for (int i = 0; i < kMore; ++i) set(name("new", i));
  }
};

TEST_F(EvictionTest, the_least_recently_used_give_way) {
  for (int i = 0; i < kKeys; ++i) set(name(i % 2 == 0 ? "old" : "used", i / 2));
  server_.advance(base::Millis(100'000));
  for (int i = 0; i < kKeys / 2; ++i) client_.ask("GET " + name("used", i));
  server_.advance(base::Millis(5'000));
  limit_memory("allkeys-lru");
  add_more();
  EXPECT_EQ(count("new", kMore), kMore);
  EXPECT_LT(count("old", kKeys / 2), kKeys / 12);
  EXPECT_GT(count("used", kKeys / 2), kKeys * 5 / 12);
}

TEST_F(EvictionTest, the_least_often_used_give_way) {
  client_.ask("CONFIG SET maxmemory-policy allkeys-lfu");
  for (int i = 0; i < kKeys; ++i) set(name(i % 2 == 0 ? "rare" : "used", i / 2));
  for (int i = 0; i < kKeys / 2; ++i) {
    for (int n = 0; n < 20; ++n) client_.ask("GET " + name("used", i));
  }
  limit_memory("allkeys-lfu");
  add_more();
  EXPECT_GT(count("used", kKeys / 2), kKeys * 5 / 12);
}

TEST_F(EvictionTest, the_nearest_deadlines_give_way) {
  for (int i = 0; i < kKeys; ++i) set(name("k", i), " EX " + std::to_string(1000 + i));
  limit_memory("volatile-ttl");
  add_more();
  int near = 0;
  int far = 0;
  for (int i = 0; i < kKeys; ++i) {
    const bool there = server_.services().keyspace.at(0).peek(name("k", i)) != nullptr;
    (i < kKeys / 2 ? near : far) += there ? 1 : 0;
  }
  EXPECT_LT(near, kKeys / 12);
  EXPECT_GT(far, kKeys * 5 / 12);
}

TEST_F(EvictionTest, only_keys_with_a_deadline_give_way_under_the_volatile_policies) {
  for (const char* policy : {"volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}) {
    client_.ask("CONFIG SET maxmemory 0");
    client_.ask("FLUSHALL");
    for (int i = 0; i < kKeys; ++i) set(name(i % 2 == 0 ? "lasting" : "mortal", i / 2), i % 2 == 0 ? "" : " EX 1000");
    limit_memory(policy);
    for (int i = 0; i < kMore; ++i) client_.ask("SET " + name("new", i) + " " + value_);
    EXPECT_EQ(count("lasting", kKeys / 2), kKeys / 2) << policy;
    EXPECT_LT(count("mortal", kKeys / 2), kKeys / 6) << policy;
  }
}

TEST_F(EvictionTest, any_key_gives_way_by_chance_in_every_database) {
  for (int i = 0; i < kKeys; ++i) set(name("k", i));
  client_.ask("SELECT 1");
  for (int i = 0; i < kKeys; ++i) set(name("k", i));
  limit_memory("allkeys-random");
  add_more();
  EXPECT_LT(server_.services().keyspace.at(0).size(), static_cast<std::size_t>(kKeys));
  EXPECT_LT(count("k", kKeys), kKeys);
  EXPECT_GE(server_.services().stats.evicted_keys, static_cast<std::uint64_t>(kMore) - 30);
}

TEST_F(EvictionTest, room_is_made_by_a_timer_when_the_limit_falls) {
  for (int i = 0; i < kKeys; ++i) set(name("k", i));
  client_.ask("CONFIG SET maxmemory-policy allkeys-lru");
  client_.ask("CONFIG SET maxmemory " + std::to_string(base::allocated_memory() - kKeys * kValueBytes / 2));
  server_.advance(base::Millis(1));
  EXPECT_LT(count("k", kKeys), kKeys * 2 / 3);
  EXPECT_GT(count("k", kKeys), kKeys / 3);
}

}  // namespace
}  // namespace fairlane::command
