#include "fairlane/data/sorted_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fairlane::data {
namespace {

using base::Random;
using Entry = std::pair<double, std::string>;

/// What a sorted set is, in the plainest words.
class Model {
 public:
  SortedSet::Put put(const std::string& member, double score) {
    const auto [at, fresh] = scores_.emplace(member, score);
    if (fresh) {
      order_.emplace(score, member);
      return SortedSet::Put::inserted;
    }
    if (at->second == score) return SortedSet::Put::unchanged;
    order_.erase({at->second, member});
    order_.emplace(score, member);
    at->second = score;
    return SortedSet::Put::moved;
  }
  bool erase(const std::string& member) {
    const auto at = scores_.find(member);
    if (at == scores_.end()) return false;
    order_.erase({at->second, member});
    scores_.erase(at);
    return true;
  }
  std::optional<double> score(const std::string& member) const {
    const auto at = scores_.find(member);
    return at == scores_.end() ? std::nullopt : std::optional(at->second);
  }
  std::vector<Entry> entries() const { return {order_.begin(), order_.end()}; }
  std::size_t size() const { return scores_.size(); }

 private:
  std::map<std::string, double> scores_;
  std::set<Entry> order_;
};

std::string digits(std::uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%014llu", static_cast<unsigned long long>(number));
  return text;
}

/// Members of all kinds: short, padded with zero bytes, at the edge of the slot, long with a common prefix, empty.
std::string some_member(Random& random, std::uint64_t range) {
  const std::uint64_t number = random.below(range);
  switch (random.below(6)) {
    case 0:
      return std::string(random.below(20), '\0');
    case 1:
      return std::to_string(number);
    case 2:
      return "prefix:" + digits(number);
    case 3:
      return "12345678" + std::string(random.below(12), static_cast<char>(number));
    case 4:
      return std::string(1, static_cast<char>(number)) + std::to_string(number % 7);
    default:
      return digits(number);
  }
}

Entry entry_of(const SortedSet::Cursor& cursor) {
  const SortedSet::Item item = cursor.item();
  return {item.score, std::string(item.member)};
}

void expect_at(const SortedSet::Cursor& cursor, const std::vector<Entry>& all, std::ptrdiff_t index) {
  if (index < 0 || index >= static_cast<std::ptrdiff_t>(all.size())) {
    EXPECT_FALSE(cursor.valid());
    return;
  }
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(entry_of(cursor), all[static_cast<std::size_t>(index)]);
}

std::vector<Entry> forward(const SortedSet& set) {
  std::vector<Entry> all;
  for (auto at = set.first(); at.valid(); at.next()) all.push_back(entry_of(at));
  return all;
}

std::vector<Entry> backward(const SortedSet& set) {
  std::vector<Entry> all;
  for (auto at = set.last(); at.valid(); at.prev()) all.push_back(entry_of(at));
  return all;
}

void expect_same(const SortedSet& set, const Model& model) {
  const std::vector<Entry> all = model.entries();
  ASSERT_EQ(set.size(), all.size());
  EXPECT_EQ(set.empty(), all.empty());
  EXPECT_EQ(forward(set), all);
  EXPECT_EQ(backward(set), std::vector<Entry>(all.rbegin(), all.rend()));
}

void expect_seeks(const SortedSet& set, const std::vector<Entry>& all, double score, const std::string& member) {
  const auto count = [&all](auto&& holds) { return std::count_if(all.begin(), all.end(), holds); };
  const auto below = count([score](const Entry& entry) { return entry.first < score; });
  const auto through = count([score](const Entry& entry) { return entry.first <= score; });
  expect_at(set.seek_score(score, false), all, below);
  expect_at(set.seek_score(score, true), all, through);
  expect_at(set.seek_score_back(score, false), all, through - 1);
  expect_at(set.seek_score_back(score, true), all, below - 1);
  if (set.scored()) return;
  const auto before = count([&member](const Entry& entry) { return entry.second < member; });
  const auto not_behind = count([&member](const Entry& entry) { return entry.second <= member; });
  expect_at(set.seek_member(member, false), all, before);
  expect_at(set.seek_member(member, true), all, not_behind);
  expect_at(set.seek_member_back(member, false), all, not_behind - 1);
  expect_at(set.seek_member_back(member, true), all, before - 1);
}

void expect_ranks(const SortedSet& set, const std::vector<Entry>& all, std::size_t rank) {
  expect_at(set.at_rank(rank), all, static_cast<std::ptrdiff_t>(rank));
  if (rank >= all.size()) return;
  EXPECT_EQ(set.rank(all[rank].second), rank);
  EXPECT_EQ(set.rank_of(set.at_rank(rank)), rank);
}

/// One random life of a set beside the model.
class Life {
 public:
  Life(std::uint64_t seed, std::uint64_t scores, std::uint64_t range) : random_(seed), scores_(scores), range_(range) {
    std::printf("seed %llu, %llu scores, range %llu\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(scores), static_cast<unsigned long long>(range));
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      if (i % 1024 == 0) growth_ = 4 + random_.below(9);
      step();
      set_.check();
      most_ = std::max(most_, set_.size());
      if (i % 64 == 0) compare();
    }
    compare();
    std::printf("at most %zu members\n", most_);
  }

