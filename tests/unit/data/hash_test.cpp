#include "fairlane/data/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fairlane::data {
namespace {

const Hash::Limits kLimits;

std::string field_of(std::uint64_t number) { return "field:" + std::to_string(number); }

std::vector<std::pair<std::string, std::string>> pairs_of(const Hash& hash) {
  std::vector<std::pair<std::string, std::string>> pairs;
  hash.for_each([&](std::string_view field, std::string_view value) { pairs.emplace_back(field, value); });
  return pairs;
}

TEST(Hash, an_empty_hash_owns_nothing) {
  Hash hash;
  EXPECT_TRUE(hash.empty());
  EXPECT_FALSE(hash.is_table());
  EXPECT_EQ(hash.memory(), 0U);
  EXPECT_FALSE(hash.find("a").has_value());
  EXPECT_FALSE(hash.erase("a"));
  EXPECT_EQ(hash.scan(0, 10, [](auto, auto) { FAIL(); }), 0U);
  EXPECT_TRUE(hash.clone().empty());
}

TEST(Hash, keeps_the_order_of_insertion_while_packed) {
  Hash hash;
  EXPECT_EQ(hash.put("state", "pending", kLimits), Hash::Put::inserted);
  EXPECT_EQ(hash.put("", "", kLimits), Hash::Put::inserted);
  EXPECT_EQ(hash.put("other", "1", kLimits), Hash::Put::inserted);
  EXPECT_EQ(hash.put("state", "active", kLimits), Hash::Put::updated);
  EXPECT_EQ(hash.put("other", "2", kLimits), Hash::Put::updated);
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(pairs_of(hash), (Pairs{{"state", "active"}, {"", ""}, {"other", "2"}}));
  EXPECT_EQ(hash.at(0), (Hash::Pair{"state", "active"}));
  EXPECT_EQ(hash.at(2), (Hash::Pair{"other", "2"}));
  EXPECT_TRUE(hash.erase(""));
  EXPECT_EQ(pairs_of(hash), (Pairs{{"state", "active"}, {"other", "2"}}));
}

TEST(Hash, every_known_text_is_one_byte_and_reads_back) {
  Hash hash;
  for (const std::string_view name : kKnownTexts) hash.put(name, name, kLimits);
  EXPECT_EQ(hash.size(), kKnownTexts.size());
  for (const std::string_view name : kKnownTexts) {
    EXPECT_NE(known_text_number(name), 0U) << name;
    EXPECT_EQ(hash.find(name), name);
    EXPECT_EQ(known_text_number(std::string(name) + "x"), 0U);
    EXPECT_FALSE(hash.find(std::string(name) + "x").has_value());
  }
}

TEST(Hash, a_job_row_is_small) {
  Hash hash;
  const std::string payload(64, 'p');
  const std::array<std::string_view, 8> row = {"state",   "pending", "attempts", "0",
                                               "payload", payload,   "group",    "tenant-12"};
  EXPECT_EQ(hash.put_all(row, kLimits), 4U);
  EXPECT_FALSE(hash.is_table());
  RecordProperty("bytes", static_cast<int>(hash.memory()));
  EXPECT_LE(hash.memory(), 112U);
  EXPECT_EQ(hash.put("state", "blocked", kLimits), Hash::Put::updated);
  EXPECT_LE(hash.memory(), 112U);
}

TEST(Hash, put_all_counts_inserted_fields_only) {
  Hash hash;
  const std::array<std::string_view, 6> pairs = {"a", "1", "a", "2", "b", "3"};
  EXPECT_EQ(hash.put_all(pairs, kLimits), 2U);
  EXPECT_EQ(hash.put_all(pairs, kLimits), 0U);
  EXPECT_EQ(hash.find("a"), "2");
  EXPECT_EQ(hash.put_all({}, kLimits), 0U);

  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 1400; ++i) texts.push_back(field_of(i));
  const std::vector<std::string_view> many(texts.begin(), texts.end());
  for (const std::size_t fields : {31U, 32U, 33U, 40U, 512U, 513U, 700U}) {
    Hash fresh;
    EXPECT_EQ(fresh.put_all(std::span(many).first(fields * 2), kLimits), fields);
    EXPECT_EQ(fresh.is_table(), fields > 512);
    for (std::size_t i = 0; i < fields; ++i) ASSERT_EQ(fresh.find(many[2 * i]), many[2 * i + 1]);
  }
}

