#include "fairlane/data/list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::data {
namespace {

using base::Random;

std::vector<std::string> content(const List& list) {
  std::vector<std::string> values;
  list.for_each(0, list.size(), [&](std::string_view value) { values.emplace_back(value); });
  return values;
}

List list_of(std::initializer_list<std::string_view> values) {
  List list;
  for (const std::string_view value : values) list.push_back(value);
  return list;
}

TEST(List, the_empty_list_is_null_and_owns_nothing) {
  static_assert(sizeof(List) == sizeof(void*));
  List list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.memory(), 0U);
  EXPECT_EQ(list.at(0), std::nullopt);
  EXPECT_FALSE(list.pop_front([](std::string_view) {}));
  EXPECT_FALSE(list.set(0, "x"));
  EXPECT_FALSE(list.rotate(Direction::forward));
  EXPECT_FALSE(list.cursor_at(-1).valid());
  EXPECT_EQ(list.erase_matching("x", 0, Direction::backward), 0U);
  list.trim(0, -1);
  list.push_back("");
  EXPECT_EQ(list.front(), "");
  EXPECT_TRUE(list.pop_back([](std::string_view value) { EXPECT_EQ(value, ""); }));
  EXPECT_EQ(list.memory(), 0U);
}

TEST(List, both_ends_push_and_pop) {
  List list = list_of({"b", "c"});
  list.push_front("a");
  EXPECT_EQ(content(list), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(list.front(), "a");
  EXPECT_EQ(list.back(), "c");
  std::string popped;
  list.pop_front([&](std::string_view value) { popped += value; });
  list.pop_back([&](std::string_view value) { popped += value; });
  EXPECT_EQ(popped, "ac");
  EXPECT_EQ(content(list), std::vector<std::string>{"b"});
}

TEST(List, elements_of_every_length_survive) {
  List list;
  std::vector<std::string> expected;
  for (const std::size_t size :
       {0U, 1U, 127U, 128U, 129U, 447U, 2047U, 2049U, 8159U, 8160U, 16383U, 16384U, 2'100'000U}) {
    expected.emplace_back(size, static_cast<char>('a' + expected.size()));
    list.push_back(expected.back());
    ASSERT_TRUE(list.consistent()) << size;
  }
  EXPECT_EQ(content(list), expected);
  for (ListCursor cursor = list.cursor_at(-1); cursor.valid(); cursor.prev()) {
    ASSERT_EQ(cursor.value(), expected.back());
    expected.pop_back();
  }
  EXPECT_TRUE(expected.empty());
  List large;
  large.push_front(std::string(100'000, 'x'));
  large.push_front("small");
  EXPECT_EQ(large.back().size(), 100'000U);
  large.pop_back([](std::string_view) {});
  EXPECT_LT(large.memory(), 1000U);
}

TEST(List, insertion_goes_next_to_the_first_equal_element) {
  List list = list_of({"a", "x", "x"});
  EXPECT_TRUE(list.insert_before("x", "1"));
  EXPECT_TRUE(list.insert_after("x", "2"));
  EXPECT_FALSE(list.insert_after("y", "3"));
  EXPECT_EQ(content(list), (std::vector<std::string>{"a", "1", "x", "2", "x"}));
}

TEST(List, erasing_by_value_counts_from_the_side_it_starts_at) {
  List list = list_of({"x", "a", "x", "b", "x"});
  EXPECT_EQ(list.erase_matching("x", 1, Direction::backward), 1U);
  EXPECT_EQ(content(list), (std::vector<std::string>{"x", "a", "x", "b"}));
  EXPECT_EQ(list.erase_matching("x", 1, Direction::forward), 1U);
  EXPECT_EQ(list.erase_matching("x", 0, Direction::forward), 1U);
  EXPECT_EQ(content(list), (std::vector<std::string>{"a", "b"}));
}

TEST(List, a_drained_chunk_is_freed) {
  List list;
  for (int index = 0; index < 100'000; ++index) list.push_back("0123456789abcdef");
  const std::size_t full = list.memory();
  EXPECT_LT(full, 100'000U * 19);
  while (list.size() > 10) list.pop_front([](std::string_view) {});
  EXPECT_LT(list.memory(), 20'000U);
}

TEST(List, a_short_queue_stays_small_however_long_it_runs) {
  List list = list_of({"0123456789abcdef", "0123456789abcdef", "0123456789abcdef"});
  for (int round = 0; round < 100'000; ++round) {
    list.push_front("fedcba9876543210");
    list.pop_back([](std::string_view) {});
  }
  EXPECT_LT(list.memory(), 600U);
}

TEST(List, sparse_chunks_merge_after_erasing) {
  List list;
  for (int index = 0; index < 100'000; ++index) list.push_back(index % 20 == 0 ? "stays" : "leaves");
  EXPECT_EQ(list.erase_matching("leaves", 0, Direction::forward), 95'000U);
  EXPECT_TRUE(list.consistent());
  EXPECT_LT(list.memory(), 5000U * 7 * 5);
}

TEST(List, a_chunk_reference_holds_through_work_at_the_ends) {
  List list;
  std::vector<std::pair<std::string, ChunkRef>> tracked;
  for (int index = 0; index < 5000; ++index) {
    const std::string value = "lane" + std::to_string(index);
    tracked.emplace_back(value, list.push_back_tracked(value));
    if (index % 3 == 0) list.push_front("front");
  }
  for (const auto& [value, chunk] : tracked) {
    ASSERT_TRUE(list.erase_in_chunk(chunk, value)) << value;
  }
  EXPECT_EQ(list.size(), 1667U);
  EXPECT_EQ(list.erase_matching("front", 0, Direction::forward), 1667U);
  EXPECT_TRUE(list.empty());
}

TEST(List, a_rotation_tells_the_chunk_it_went_to) {
  const std::uint64_t seed = 5;
  Random random(seed);
  std::deque<std::pair<std::string, ChunkRef>> model;
  List list;
  for (int index = 0; index < 3000; ++index) {
    const std::string value = "lane-" + std::to_string(index);
    model.emplace_back(value, list.push_back_tracked(value));
  }
  for (int round = 0; round < 50'000; ++round) {
    if (random.below(16) != 0) {
      model.push_back(std::move(model.front()));
      model.pop_front();
      model.back().second = list.rotate(Direction::forward);
      ASSERT_EQ(list.back(), model.back().first);
    } else {
      const auto victim = model.begin() + static_cast<std::ptrdiff_t>(random.below(model.size()));
      ASSERT_TRUE(list.erase_in_chunk(victim->second, victim->first)) << "seed " << seed;
      const std::string value = victim->first;
      model.erase(victim);
      model.emplace_back(value, list.push_back_tracked(value));
    }
  }
  ASSERT_TRUE(list.consistent());
  std::vector<std::string> expected;
  for (const auto& [value, chunk] : model) expected.push_back(value);
  EXPECT_EQ(content(list), expected);
}

TEST(List, every_change_raises_the_version) {
  List list = list_of({"a", "b", "c", "d", "e", "f"});
  std::uint64_t version = list.version();
  const auto raised = [&] {
    const std::uint64_t before = std::exchange(version, list.version());
    return version > before;
  };
  list.push_front("x");
  EXPECT_TRUE(raised());
  list.pop_back([](std::string_view) {});
  EXPECT_TRUE(raised());
  list.set(0, "y");
  EXPECT_TRUE(raised());
  list.insert_after("b", "z");
  EXPECT_TRUE(raised());
  list.erase(list.cursor_at(1));
  EXPECT_TRUE(raised());
  list.erase_in_chunk(list.head_chunk(), "y");
  EXPECT_TRUE(raised());
  list.rotate(Direction::backward);
  EXPECT_TRUE(raised());
  list.trim(0, 1);
  EXPECT_TRUE(raised());
  list.set_version(1000);
  EXPECT_TRUE(raised());
  list.clear();
  EXPECT_EQ(list.version(), 0U);
}

// Random operations against a deque, with everything compared as it goes.
class ListModel {
 public:
  ListModel(std::uint64_t seed, std::size_t largest, std::size_t target)
      : random_(seed), largest_(largest), target_(target) {}

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const std::uint64_t version = list_.version();
      const std::size_t size = list_.size();
      one_step();
      ASSERT_EQ(list_.size(), model_.size()) << "step " << step;
      if (list_.size() != size && !list_.empty() && size != 0) {
        ASSERT_NE(list_.version(), version);
      }
      ASSERT_TRUE(list_.consistent()) << "step " << step;
      if (step % 16 == 0) compare();
      if (::testing::Test::HasFailure()) FAIL() << "step " << step;
    }
    compare();
  }

 private:
  std::string some_value() {
    // Few distinct values of each length, so that searches by value find some.
    const std::size_t size = random_.below(8) != 0 ? random_.below(20) : random_.below(largest_);
    return std::string(size, static_cast<char>('a' + random_.below(3)));
  }

  std::int64_t some_index() {
    return static_cast<std::int64_t>(random_.below(2 * model_.size() + 4)) - static_cast<std::int64_t>(model_.size()) -
           2;
  }

  std::string present_or_not() {
    return model_.empty() || random_.below(4) == 0 ? some_value() : model_[random_.below(model_.size())];
  }

  void one_step() {
    const bool forward = random_.below(2) == 0;
    const bool grows = model_.size() < target_;
    switch (random_.below(grows ? 14 : 18)) {
      case 0:
      case 1:
      case 2:
        push(forward);
        break;
      case 3:
      case 4:
        insert(forward);
        break;
      case 5:
      case 6:
        set();
        break;
      case 7:
        check_at();
        break;
      case 8:
        rotate(forward);
        break;
      case 9:
        erase_run(forward);
        break;
      case 10:
      case 11:
        pop(forward);
        break;
      case 12:
        erase_in_chunk();
        break;
      case 13:
        copy();
        break;
      case 14:
        erase_matching(forward);
        break;
      case 15:
        trim();
        break;
      default:
        pop(forward);
        break;
    }
  }

  void push(bool front) {
    const std::string value = some_value();
    front ? list_.push_front(value) : list_.push_back(value);
    front ? model_.push_front(value) : model_.push_back(value);
  }

  void pop(bool front) {
    std::string popped;
    const auto take = [&](std::string_view value) { popped = value; };
    ASSERT_EQ(front ? list_.pop_front(take) : list_.pop_back(take), !model_.empty());
    if (model_.empty()) return;
    ASSERT_EQ(popped, front ? model_.front() : model_.back());
    front ? model_.pop_front() : model_.pop_back();
  }

  void insert(bool before) {
    const std::string pivot = present_or_not();
    const std::string value = some_value();
    auto place = std::find(model_.begin(), model_.end(), pivot);
    const bool found = place != model_.end();
    ASSERT_EQ(before ? list_.insert_before(pivot, value) : list_.insert_after(pivot, value), found);
    if (found) model_.insert(before ? place : place + 1, value);
  }

  std::size_t resolve(std::int64_t index) const {
    return static_cast<std::size_t>(index < 0 ? index + static_cast<std::int64_t>(model_.size()) : index);
  }

  void set() {
    const std::int64_t index = some_index();
    const std::string value = some_value();
    const bool inside = resolve(index) < model_.size();
    ASSERT_EQ(list_.set(index, value), inside);
    if (inside) model_[resolve(index)] = value;
  }

  void check_at() {
    const std::int64_t index = some_index();
    const bool inside = resolve(index) < model_.size();
    ASSERT_EQ(list_.at(index).has_value(), inside);
    if (inside) {
      ASSERT_EQ(*list_.at(index), model_[resolve(index)]);
    }
  }

  void rotate(bool forward) {
    const ChunkRef chunk = list_.rotate(forward ? Direction::forward : Direction::backward);
    if (model_.empty()) return;
    ASSERT_EQ(chunk, forward ? list_.tail_chunk() : list_.head_chunk());
    if (forward) {
      std::rotate(model_.begin(), model_.begin() + 1, model_.end());
    } else {
      std::rotate(model_.begin(), model_.end() - 1, model_.end());
    }
  }

  void erase_run(bool forward) {
    const std::int64_t index = some_index();
    ListCursor cursor = list_.cursor_at(index);
    ASSERT_EQ(cursor.valid(), resolve(index) < model_.size());
    std::size_t at = resolve(index);
    for (std::uint64_t left = random_.below(6); left > 0 && cursor.valid(); --left) {
      ASSERT_EQ(cursor.value(), model_[at]);
      cursor = list_.erase(cursor, forward ? Direction::forward : Direction::backward);
      model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(at));
      if (!forward) --at;
      ASSERT_EQ(cursor.valid(), at < model_.size());
    }
    if (cursor.valid()) {
      ASSERT_EQ(cursor.value(), model_[at]);
    }
  }

  void erase_in_chunk() {
    const ListCursor cursor = list_.cursor_at(some_index());
    if (!cursor.valid()) return;
    const std::string value(cursor.value());
    // The first equal one in that chunk: the model finds it by walking the chunk's elements.
    std::size_t at = 0;
    ListCursor first = list_.cursor_at(0);
    for (; first.chunk() != cursor.chunk() || first.value() != value; first.next()) ++at;
    ASSERT_TRUE(list_.erase_in_chunk(cursor.chunk(), value));
    model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void erase_matching(bool forward) {
    const std::string value = present_or_not();
    const std::size_t limit = random_.below(4);
    std::size_t expected = 0;
    const auto enough = [&] { return limit != 0 && expected == limit; };
    if (forward) {
      for (std::size_t at = 0; at < model_.size() && !enough();) {
        model_[at] == value ? (++expected, model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(at)), at) : ++at;
      }
    } else {
      for (std::size_t at = model_.size(); at-- > 0 && !enough();) {
        if (model_[at] != value) continue;
        ++expected;
        model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    ASSERT_EQ(list_.erase_matching(value, limit, forward ? Direction::forward : Direction::backward), expected);
  }

  void trim() {
    const auto total = static_cast<std::int64_t>(model_.size());
    std::int64_t first = static_cast<std::int64_t>(random_.below(4)) - (random_.below(2) == 0 ? total : 0);
    std::int64_t last = -1 - static_cast<std::int64_t>(random_.below(4)) + (random_.below(2) == 0 ? total : 0);
    if (random_.below(100) == 0) std::swap(first, last);
    list_.trim(first, last);
    if (first < 0) first = std::max<std::int64_t>(first + total, 0);
    if (last < 0) last += total;
    last = std::min(last, total - 1);
    if (first > last) {
      model_.clear();
      return;
    }
    model_.erase(model_.begin() + last + 1, model_.end());
    model_.erase(model_.begin(), model_.begin() + first);
  }

  void copy() {
    List other = list_.clone();
    ASSERT_TRUE(other.consistent());
    ASSERT_EQ(content(other), content(list_));
    // Packed, but for the header of a first chunk that a large head cannot use, and rounding.
    ASSERT_LE(other.memory(), list_.memory() + 64);
    if (random_.below(2) == 0) list_ = std::move(other);
  }

  void compare() {
    const std::vector<std::string> expected(model_.begin(), model_.end());
    ASSERT_EQ(content(list_), expected);
    std::size_t left = model_.size();
    for (ListCursor cursor = list_.cursor_at(-1); cursor.valid(); cursor.prev())
      ASSERT_EQ(cursor.value(), model_[--left]);
    ASSERT_EQ(left, 0U);
    if (model_.empty()) return;
    const std::size_t first = random_.below(model_.size());
    std::size_t at = first;
    list_.for_each(first, 10, [&](std::string_view value) { ASSERT_EQ(value, model_[at++]); });
    ASSERT_EQ(at, std::min(first + 10, model_.size()));
  }

  Random random_;
  std::size_t largest_;
  std::size_t target_;
  List list_;
  std::deque<std::string> model_;
};

TEST(List, agrees_with_a_deque_on_small_lists) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ListModel(seed, 100, 10 + seed).run(1000);
    if (HasFailure()) return;
  }
}

TEST(List, agrees_with_a_deque_on_lists_of_many_chunks) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ListModel(seed, 1000, 1500).run(6000);
    if (HasFailure()) return;
  }
}

TEST(List, agrees_with_a_deque_with_elements_larger_than_a_chunk) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ListModel(seed, 20'000, 60).run(1500);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace fairlane::data