 private:
  double some_score() { return static_cast<double>(random_.below(scores_)) - 3; }

  void step() {
    if (random_.below(12) < growth_) {
      put();
    } else if (random_.below(150) == 0) {
      erase_range();
    } else if (random_.below(4) == 0) {
      pop();
    } else {
      const std::string member = existing_or_new();
      EXPECT_EQ(set_.erase(member), model_.erase(member));
    }
  }
  std::string existing_or_new() {
    if (set_.empty() || random_.below(4) == 0) return some_member(random_, range_);
    return std::string(set_.random(random_).member);
  }
  void put() {
    const std::string member = random_.below(4) == 0 ? existing_or_new() : some_member(random_, range_);
    const double score = some_score();
    EXPECT_EQ(set_.put(member, score), model_.put(member, score));
    EXPECT_EQ(set_.score(member), model_.score(member));
  }
  void pop() {
    const std::size_t count = random_.below(40) == 0 ? random_.below(100) : random_.below(3);
    std::vector<Entry> expected = model_.entries();
    std::vector<Entry> popped;
    const auto visit = [&popped](const SortedSet::Item& item) { popped.emplace_back(item.score, item.member); };
    if (random_.below(2) == 0) {
      EXPECT_EQ(set_.pop_min(count, visit), std::min(count, expected.size()));
    } else {
      std::reverse(expected.begin(), expected.end());
      EXPECT_EQ(set_.pop_max(count, visit), std::min(count, expected.size()));
    }
    expected.resize(std::min(count, expected.size()));
    EXPECT_EQ(popped, expected);
    for (const Entry& entry : popped) model_.erase(entry.second);
  }
  void erase_range() {
    const std::vector<Entry> all = model_.entries();
    const std::size_t first = random_.below(all.size() + 2);
    const std::size_t last = first + random_.below(150);
    std::vector<Entry> gone;
    set_.erase_range(first, last, [&gone](const SortedSet::Item& item) { gone.emplace_back(item.score, item.member); });
    std::vector<Entry> expected;
    for (std::size_t i = first; i <= last && i < all.size(); ++i) expected.push_back(all[i]);
    EXPECT_EQ(gone, expected);
    for (const Entry& entry : gone) model_.erase(entry.second);
  }
  void compare() {
    expect_same(set_, model_);
    const std::vector<Entry> all = model_.entries();
    for (int i = 0; i < 8; ++i) {
      expect_seeks(set_, all, some_score() + (random_.below(2) == 0 ? 0.5 : 0), existing_or_new());
      expect_ranks(set_, all, random_.below(all.size() + 2));
      const std::string member = existing_or_new();
      EXPECT_EQ(set_.score(member), model_.score(member));
    }
    const SortedSet copy = set_.clone();
    copy.check();
    expect_same(copy, model_);
    EXPECT_EQ(copy.large(), set_.large());
  }

  Random random_;
  std::uint64_t scores_;
  std::uint64_t range_;
  std::uint64_t growth_ = 6;
  std::size_t most_ = 0;
  SortedSet set_;
  Model model_;
};

TEST(SortedSet, behaves_as_the_model_while_all_scores_are_equal) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) Life(seed, 1, seed % 2 == 0 ? 300 : 100000).run(8000);
}