TEST(Hash, becomes_a_table_with_one_field_more_than_the_limit) {
  Hash hash;
  for (std::uint64_t i = 0; i < 512; ++i) hash.put(field_of(i), "v", kLimits);
  EXPECT_FALSE(hash.is_table());
  hash.put(field_of(0), "w", kLimits);
  EXPECT_FALSE(hash.is_table());
  hash.put(field_of(512), "v", kLimits);
  EXPECT_TRUE(hash.is_table());
  for (std::uint64_t i = 0; i < 510; ++i) EXPECT_TRUE(hash.erase(field_of(i)));
  EXPECT_TRUE(hash.is_table());
  EXPECT_EQ(hash.size(), 3U);
  EXPECT_EQ(hash.find(field_of(512)), "v");
}

TEST(Hash, becomes_a_table_with_a_field_or_value_longer_than_the_limit) {
  const std::string fits(64, 'x');
  const std::string long_text(65, 'x');
  Hash hash;
  hash.put(fits, fits, kLimits);
  EXPECT_FALSE(hash.is_table());
  hash.put("a", long_text, kLimits);
  EXPECT_TRUE(hash.is_table());
  EXPECT_EQ(hash.find(fits), fits);
  EXPECT_EQ(hash.find("a"), long_text);
  Hash other;
  other.put(long_text, "", kLimits);
  EXPECT_TRUE(other.is_table());
  Hash updated;
  updated.put("a", "", kLimits);
  updated.put("a", long_text, kLimits);
  EXPECT_TRUE(updated.is_table());
}

TEST(Hash, a_row_with_a_long_payload_is_a_table_in_name_and_stays_compact) {
  const std::string payload(300, 'p');
  const std::array<std::string_view, 6> row = {"state", "pending", "attempts", "0", "payload", payload};
  Hash at_once;
  at_once.put_all(row, kLimits);
  Hash step_by_step;
  for (std::size_t i = 0; i < row.size(); i += 2) step_by_step.put(row[i], row[i + 1], kLimits);
  for (Hash* hash : {&at_once, &step_by_step}) {
    EXPECT_TRUE(hash->is_table());
    EXPECT_LE(hash->memory(), 352U);
    EXPECT_EQ(hash->find("payload"), payload);
    hash->put("payload", "short", kLimits);
    EXPECT_TRUE(hash->is_table());
    EXPECT_LE(hash->memory(), 32U);
    EXPECT_TRUE(hash->clone().is_table());
    for (std::uint64_t i = 0; i < 100; ++i) hash->put(field_of(i), payload, kLimits);
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(hash->find(field_of(i)), payload);
    EXPECT_EQ(hash->find("state"), "pending");
    EXPECT_EQ(hash->size(), 103U);
  }
}

TEST(Hash, an_update_beyond_a_lowered_limit_makes_a_table_too) {
  Hash hash;
  hash.put("a", "1", kLimits);
  hash.put("b", "1", kLimits);
  hash.put("a", "2", Hash::Limits{1, 64});
  EXPECT_TRUE(hash.is_table());
}

TEST(Hash, an_emptied_table_starts_over_packed) {
  Hash hash;
  hash.put("a", std::string(100, 'x'), kLimits);
  EXPECT_TRUE(hash.is_table());
  EXPECT_TRUE(hash.erase("a"));
  EXPECT_TRUE(hash.empty());
  EXPECT_EQ(hash.memory(), 0U);
  hash.put("a", "1", kLimits);
  EXPECT_FALSE(hash.is_table());
}

TEST(Hash, packed_texts_of_every_length_read_back) {
  const Hash::Limits limits{10, 100000};
  for (const std::size_t length : {0U, 1U, 127U, 128U, 129U, 255U, 16383U, 16384U, 70000U}) {
    Hash hash;
    const std::string field(length, 'f');
    const std::string value(length, 'v');
    hash.put("before", "1", limits);
    hash.put(field, value, limits);
    hash.put("after", "2", limits);
    ASSERT_FALSE(hash.is_table());
    EXPECT_EQ(hash.find(field), value);
    EXPECT_EQ(hash.find("after"), "2");
    hash.put(field, "short", limits);
    EXPECT_EQ(hash.find(field), "short");
    EXPECT_EQ(hash.find("after"), "2");
  }
}

TEST(Hash, a_block_at_its_own_bounds_becomes_a_table) {
  const Hash::Limits limits{1000000, 1000000};
  Hash many;
  for (std::uint64_t i = 0; i < 4; ++i) many.put(field_of(i), std::string(300000, 'x'), limits);
  EXPECT_TRUE(many.is_table());
  EXPECT_EQ(many.size(), 4U);
}

TEST(Hash, clone_is_equal_and_apart) {
  for (const std::uint64_t size : {1ULL, 30ULL, 2000ULL}) {
    Hash hash;
    for (std::uint64_t i = 0; i < size; ++i) hash.put(field_of(i), std::to_string(i), kLimits);
    Hash copy = hash.clone();
    EXPECT_EQ(copy.is_table(), hash.is_table());
    copy.put(field_of(0), "changed", kLimits);
    copy.erase(field_of(1));
    EXPECT_EQ(hash.size(), size);
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(hash.find(field_of(i)), std::to_string(i));
  }
}

