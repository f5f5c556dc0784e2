#include "fairlane/data/table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fairlane::data {
namespace {

struct Item {
  std::string key;
  int value = 0;
  static inline int alive = 0;
  Item(std::string text, int number) : key(std::move(text)), value(number) { ++alive; }
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;
  ~Item() { --alive; }
};

struct ItemTraits {
  using Entry = Item;
  static std::string_view key(const Item& item) noexcept { return item.key; }
  static void destroy(Item* item) noexcept { delete item; }
};

using Items = Table<ItemTraits>;

std::string name_of(std::uint64_t number) { return "key:" + std::to_string(number); }

void put(Items& items, const std::string& key, int value = 0) {
  items.insert(new Item(key, value), base::hash_bytes(key));
}
Item* get(const Items& items, const std::string& key) { return items.find(key, base::hash_bytes(key)); }

static_assert(sizeof(Items) <= 56);

TEST(Table, an_empty_table_owns_nothing_and_answers_everything) {
  Items items;
  base::Random random;
  EXPECT_EQ(items.memory(), 0U);
  EXPECT_EQ(get(items, "a"), nullptr);
  EXPECT_EQ(items.find_slot("a", base::hash_bytes("a")), nullptr);
  EXPECT_FALSE(items.erase("a", base::hash_bytes("a")));
  EXPECT_EQ(items.random(random), nullptr);
  EXPECT_EQ(items.scan(0, [](Item&) { FAIL(); }), 0U);
  items.prefetch(1);
  items.prefetch_entry(1);
  items.clear();
}

TEST(Table, a_few_entries_take_one_bucket) {
  Items items;
  for (std::uint64_t i = 0; i < 6; ++i) put(items, name_of(i));
  EXPECT_EQ(items.memory(), 64U);
}

TEST(Table, a_table_that_becomes_empty_gives_its_memory_back) {
  Items items;
  for (std::uint64_t i = 0; i < 1000; ++i) put(items, name_of(i));
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(items.erase(name_of(i), base::hash_bytes(name_of(i))));
  EXPECT_EQ(items.memory(), 0U);
  EXPECT_EQ(Item::alive, 0);
}

TEST(Table, random_operations_agree_with_a_map) {
  const std::uint64_t seed = 20260;
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Random random(seed);
  {
    Items items;
    std::unordered_map<std::string, int> model;
    for (int phase = 0; phase < 12; ++phase) {
      const std::uint64_t keys = 1 + random.below(6000);
      const std::uint64_t inserts = phase % 3 == 2 ? 10 : 70;
      for (int step = 0; step < 12000; ++step) {
        const std::string key = name_of(random.below(keys));
        const std::uint64_t hash = base::hash_bytes(key);
        Item* found = items.find(key, hash);
        const auto expected = model.find(key);
        ASSERT_EQ(found != nullptr, expected != model.end());
        if (found != nullptr) {
          ASSERT_EQ(found->value, expected->second);
        }
        if (random.below(100) < inserts) {
          if (found == nullptr) {
            items.insert(new Item(key, step), hash);
          } else {
            Item** slot = items.find_slot(key, hash);
            ASSERT_EQ(*slot, found);
            *slot = new Item(key, step);
            delete found;
          }
          model[key] = step;
        } else {
          ASSERT_EQ(items.erase(key, hash), found != nullptr);
          model.erase(key);
        }
        ASSERT_EQ(items.size(), model.size());
        ASSERT_EQ(static_cast<std::size_t>(Item::alive), model.size());
      }
      std::size_t seen = 0;
      items.for_each([&](Item& item) {
        ++seen;
        ASSERT_EQ(model.at(item.key), item.value);
      });
      ASSERT_EQ(seen, model.size());
    }
  }
  EXPECT_EQ(Item::alive, 0);
}

TEST(Table, extract_hands_the_entry_over) {
  Items items;
  put(items, "a", 7);
  Item* item = items.extract("a", base::hash_bytes("a"));
  ASSERT_NE(item, nullptr);
  EXPECT_EQ(item->value, 7);
  EXPECT_EQ(items.extract("a", base::hash_bytes("a")), nullptr);
  delete item;
}

TEST(Table, moving_and_swapping_keep_the_entries) {
  for (const std::uint64_t size : {0ULL, 1ULL, 5ULL, 100ULL, 3000ULL}) {
    Items first;
    for (std::uint64_t i = 0; i < size; ++i) put(first, name_of(i));
    Items second(std::move(first));
    Items third;
    put(third, "other");
    third.swap(second);
    EXPECT_NE(get(second, "other"), nullptr);
    EXPECT_EQ(third.size(), size);
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_NE(get(third, name_of(i)), nullptr);
    second = std::move(third);
    EXPECT_EQ(second.size(), size);
    put(second, "more");
    EXPECT_NE(get(second, "more"), nullptr);
  }
  EXPECT_EQ(Item::alive, 0);
}

TEST(Table, scan_of_a_still_table_visits_each_entry_once) {
  for (const std::uint64_t size : {1ULL, 7ULL, 50ULL, 1000ULL, 4321ULL}) {
    Items items;
    for (std::uint64_t i = 0; i < size; ++i) put(items, name_of(i));
    std::multiset<std::string> seen;
    std::uint64_t cursor = 0;
    do {
      cursor = items.scan(cursor, [&](Item& item) { seen.insert(item.key); });
    } while (cursor != 0);
    EXPECT_EQ(seen.size(), size);
    EXPECT_EQ((std::set<std::string>(seen.begin(), seen.end()).size()), size);
  }
}

/// Scans while `change` runs between the calls; the keys that stay must all be seen.
template <class Change>
void expect_scan_sees_everything(Items& items, const std::vector<std::string>& staying, Change&& change) {
  std::set<std::string> seen;
  std::uint64_t cursor = 0;
  do {
    cursor = items.scan(cursor, [&](Item& item) { seen.insert(item.key); });
    change();
  } while (cursor != 0);
  for (const std::string& key : staying) ASSERT_EQ(seen.count(key), 1U) << key;
}

TEST(Table, scan_misses_nothing_while_the_table_grows_shrinks_or_does_both) {
  const std::uint64_t seed = 4711;
  base::Random random(seed);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    Items items;
    std::vector<std::string> staying;
    for (std::uint64_t i = 0, count = 1 + random.below(300); i < count; ++i) staying.push_back("stay:" + name_of(i));
    for (const std::string& key : staying) put(items, key);
    std::vector<std::string> extra;
    std::uint64_t next = 0;
    const auto grow = [&](std::uint64_t count) {
      for (; count > 0; --count) {
        extra.push_back(name_of(next++));
        put(items, extra.back());
      }
    };
    const auto shrink = [&](std::uint64_t count) {
      for (; count > 0 && !extra.empty(); --count) {
        ASSERT_TRUE(items.erase(extra.back(), base::hash_bytes(extra.back())));
        extra.pop_back();
      }
    };
    if (round % 3 == 0) {
      expect_scan_sees_everything(items, staying, [&] {
        if (next < 20000) grow(random.below(40));
      });
    } else if (round % 3 == 1) {
      grow(6000);
      expect_scan_sees_everything(items, staying, [&] { shrink(random.below(60)); });
    } else {
      expect_scan_sees_everything(items, staying, [&] {
        if (next > 60000) return;
        if (random.below(2) == 0)
          grow(random.below(900));
        else
          shrink(random.below(900));
      });
    }
  }
}