TEST(SortedSet, behaves_as_the_model_with_few_scores) {
  for (std::uint64_t seed = 11; seed <= 14; ++seed) Life(seed, 3, seed % 2 == 0 ? 300 : 100000).run(8000);
}

TEST(SortedSet, behaves_as_the_model_with_many_scores) {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) Life(seed, 1000000, seed % 2 == 0 ? 300 : 100000).run(8000);
}

TEST(SortedSet, behaves_as_the_model_when_tiny) {
  for (std::uint64_t seed = 31; seed <= 36; ++seed) Life(seed, 1 + seed % 2, 4).run(3000);
}

TEST(SortedSet, an_empty_set_has_nothing) {
  SortedSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.size(), 0U);
  EXPECT_EQ(set.memory(), 0U);
  EXPECT_FALSE(set.first().valid());
  EXPECT_FALSE(set.last().valid());
  EXPECT_FALSE(set.at_rank(0).valid());
  EXPECT_FALSE(set.seek_score(0, false).valid());
  EXPECT_FALSE(set.seek_member_back("a", false).valid());
  EXPECT_FALSE(set.score("a").has_value());
  EXPECT_FALSE(set.rank("a").has_value());
  EXPECT_FALSE(set.erase("a"));
  EXPECT_EQ(set.pop_min(3, [](const SortedSet::Item&) {}), 0U);
  EXPECT_EQ(set.erase_range(0, 3), 0U);
  EXPECT_EQ(set.scan(0, 10, [](const SortedSet::Item&) {}), 0U);
  EXPECT_TRUE(set.clone().empty());
}

TEST(SortedSet, pop_min_breaks_ties_by_member) {
  SortedSet set;
  for (const char* member : {"b", "ab", "a", "aa"}) set.put(member, 1);
  set.put("z", 0);
  std::string order;
  set.pop_min(5, [&order](const SortedSet::Item& item) { order += std::string(item.member) + " "; });
  EXPECT_EQ(order, "z a aa ab b ");
  EXPECT_TRUE(set.empty());
}

TEST(SortedSet, a_zero_byte_sorts_behind_the_end_of_a_member) {
  SortedSet set;
  const std::vector<std::string> sorted = {
      "",   std::string(1, '\0'), "a", std::string("a\0", 2), std::string("a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17),
      "a\1"};
  for (auto at = sorted.rbegin(); at != sorted.rend(); ++at) set.put(*at, 0);
  std::vector<std::string> found;
  for (const Entry& entry : forward(set)) found.push_back(entry.second);
  EXPECT_EQ(found, sorted);
}

TEST(SortedSet, each_member_keeps_the_sign_of_its_zero) {
  SortedSet set;
  set.put("b", 0.0);
  set.put("c", 0.0);
  EXPECT_EQ(set.put("b", -0.0), SortedSet::Put::unchanged);
  EXPECT_FALSE(set.scored());
  EXPECT_EQ(set.put("a", -0.0), SortedSet::Put::inserted);
  EXPECT_TRUE(std::signbit(*set.score("a")));
  EXPECT_FALSE(std::signbit(*set.score("b")));
  EXPECT_EQ(set.rank("a"), 0U);
  set.check();
}

TEST(SortedSet, infinities_are_scores) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SortedSet set;
  set.put("top", kInfinity);
  set.put("bottom", -kInfinity);
  set.put("middle", 0);
  EXPECT_EQ(set.rank("bottom"), 0U);
  EXPECT_EQ(set.rank("top"), 2U);
  EXPECT_EQ(set.seek_score(-kInfinity, true).item().member, "middle");
  EXPECT_EQ(set.seek_score_back(kInfinity, false).item().member, "top");
}

TEST(SortedSet, the_score_of_an_only_member_changes_without_a_second_encoding) {
  SortedSet set;
  set.put("a", 1);
  EXPECT_EQ(set.put("a", 2), SortedSet::Put::moved);
  EXPECT_FALSE(set.scored());
  set.put("b", 2);
  EXPECT_EQ(set.put("a", 3), SortedSet::Put::moved);
  EXPECT_TRUE(set.scored());
  EXPECT_EQ(set.rank("a"), 1U);
}

