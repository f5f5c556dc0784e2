#include "command/zset_range.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::command {
namespace {

using data::SortedSet;
using Item = SortedSet::Item;
using Members = std::vector<std::string>;

std::string name(std::uint64_t number) { return "m" + std::to_string(1000 + number); }

std::vector<std::pair<double, std::string>> all(const SortedSet& set) {
  std::vector<std::pair<double, std::string>> items;
  for (SortedSet::Cursor at = set.first(); at.valid(); at.next()) {
    items.emplace_back(at.item().score, std::string(at.item().member));
  }
  return items;
}

/// What visit_range has to find, taken from a list of everything.
template <class Range>
Members expected(const SortedSet& set, const Range& range, Direction direction, const Window& window) {
  auto items = all(set);
  if (direction == Direction::backward) items = {items.rbegin(), items.rend()};
  Members found;
  std::int64_t skipped = 0;
  for (const auto& [score, member] : items) {
    const Item item{member, score};
    if (!range.above_low(item) || !range.below_high(item)) continue;
    if (window.offset < 0 || skipped++ < window.offset) continue;
    if (window.limit >= 0 && static_cast<std::int64_t>(found.size()) >= window.limit) continue;
    found.push_back(member);
  }
  return found;
}

template <class Range>
Members visited(const SortedSet& set, const Range& range, Direction direction, const Window& window) {
  Members found;
  const std::size_t count =
      visit_range(set, range, direction, window, [&](const Item& item) { found.emplace_back(item.member); });
  EXPECT_EQ(count, found.size());
  return found;
}

template <class Range>
void check(const SortedSet& set, const Range& range, base::Random& random) {
  const Window window{static_cast<std::int64_t>(random.below(12)) - 1, static_cast<std::int64_t>(random.below(12)) - 2};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    EXPECT_EQ(visited(set, range, direction, {}), expected(set, range, direction, {}));
    EXPECT_EQ(visited(set, range, direction, window), expected(set, range, direction, window));
  }
  EXPECT_EQ(span_of(set, range).count, expected(set, range, Direction::forward, {}).size());
}

TEST(ZsetRange, score_ranges_find_what_a_list_finds) {
  const std::uint64_t seed = 20240611;
  SCOPED_TRACE(seed);
  base::Random random(seed);
  for (const std::uint64_t scores : {1U, 5U, 300U}) {
    SortedSet set;
    for (std::uint64_t i = 0; i < 400; ++i) set.put(name(i), static_cast<double>(random.below(scores)));
    for (int i = 0; i < 300; ++i) {
      const ScoreRange range{static_cast<double>(random.below(scores + 2)) - 1,
                             static_cast<double>(random.below(scores + 2)) - 1, random.below(2) == 0,
                             random.below(2) == 0};
      check(set, range, random);
    }
  }
}

TEST(ZsetRange, member_ranges_find_what_a_list_finds) {
  const std::uint64_t seed = 20240612;
  SCOPED_TRACE(seed);
  base::Random random(seed);
  SortedSet set;
  for (std::uint64_t i = 0; i < 200; ++i) set.put(name(random.below(300)), 7);
  const auto bound = [&](std::string& text) {
    const char* const forms[] = {"-", "+", "[", "(", "[", "("};
    text = forms[random.below(6)];
    if (text == "[" || text == "(") text += name(random.below(310));
  };
  for (int i = 0; i < 1000; ++i) {
    std::string low;
    std::string high;
    bound(low);
    bound(high);
    SCOPED_TRACE(low + " " + high);
    check(set, *parse_member_range(low, high), random);
  }
}

TEST(ZsetRange, an_offset_may_be_any_number) {
  SortedSet set;
  for (std::uint64_t i = 0; i < 3; ++i) set.put(name(i), static_cast<double>(i));
  const ScoreRange everything{-1, 5, false, false};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    EXPECT_TRUE(visited(set, everything, direction, {3, -1}).empty());
    EXPECT_TRUE(visited(set, everything, direction, {INT64_MAX, INT64_MAX}).empty());
    EXPECT_TRUE(visited(set, everything, direction, {INT64_MIN, -1}).empty());
    EXPECT_EQ(visited(set, everything, direction, {2, INT64_MIN}).size(), 1U);
  }
}

TEST(ZsetRange, ranks_are_cut_at_both_ends) {
  const auto span = [](std::int64_t start, std::int64_t stop) {
    const RankRange::Span found = RankRange{start, stop}.in(5);
    return std::pair(found.first, found.count);
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(span(0, -1), Pair(0, 5));
  EXPECT_EQ(span(-2, -1), Pair(3, 2));
  EXPECT_EQ(span(-70, 1), Pair(0, 2));
  EXPECT_EQ(span(INT64_MIN, INT64_MAX), Pair(0, 5));
  EXPECT_EQ(span(3, 2), Pair(0, 0));
  EXPECT_EQ(span(5, 9), Pair(0, 0));
  EXPECT_EQ(span(0, -6), Pair(0, 0));
  EXPECT_EQ(span(0, INT64_MIN), Pair(0, 0));
}

TEST(ZsetRange, a_backward_range_of_ranks_counts_from_the_end) {
  SortedSet set;
  for (std::uint64_t i = 0; i < 4; ++i) set.put(name(i), static_cast<double>(i));
  EXPECT_EQ(visited(set, RankRange{0, 1}, Direction::backward, {}), (Members{name(3), name(2)}));
  EXPECT_EQ(visited(set, RankRange{2, -1}, Direction::backward, {}), (Members{name(1), name(0)}));
}

TEST(ZsetRange, scores_are_read_as_redis_reads_them) {
  const auto range = parse_score_range("(1.5", " 7");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, 1.5);
  EXPECT_TRUE(range->low_exclusive);
  EXPECT_EQ(range->high, 7);
  EXPECT_FALSE(range->high_exclusive);
  EXPECT_TRUE(parse_score_range("", "("));
  for (const std::string_view text : {"x", "nan", "((1", "[1", "1 "}) {
    EXPECT_FALSE(parse_score_range(text, "1")) << text;
    EXPECT_FALSE(parse_score_range("1", text)) << text;
  }
}

TEST(ZsetRange, member_bounds_need_their_sign) {
  EXPECT_TRUE(parse_member_range("-", "+"));
  EXPECT_TRUE(parse_member_range("[", "("));
  EXPECT_TRUE(parse_member_range(std::string_view("-\0x", 3), "+"));
  for (const std::string_view text : {"", "a", "-a", "+a"}) {
    EXPECT_FALSE(parse_member_range(text, "+")) << text;
    EXPECT_FALSE(parse_member_range("-", text)) << text;
  }
}

}  // namespace
}  // namespace fairlane::command