TEST(Hash, moving_leaves_the_source_empty) {
  Hash first;
  first.put("a", "1", kLimits);
  Hash second = std::move(first);
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): that is the promise under test
  Hash third;
  third.put("b", std::string(100, 'x'), kLimits);
  third = std::move(second);
  EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(third.find("a"), "1");
}

TEST(Hash, random_pairs_are_fair_and_belong_together) {
  base::Random random(9);
  for (const std::uint64_t size : {10ULL, 600ULL}) {
    Hash hash;
    for (std::uint64_t i = 0; i < size; ++i) hash.put(field_of(i), std::to_string(i), kLimits);
    std::map<std::string, int> drawn;
    for (std::uint64_t i = 0; i < size * 100; ++i) {
      const auto [field, value] = hash.random(random);
      ASSERT_EQ(field, "field:" + std::string(value));
      ++drawn[std::string(field)];
    }
    EXPECT_EQ(drawn.size(), size);
    for (const auto& [field, times] : drawn) EXPECT_GT(times, 40) << field;
  }
}

TEST(Hash, scan_visits_all_that_stays_across_the_change_to_a_table) {
  Hash hash;
  for (std::uint64_t i = 0; i < 3000; ++i) hash.put(field_of(i), "v", kLimits);
  std::set<std::string> seen;
  std::uint64_t cursor = 0;
  std::uint64_t next = 3000;
  int calls = 0;
  do {
    cursor = hash.scan(cursor, 10, [&](std::string_view field, std::string_view) { seen.emplace(field); });
    for (int i = 0; i < 30; ++i) hash.put(field_of(next++), "v", kLimits);
    ++calls;
    ASSERT_LT(calls, 100000);
  } while (cursor != 0);
  EXPECT_GT(calls, 100);
  for (std::uint64_t i = 0; i < 3000; ++i) ASSERT_EQ(seen.count(field_of(i)), 1U);
}

/// Random puts and erasures with texts of many lengths, checked against a map after every step.
void run_model(std::uint64_t seed, const Hash::Limits& limits, std::uint64_t fields, std::uint64_t longest) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Random random(seed);
  Hash hash;
  std::unordered_map<std::string, std::string> model;
  bool table = false;  // sticky until empty, as Redis reports it
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t number = random.below(fields);
    const std::string field = number < kKnownTexts.size() ? std::string(kKnownTexts[number])
                                                          : std::string(number % 7, 'f') + field_of(number);
    const std::uint64_t percent = random.below(100);
    if (percent < 55) {
      const std::string value(random.below(longest + 1), static_cast<char>('a' + random.below(26)));
      const auto [at, fresh] = model.insert_or_assign(field, value);
      ASSERT_EQ(hash.put(field, value, limits) == Hash::Put::inserted, fresh);
      table = table || std::max(field.size(), value.size()) > limits.max_packed_value ||
              model.size() > limits.max_packed_entries;
    } else if (percent < 95) {
      ASSERT_EQ(hash.erase(field), model.erase(field) == 1);
    } else if (percent < 97) {
      hash = hash.clone();
    } else if (percent == 99 && step % 50 == 0) {
      hash.clear();
      model.clear();
    }
    ASSERT_EQ(hash.size(), model.size());
    ASSERT_EQ(hash.empty(), model.empty());
    table = table && !model.empty();
    ASSERT_EQ(hash.is_table(), table);
    const auto expected = model.find(field);
    const auto found = hash.find(field);
    ASSERT_EQ(found.has_value(), expected != model.end());
    if (found.has_value()) {
      ASSERT_EQ(*found, expected->second);
    }
    if (step % 100 == 0) {
      for (const auto& [key, value] : pairs_of(hash)) ASSERT_EQ(model.at(key), value);
      ASSERT_EQ(pairs_of(hash).size(), model.size());
    }
  }
}

TEST(Hash, random_operations_agree_with_a_map_while_packed) { run_model(11, Hash::Limits{512, 300}, 90, 300); }
TEST(Hash, random_operations_agree_with_a_map_as_a_table) { run_model(12, Hash::Limits{0, 64}, 400, 90); }
TEST(Hash, random_operations_agree_with_a_map_in_an_outgrown_block) { run_model(14, Hash::Limits{512, 8}, 35, 70); }
TEST(Hash, random_operations_agree_with_a_map_across_both) { run_model(13, Hash::Limits{20, 64}, 60, 66); }