TEST(SortedSet, is_uniform_again_after_it_was_empty) {
  SortedSet set;
  for (int i = 0; i < 1000; ++i) set.put(digits(static_cast<std::uint64_t>(i)), i % 3);
  EXPECT_TRUE(set.scored());
  EXPECT_TRUE(set.large());
  EXPECT_EQ(set.pop_max(2000, [](const SortedSet::Item&) {}), 1000U);
  set.put("a", 5);
  EXPECT_FALSE(set.scored());
  EXPECT_FALSE(set.large());
}

TEST(SortedSet, becomes_large_as_redis_leaves_its_packed_encoding) {
  SortedSet by_count;
  const SortedSet::Limits limits{3, 8};
  for (const char* member : {"a", "b", "c"}) by_count.put(member, 0, limits);
  by_count.put("a", 1, limits);
  EXPECT_FALSE(by_count.large());
  by_count.put("d", 0, limits);
  EXPECT_TRUE(by_count.large());
  by_count.erase("d");
  EXPECT_TRUE(by_count.large());

  SortedSet by_length;
  by_length.put("12345678", 0, limits);
  EXPECT_FALSE(by_length.large());
  by_length.put("123456789", 0, limits);
  EXPECT_TRUE(by_length.large());

  SortedSet at_once;
  at_once.put("a", 0, {0, 64});
  EXPECT_TRUE(at_once.large());
}

TEST(SortedSet, moving_the_handle_moves_the_members) {
  SortedSet set;
  for (std::uint64_t i = 0; i < 500; ++i) set.put(digits(i), 0);
  SortedSet other = std::move(set);
  EXPECT_EQ(other.size(), 500U);
  other = SortedSet{};
  EXPECT_TRUE(other.empty());
}

TEST(SortedSet, long_members_are_kept_whole) {
  SortedSet set;
  const std::string big(1 << 20, 'x');
  set.put(big, 1);
  set.put(big + "y", 1);
  EXPECT_GT(set.memory(), std::size_t{2} << 20);
  EXPECT_EQ(set.rank(big + "y"), 1U);
  set.put(big, 2);
  EXPECT_EQ(set.last().item().member, big);
  EXPECT_TRUE(set.erase(big));
  EXPECT_FALSE(set.score(big).has_value());
}

TEST(SortedSet, members_alone_decide_a_member_seek_among_several_scores) {
  SortedSet set;
  set.put("c", 1);
  set.put("a", 2);
  set.put("d", 3);
  EXPECT_EQ(set.seek_member("b", false).item().member, "c");
  EXPECT_EQ(set.seek_member_back("c", false).item().member, "a");
  EXPECT_EQ(set.seek_member_back("b", false).item().member, "a");
  EXPECT_FALSE(set.seek_member_back("a", true).valid());
  EXPECT_FALSE(set.seek_member("d", true).valid());
}

TEST(SortedSet, a_queue_takes_few_bytes) {
  SortedSet set;
  for (std::uint64_t i = 0; i < 5; ++i) set.put(digits(i), 0);
  EXPECT_LE(set.memory(), 120U);
  for (std::uint64_t i = 5; i < 100000; ++i) set.put(digits(i), 0);
  EXPECT_LE(set.memory(), 18U * 100000);
}

TEST(SortedSet, memory_is_constant_while_a_queue_moves_on) {
  SortedSet set;
  for (std::uint64_t i = 0; i < 1000; ++i) set.put(digits(i), 0);
  set.put("!oldest", 0);
  const std::size_t before = set.memory();
  for (std::uint64_t i = 1000; i < 200000; ++i) {
    set.put(digits(i), 0);
    set.erase_range(1, 1);
  }
  EXPECT_LE(set.memory(), before * 5 / 4);
  set.check();
}

TEST(SortedSet, runs_in_order_fill_their_chunks) {
  SortedSet falling;
  for (std::uint64_t i = 50000; i-- > 0;) falling.put(digits(i), 0);
  falling.check();
  EXPECT_LE(falling.memory(), 18U * 50000);
  SortedSet lanes;
  for (std::uint64_t i = 0; i < 50000; ++i) lanes.put(digits(i), static_cast<double>(i % 5));
  lanes.check();
  EXPECT_LE(lanes.memory(), 40U * 50000);
}

