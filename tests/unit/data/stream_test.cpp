#include "fairlane/data/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::data {
namespace {

using base::Random;
using Words = std::vector<std::string>;
using Entries = std::vector<std::pair<StreamId, Words>>;

std::vector<std::string_view> views(const Words& words) { return {words.begin(), words.end()}; }

Words words_of(const StreamEntry& entry) {
  Words words;
  entry.for_each_field([&words](std::string_view name, std::string_view value) {
    words.emplace_back(name);
    words.emplace_back(value);
  });
  return words;
}

/// What a stream is, in the plainest words.
struct Model {
  std::map<StreamId, Words> entries;
  StreamId last;
  StreamId max_deleted;
  std::uint64_t added = 0;

  bool erase(StreamId id) {
    if (entries.erase(id) == 0) return false;
    max_deleted = std::max(max_deleted, id);
    return true;
  }
  std::size_t trim_to_size(std::size_t most) {
    const std::size_t gone = entries.size() > most ? entries.size() - most : 0;
    entries.erase(entries.begin(), std::next(entries.begin(), static_cast<std::ptrdiff_t>(gone)));
    return gone;
  }
  std::size_t trim_to_id(StreamId least) {
    const std::size_t before = entries.size();
    entries.erase(entries.begin(), entries.lower_bound(least));
    return before - entries.size();
  }
  Entries between(StreamId first, StreamId last_wanted) const {
    if (first > last_wanted) return {};
    return {entries.lower_bound(first), entries.upper_bound(last_wanted)};
  }
};

Entries read(const Stream& stream, StreamId first, StreamId last, bool reverse) {
  Entries found;
  const auto note = [&found](const StreamEntry& entry) {
    found.emplace_back(entry.id, words_of(entry));
    return true;
  };
  reverse ? stream.for_each_reverse(first, last, note) : stream.for_each(first, last, note);
  return found;
}

void expect_range(const Stream& stream, const Model& model, StreamId first, StreamId last) {
  Entries wanted = model.between(first, last);
  EXPECT_EQ(read(stream, first, last, false), wanted);
  std::reverse(wanted.begin(), wanted.end());
  EXPECT_EQ(read(stream, first, last, true), wanted);
}

void expect_same(const Stream& stream, const Model& model) {
  ASSERT_EQ(stream.size(), model.entries.size());
  EXPECT_EQ(stream.last_id(), model.last);
  EXPECT_EQ(stream.entries_added(), model.added);
  EXPECT_EQ(stream.max_deleted_id(), model.max_deleted);
  EXPECT_EQ(stream.first_id(), model.entries.empty() ? StreamId{} : model.entries.begin()->first);
  EXPECT_EQ(stream.blocks() == 0, model.entries.empty());
  expect_range(stream, model, StreamId::least(), StreamId::most());
}

/// Integers in and out of the range of those that are kept as numbers, and what only looks like one.
constexpr std::string_view kOddOnes[] = {"",
                                         "0",
                                         "-0",
                                         "007",
                                         "+1",
                                         "-",
                                         "4611686018427387903",
                                         "4611686018427387904",
                                         "-4611686018427387903",
                                         "-4611686018427387904",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-9223372036854775808"};

/// Integers as they are printed and as they are not, texts around the lengths where their encoding changes.
std::string some_text(Random& random) {
  switch (random.below(6)) {
    case 0:
      return std::to_string(static_cast<std::int64_t>(random.next()));
    case 1:
      return std::to_string(static_cast<std::int64_t>(random.below(20000)) - 10000);
    case 2:
      return std::string(kOddOnes[random.below(std::size(kOddOnes))]);
    case 3:
      return std::string(60 + random.below(10), static_cast<char>(random.below(256)));
    case 4:
      return std::string(120 + random.below(12), '\0');
    default:
      return std::string(random.below(12), 'x');
  }
}

/// Mostly the names of everybody.
Words some_words(Random& random) {
  const std::size_t fields = 1 + random.below(3);
  Words words;
  for (std::size_t i = 0; i < fields; ++i) {
    words.push_back(random.below(10) == 0 ? some_text(random) : "field" + std::to_string(i));
    words.push_back(some_text(random));
  }
  return words;
}

StreamId next_id(Random& random, StreamId last) {
  switch (random.below(5)) {
    case 0:
      return {last.ms + 1 + random.below(3), random.below(3)};
    case 1:
      return {last.ms + 1, UINT64_MAX - random.below(1000000)};
    default:
      if (!last.increment()) ADD_FAILURE();
      return last;
  }
}

StreamId some_id(Random& random, const Model& model) {
  if (model.entries.empty() || random.below(5) == 0) return {random.below(model.last.ms + 2), random.below(3)};
  const auto step = static_cast<std::ptrdiff_t>(random.below(model.entries.size()));
  return std::next(model.entries.begin(), step)->first;
}

/// Blocks alone: what goes depends on where they begin, so the model follows.
void expect_whole_blocks(Stream& stream, Model& model, Random& random) {
  const std::size_t limit = random.below(2) * (1 + random.below(30));
  const std::size_t before = stream.size();
  std::size_t gone = 0;
  if (random.below(2) == 0) {
    const std::size_t most = random.below(before + 2);
    gone = stream.trim_to_size(most, true, limit);
    EXPECT_TRUE(gone == 0 || before - gone >= most);
  } else {
    const StreamId least = some_id(random, model);
    gone = stream.trim_to_id(least, true, limit);
    EXPECT_LE(gone, model.between(StreamId::least(), least).size());
  }
  EXPECT_TRUE(limit == 0 || gone <= limit);
  EXPECT_EQ(model.trim_to_size(before - gone), gone);
}

void take_a_step(Stream& stream, Model& model, Random& random, const Stream::Limits& limits) {
  const std::uint64_t choice = random.below(100);
  if (choice < 75) {
    const StreamId id = next_id(random, model.last);
    const Words words = some_words(random);
    stream.append(id, views(words), limits);
    model.entries.emplace(id, words);
    model.last = id;
    ++model.added;
  } else if (choice < 92) {
    const StreamId id = some_id(random, model);
    EXPECT_EQ(stream.contains(id), model.entries.count(id) == 1);
    EXPECT_EQ(stream.erase(id), model.erase(id));
    EXPECT_FALSE(stream.erase(id));
  } else if (choice < 94) {
    const std::size_t most = random.below(stream.size() + 2);
    EXPECT_EQ(stream.trim_to_size(most, false, 0), model.trim_to_size(most));
  } else if (choice < 96) {
    const StreamId least = some_id(random, model);
    EXPECT_EQ(stream.trim_to_id(least, false, 0), model.trim_to_id(least));
  } else if (choice < 98) {
    expect_whole_blocks(stream, model, random);
  } else {
    stream = stream.clone();
  }
}

TEST(StreamTest, does_what_a_plain_map_does) {
  constexpr Stream::Limits kLimits[] = {{100, 4096}, {1, 0}, {3, 0}, {0, 100}, {10, 400}, {0, 0}};
  std::uint64_t seed = 1;
  for (const Stream::Limits& limits : kLimits) {
    SCOPED_TRACE(seed);
    Random random(seed++);
    Stream stream;
    stream.make();
    Model model;
    for (int step = 0; step < 3000 && !::testing::Test::HasFailure(); ++step) {
      take_a_step(stream, model, random, limits);
      if (step % 16 == 0) expect_same(stream, model);
      if (step % 5 == 0) expect_range(stream, model, some_id(random, model), some_id(random, model));
    }
    expect_same(stream, model);
  }
}

Stream numbered(std::size_t count, const Stream::Limits& limits = {}) {
  Stream stream;
  for (std::size_t i = 1; i <= count; ++i) stream.append({i, 0}, views({"field", "value"}), limits);
  return stream;
}

TEST(StreamTest, null_is_the_empty_value_and_a_made_stream_is_not) {
  Stream stream;
  EXPECT_TRUE(stream.empty());
  EXPECT_EQ(stream.memory(), 0U);
  EXPECT_FALSE(stream.erase({1, 1}));
  EXPECT_EQ(stream.trim_to_size(0, false, 0), 0U);
  stream.make();
  EXPECT_FALSE(stream.empty());
  EXPECT_EQ(stream.size(), 0U);
  Stream taken = std::move(stream);
  EXPECT_FALSE(taken.empty());
}

TEST(StreamTest, blocks_are_bounded_and_go_whole) {
  Stream stream = numbered(1000);
  EXPECT_EQ(stream.blocks(), 10U);
  EXPECT_EQ(stream.trim_to_size(250, true, 0), 700U);
  EXPECT_EQ(stream.blocks(), 3U);
  EXPECT_EQ(stream.trim_to_size(0, true, 150), 100U);
  for (std::uint64_t ms = 801; ms <= 900; ++ms) EXPECT_TRUE(stream.erase({ms, 0}));
  EXPECT_EQ(stream.blocks(), 1U);
  EXPECT_EQ(stream.first_id(), (StreamId{901, 0}));
  EXPECT_EQ(stream.max_deleted_id(), (StreamId{900, 0}));
}

TEST(StreamTest, ids_have_neighbours_but_at_the_ends) {
  StreamId id{1, UINT64_MAX};
  EXPECT_TRUE(id.increment());
  EXPECT_EQ(id, (StreamId{2, 0}));
  EXPECT_TRUE(id.decrement());
  EXPECT_EQ(id, (StreamId{1, UINT64_MAX}));
  StreamId most = StreamId::most();
  EXPECT_FALSE(most.increment());
  StreamId least = StreamId::least();
  EXPECT_FALSE(least.decrement());
}

TEST(StreamTest, a_pending_entry_belongs_to_one_consumer) {
  Stream stream = numbered(3);
  StreamGroup& group = *stream.add_group("group", {}, 0);
  EXPECT_EQ(stream.add_group("group", {}, 0), nullptr);
  bool created = false;
  StreamConsumer& one = group.consumer("one", 1, created);
  EXPECT_TRUE(created);
  StreamConsumer& other = group.consumer("other", 1, created);
  group.give({1, 0}, one).delivered = 7;
  group.give({2, 0}, one);
  EXPECT_EQ(group.give({1, 0}, other).delivered, 7);
  EXPECT_EQ(one.pending, (std::set<StreamId>{{2, 0}}));
  EXPECT_EQ(other.pending, (std::set<StreamId>{{1, 0}}));
  EXPECT_TRUE(group.acknowledge({1, 0}));
  EXPECT_FALSE(group.acknowledge({1, 0}));
  EXPECT_EQ(group.remove("one"), 1U);
  EXPECT_FALSE(group.remove("one").has_value());
  EXPECT_TRUE(group.pending.empty());
}

TEST(StreamTest, a_clone_has_groups_of_its_own) {
  Stream stream = numbered(2);
  StreamGroup& group = *stream.add_group("group", {1, 0}, 1);
  bool created = false;
  group.give({1, 0}, group.consumer("one", 5, created)).count = 3;
  Stream copy = stream.clone();
  stream.remove_group("group");
  StreamGroup* twin = copy.find_group("group");
  ASSERT_NE(twin, nullptr);
  EXPECT_EQ(twin->last_id, (StreamId{1, 0}));
  EXPECT_EQ(twin->pending.at({1, 0}).count, 3U);
  EXPECT_EQ(twin->pending.at({1, 0}).consumer, twin->find("one"));
  EXPECT_EQ(twin->find("one")->seen, 5);
}

TEST(StreamTest, what_was_added_up_to_an_id_is_known_at_the_ends_or_while_nothing_is_missing) {
  Stream stream = numbered(5);
  EXPECT_EQ(stream.entries_up_to({5, 0}), 5);
  EXPECT_EQ(stream.entries_up_to({1, 0}), 1);
  EXPECT_EQ(stream.entries_up_to({0, 1}), 0);
  EXPECT_EQ(stream.entries_up_to({3, 0}), StreamGroup::kUnknown);
  stream.trim_to_size(3, false, 0);
  EXPECT_EQ(stream.entries_up_to({3, 0}), 3);
  stream.erase({4, 0});
  EXPECT_EQ(stream.entries_up_to({3, 0}), StreamGroup::kUnknown);
  EXPECT_EQ(stream.entries_up_to({5, 0}), 5);
}

}  // namespace
}  // namespace fairlane::data
