#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

/// Puts the first few of many into order, equal ones as redis-server has them: its answers show which sequence of
/// exchanges it makes. It is the quicksort of Bentley and McIlroy ("Engineering a sort function", 1993), which does not
/// go into parts that nobody asked for.
namespace fairlane::command {

/// `compare` answers less than, equal to or greater than 0.
template <class T, class Compare>
class FirstSorter {
 public:
  explicit FirstSorter(Compare compare) : compare_(std::move(compare)) {}

  /// `count` is at least 1. The others are left in any order. O(n) as a rule, and O(count log count).
  void sort(std::span<T> items, std::size_t count) const {
    while (items.size() >= kShort) {
      const Parts parts = divide(items);
      if (parts.less > 1) sort(items.first(parts.less), count);
      const std::size_t behind = items.size() - parts.greater;
      if (parts.greater <= 1 || behind >= count) return;
      items = items.subspan(behind);
      count -= behind;
    }
    insert_each(items);
  }

 private:
  static constexpr std::size_t kShort = 7;
  static constexpr std::size_t kLong = 40;

  /// How many stand before and behind those that equal the pivot.
  struct Parts {
    std::size_t less;
    std::size_t greater;
  };

  void insert_each(std::span<T> items) const {
    for (std::size_t next = 1; next < items.size(); ++next) {
      for (std::size_t at = next; at > 0 && compare_(items[at - 1], items[at]) > 0; --at) {
        std::swap(items[at - 1], items[at]);
      }
    }
  }

  std::size_t median(std::span<T> items, std::size_t a, std::size_t b, std::size_t c) const {
    if (compare_(items[a], items[b]) < 0) {
      if (compare_(items[b], items[c]) < 0) return b;
      return compare_(items[a], items[c]) < 0 ? c : a;
    }
    if (compare_(items[b], items[c]) > 0) return b;
    return compare_(items[a], items[c]) < 0 ? a : c;
  }

  std::size_t choose_pivot(std::span<T> items) const {
    const std::size_t last = items.size() - 1;
    const std::size_t middle = items.size() / 2;
    if (items.size() == kShort) return middle;
    if (items.size() <= kLong) return median(items, 0, middle, last);
    const std::size_t step = items.size() / 8;
    return median(items, median(items, 0, step, 2 * step), median(items, middle - step, middle, middle + step),
                  median(items, last - 2 * step, last - step, last));
  }

  Parts divide(std::span<T> items) const {
    std::swap(items[0], items[choose_pivot(items)]);
    // Equal ones gather at both ends: before `equal_low`, and behind `equal_high`.
    std::size_t equal_low = 1;
    std::size_t low = 1;
    std::size_t high = items.size() - 1;
    std::size_t equal_high = high;
    while (true) {
      for (int order = 0; low <= high && (order = compare_(items[low], items[0])) <= 0; ++low) {
        if (order == 0) std::swap(items[equal_low++], items[low]);
      }
      for (int order = 0; low <= high && (order = compare_(items[high], items[0])) >= 0; --high) {
        if (order == 0) std::swap(items[high], items[equal_high--]);
      }
      if (low > high) break;
      std::swap(items[low++], items[high--]);
    }
    const Parts parts{low - equal_low, equal_high - high};
    exchange(items, 0, low, std::min(equal_low, parts.less));
    exchange(items, low, items.size(), std::min(parts.greater, items.size() - 1 - equal_high));
    return parts;
  }

  /// The first `count` from `begin` on for the last `count` before `end`.
  static void exchange(std::span<T> items, std::size_t begin, std::size_t end, std::size_t count) {
    const auto first = items.subspan(begin, count);
    std::swap_ranges(first.begin(), first.end(), items.subspan(end - count, count).begin());
  }

  Compare compare_;
};

}  // namespace fairlane::command
