#include "command/sort_first.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fairlane/base/random.hpp"

namespace fairlane::command {
namespace {

int compare(int one, int other) { return one < other ? -1 : one > other ? 1 : 0; }

using Sorter = FirstSorter<int, int (*)(int, int)>;

TEST(FirstSorter, sorts_as_many_as_are_asked_for_and_loses_none) {
  base::Random random(11);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> items(1 + random.below(round % 10 == 0 ? 1000 : 60));
    const std::uint64_t values = 1 + random.below(items.size() * 2);
    for (int& item : items) item = static_cast<int>(random.below(values));
    std::vector<int> sorted = items;
    std::sort(sorted.begin(), sorted.end());
    const auto count = static_cast<std::ptrdiff_t>(1 + random.below(items.size()));
    Sorter(compare).sort(items, static_cast<std::size_t>(count));
    ASSERT_TRUE(std::equal(items.begin(), items.begin() + count, sorted.begin()));
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, sorted);
  }
}

TEST(FirstSorter, does_not_degrade_on_rows_in_order_or_of_equals) {
  constexpr int kSize = 100000;
  for (const int kind : {0, 1, 2}) {
    std::vector<int> items;
    for (int i = 0; i < kSize; ++i) items.push_back(kind == 0 ? i : kind == 1 ? kSize - i : 7);
    std::size_t comparisons = 0;
    const auto counted = [&](int one, int other) {
      ++comparisons;
      return compare(one, other);
    };
    FirstSorter<int, decltype(counted)>(counted).sort(items, items.size() / 2);
    EXPECT_LT(comparisons, std::size_t{kSize} * 40);
  }
}

}  // namespace
}  // namespace fairlane::command