TEST(Hash, adding_counts_in_place_and_refuses_what_is_no_number) {
  for (const Hash::Limits limits : {Hash::Limits{}, Hash::Limits{.max_packed_entries = 0, .max_searched = 0}}) {
    Hash hash;
    EXPECT_EQ(hash.add("count", 8, limits), 8);
    EXPECT_EQ(hash.add("count", 1, limits), 9);
    EXPECT_EQ(hash.add("count", 1, limits), 10);
    EXPECT_EQ(hash.add("count", -11, limits), -1);
    EXPECT_EQ(hash.find("count"), "-1");
    hash.put("word", "null", limits);
    EXPECT_EQ(hash.add("word", 1, limits), std::nullopt);
    hash.put("most", "9223372036854775807", limits);
    EXPECT_EQ(hash.add("most", 1, limits), std::nullopt);
    EXPECT_EQ(hash.find("most"), "9223372036854775807");
    EXPECT_EQ(hash.size(), 3U);
  }
}

TEST(Hash, texts_prepared_once_find_what_plain_ones_put) {
  static constexpr Hash::Text kState("state");
  static constexpr Hash::Text kOther("not-known");
  EXPECT_TRUE(kState.known());
  EXPECT_FALSE(kOther.known());
  for (const Hash::Limits limits : {Hash::Limits{}, Hash::Limits{.max_packed_entries = 0, .max_searched = 0}}) {
    Hash hash;
    hash.put("state", "active", limits);
    EXPECT_EQ(hash.find(kState), "active");
    EXPECT_EQ(hash.find(kOther), std::nullopt);
    EXPECT_EQ(hash.put(kOther, Hash::Text("x"), limits), Hash::Put::inserted);
    EXPECT_EQ(hash.put(kState, Hash::Text("pending"), limits), Hash::Put::updated);
    EXPECT_EQ(hash.find("not-known"), "x");
    EXPECT_EQ(hash.find("state"), "pending");
  }
}

TEST(Hash, find_each_tells_what_find_does_whatever_the_encoding) {
  const std::array fields{Hash::Text("state"), Hash::Text("attempts"), Hash::Text("payload")};
  for (const Hash::Limits& limits : {Hash::Limits{}, Hash::Limits{.max_packed_entries = 1, .max_searched = 1}}) {
    Hash hash;
    EXPECT_FALSE(hash.find_each(fields)[0].value.has_value());
    hash.put("payload", std::string(300, 'p'), limits);
    hash.put("other", "state", limits);
    hash.put("state", "pending", limits);
    const auto [state, attempts, payload] = hash.find_each(fields);
    EXPECT_EQ(state.value, "pending");
    EXPECT_FALSE(attempts.value.has_value());
    EXPECT_EQ(payload.value, std::string(300, 'p'));
  }
}

TEST(Hash, overwrite_changes_a_value_of_as_many_bytes_and_nothing_else) {
  const std::array fields{Hash::Text("state"), Hash::Text("attempts")};
  Hash hash;
  hash.put("state", "pending", kLimits);
  hash.put("attempts", "9", kLimits);
  const auto [state, attempts] = hash.find_each(fields);
  EXPECT_FALSE(Hash::overwrite(attempts, Hash::Text("10")));
  EXPECT_FALSE(Hash::overwrite(state, Hash::Text("odd")));
  EXPECT_EQ(hash.find("attempts"), "9");
  EXPECT_TRUE(Hash::overwrite(state, Hash::Text("active")));
  EXPECT_TRUE(Hash::overwrite(attempts, Hash::Text("7")));
  EXPECT_EQ(pairs_of(hash), (std::vector<std::pair<std::string, std::string>>{{"state", "active"}, {"attempts", "7"}}));
  EXPECT_FALSE(Hash::overwrite(Hash::Spot{}, Hash::Text("7")));
}

TEST(Hash, count_down_erases_at_the_end_whatever_the_encoding) {
  for (const Hash::Limits& limits : {Hash::Limits{}, Hash::Limits{.max_packed_entries = 1, .max_searched = 1}}) {
    Hash hash;
    EXPECT_EQ(hash.count_down("a", limits), Hash::Down::absent);
    hash.put("a", "11", limits);
    hash.put("b", "no number", limits);
    EXPECT_EQ(hash.count_down("c", limits), Hash::Down::absent);
    for (int left = 10; left > 0; --left) {
      EXPECT_EQ(hash.count_down("a", limits), Hash::Down::counted);
      EXPECT_EQ(hash.find("a"), std::to_string(left));
    }
    EXPECT_EQ(hash.count_down("a", limits), Hash::Down::erased);
    EXPECT_EQ(hash.count_down("b", limits), Hash::Down::erased);
    EXPECT_TRUE(hash.empty());
  }
}

}  // namespace
}  // namespace fairlane::data
