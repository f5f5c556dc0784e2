#include "fairlane/engine/wait_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fairlane/base/random.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::engine {
namespace {

constexpr std::string_view kBoth[] = {"a", "b"};
constexpr std::span<const std::string_view> kA{kBoth, 1};

std::vector<SessionId> line(const WaitQueue& waits, const KeyId& id, std::optional<Type> held) {
  std::vector<SessionId> sessions;
  for (auto waiter = waits.next_waiter(id, 0, held); waiter; waiter = waits.next_waiter(id, waiter->turn, held)) {
    sessions.push_back(waiter->session);
  }
  return sessions;
}

class WaitQueueTest : public testing::Test {
 protected:
  Keyspace keyspace{2};
  WaitQueue waits{keyspace.shared().changes};

  void fill(std::string_view key) { keyspace.at(0).published(key, events::kLPush, true, true); }
  void store(DbIndex db, std::string_view key) { keyspace.at(db).store_string(key, "v", Deadline::clear); }
};

TEST_F(WaitQueueTest, keys_become_ready_in_the_order_in_which_they_fill_and_waiters_keep_theirs) {
  waits.add(1, 0, kBoth, Type::list);
  waits.add(2, 0, kA, Type::list);
  fill("b");
  fill("a");
  fill("a");
  EXPECT_EQ(waits.take_ready()->key, "b");
  EXPECT_EQ(waits.take_ready()->key, "a");
  EXPECT_FALSE(waits.take_ready().has_value());
  EXPECT_EQ(line(waits, {0, "a"}, Type::list), (std::vector<SessionId>{1, 2}));
  waits.remove(1);
  EXPECT_EQ(line(waits, {0, "a"}, Type::list), (std::vector<SessionId>{2}));
  EXPECT_EQ(waits.awaited_keys(), 1U);
}

TEST_F(WaitQueueTest, only_those_who_can_use_what_the_key_holds_are_called) {
  waits.add(1, 0, kA, Type::list);
  waits.add(2, 0, kA, Type::sorted_set);
  waits.add(3, 0, kA);
  waits.add(4, 0, kA, Type::list);
  const KeyId id{0, "a"};
  EXPECT_EQ(line(waits, id, Type::list), (std::vector<SessionId>{1, 3, 4}));
  EXPECT_EQ(line(waits, id, Type::sorted_set), (std::vector<SessionId>{2, 3}));
  EXPECT_EQ(line(waits, id, Type::string), (std::vector<SessionId>{3}));
  EXPECT_EQ(line(waits, id, std::nullopt), (std::vector<SessionId>{3}));
}

TEST_F(WaitQueueTest, the_end_of_a_key_matters_to_those_alone_who_wait_for_any_change) {
  store(0, "a");
  waits.add(1, 0, kA, Type::list);
  keyspace.at(0).erase("a");
  EXPECT_FALSE(waits.any_ready());
  store(0, "a");
  waits.add(2, 0, kA);
  keyspace.at(0).erase("a");
  EXPECT_TRUE(waits.any_ready());
}

TEST_F(WaitQueueTest, a_key_named_twice_is_one_place_in_the_line) {
  const std::string_view twice[] = {"a", "b", "a"};
  waits.add(1, 0, twice, Type::list);
  EXPECT_EQ(line(waits, {0, "a"}, Type::list), (std::vector<SessionId>{1}));
  waits.remove(1);
  EXPECT_EQ(waits.awaited_keys(), 0U);
  EXPECT_EQ(waits.waiting_sessions(), 0U);
}

TEST_F(WaitQueueTest, nobody_listens_while_nobody_waits) {
  EXPECT_FALSE(keyspace.shared().changes.anyone_listens());
  waits.add(1, 0, kA);
  EXPECT_TRUE(keyspace.shared().changes.anyone_listens());
  waits.remove(1);
  EXPECT_FALSE(keyspace.shared().changes.anyone_listens());
}

TEST_F(WaitQueueTest, after_an_exchange_of_databases_keys_that_exist_are_ready) {
  waits.add(1, 0, kBoth, Type::list);
  waits.add(2, 1, kA);
  store(0, "b");
  waits.databases_swapped(keyspace, 0, 1);
  std::string ready;
  while (const auto id = waits.take_ready()) ready += std::to_string(id->db) + id->key + " ";
  EXPECT_TRUE(ready == "0b 1a " || ready == "1a 0b ") << ready;
}

TEST_F(WaitQueueTest, lines_stay_in_order_whoever_leaves_against_a_model) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  base::Random random(kSeed);
  std::vector<SessionId> model;
  SessionId last = 0;
  for (int step = 0; step < 5000; ++step) {
    if (model.empty() || random.below(3) != 0) {
      waits.add(++last, 0, kA, Type::list);
      model.push_back(last);
    } else {
      const std::size_t at = random.below(2) == 0 ? 0 : random.below(model.size());
      waits.remove(model[at]);
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (step % 100 == 0) {
      ASSERT_EQ(line(waits, {0, "a"}, Type::list), model);
    }
  }
}

}  // namespace
}  // namespace fairlane::engine