TEST(Table, random_is_fair) {
  Items items;
  base::Random random(5);
  const std::uint64_t size = 200;
  for (std::uint64_t i = 0; i < size; ++i) put(items, name_of(i));
  std::unordered_map<std::string, int> drawn;
  for (int i = 0; i < 40000; ++i) ++drawn[items.random(random)->key];
  EXPECT_EQ(drawn.size(), size);
  for (const auto& [key, times] : drawn) {
    EXPECT_GT(times, 120) << key;
    EXPECT_LT(times, 290) << key;
  }
}

TEST(Table, memory_is_compact_at_every_size_and_after_shrinking) {
  Items items;
  double sum = 0;
  int samples = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    put(items, name_of(i));
    if (i > 1000 && i % 100 == 0) {
      const double bytes = static_cast<double>(items.memory()) / static_cast<double>(items.size());
      ASSERT_LT(bytes, 15.0);
      sum += bytes;
      ++samples;
    }
  }
  RecordProperty("bytes_per_entry", std::to_string(sum / samples));
  EXPECT_LT(sum / samples, 14.0);
  for (std::uint64_t i = 1000; i < 100000; ++i) items.erase(name_of(i), base::hash_bytes(name_of(i)));
  EXPECT_LT(items.memory(), 1000U * 28);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_NE(get(items, name_of(i)), nullptr);
}

}  // namespace
}  // namespace fairlane::data