/// Scans while the set changes: what was there all the time must be seen.
void expect_scan_complete(std::uint64_t seed, std::uint64_t scores, bool changes_encoding) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  SortedSet set;
  std::set<std::string> lasting;
  const auto score = [&] { return static_cast<double>(random.below(scores)); };
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::string member = digits(i * 1000);
    set.put(member, score());
    if (random.below(3) == 0) lasting.insert(member);
  }
  std::uint64_t cursor = 0;
  std::set<std::string> seen;
  int calls = 0;
  do {
    cursor = set.scan(cursor, 10, [&seen](const SortedSet::Item& item) { seen.emplace(item.member); });
    ASSERT_LT(cursor, std::uint64_t{1} << 53);
    for (int i = 0; i < 60; ++i) {
      const std::string member = digits(random.below(3000000));
      if (random.below(2) == 0) set.put(member, score());
      const SortedSet::Item item = set.random(random);
      const std::string other(item.member);
      if (lasting.contains(other)) {
        set.put(other, scores == 1 ? item.score : score());
      } else if (random.below(5) != 0) {
        set.erase(other);
      }
    }
    if (changes_encoding && ++calls == 20) set.put("another", -1);
    set.check();
  } while (cursor != 0);
  for (const std::string& member : lasting) EXPECT_TRUE(seen.contains(member)) << member;
}

TEST(SortedSet, scan_misses_nothing_while_a_uniform_set_changes) {
  for (std::uint64_t seed = 41; seed <= 44; ++seed) expect_scan_complete(seed, 1, false);
}

TEST(SortedSet, scan_misses_nothing_while_a_scored_set_changes) {
  for (std::uint64_t seed = 51; seed <= 54; ++seed) expect_scan_complete(seed, 100000, false);
}

TEST(SortedSet, scan_misses_nothing_when_the_encoding_changes) {
  for (std::uint64_t seed = 61; seed <= 62; ++seed) expect_scan_complete(seed, 1, true);
}

TEST(SortedSet, scan_visits_each_member_once_when_nothing_changes) {
  for (const double step : {0.0, 1.0}) {
    SortedSet set;
    for (std::uint64_t i = 0; i < 20000; ++i) set.put(digits(i), step * static_cast<double>(i));
    std::size_t visited = 0;
    std::uint64_t cursor = 0;
    std::size_t most = 0;
    do {
      const std::size_t before = visited;
      cursor = set.scan(cursor, 10, [&visited](const SortedSet::Item&) { ++visited; });
      most = std::max(most, visited - before);
    } while (cursor != 0);
    EXPECT_EQ(visited, 20000U);
    EXPECT_LE(most, 100U);
  }
}

TEST(SortedSet, scan_takes_any_cursor) {
  Random random(71);
  for (const double step : {0.0, 1.0}) {
    SortedSet set;
    for (std::uint64_t i = 0; i < 2000; ++i) set.put(digits(i), step * static_cast<double>(i));
    for (int i = 0; i < 1000; ++i) set.scan(random.next(), 10, [](const SortedSet::Item&) {});
  }
}

TEST(SortedSet, a_set_that_is_not_large_is_scanned_whole) {
  SortedSet set;
  for (std::uint64_t i = 0; i < 128; ++i) set.put(digits(i), 0);
  std::size_t visited = 0;
  EXPECT_EQ(set.scan(0, 1, [&visited](const SortedSet::Item&) { ++visited; }), 0U);
  EXPECT_EQ(visited, 128U);
}

TEST(SortedSet, a_large_index_survives_growth_and_decline) {
  Random random(81);
  SortedSet set;
  for (std::uint64_t i = 0; i < 60000; ++i) set.put(digits(i), static_cast<double>(random.below(1000000)));
  set.check();
  for (std::uint64_t i = 0; i < 60000; ++i) {
    if (i % 3 == 0) {
      set.put(digits(i), static_cast<double>(random.below(1000000)));
    } else {
      ASSERT_TRUE(set.erase(digits(i)));
    }
  }
  set.check();
  EXPECT_EQ(set.size(), 20000U);
}

}  // namespace
}  // namespace fairlane::data
