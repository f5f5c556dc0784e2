#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fairlane::lane {

/// Virtual time of a FairQueue, 2^32 units to a job of a lane of weight 1. A pick moves it by less than 2^63, so 2^64
/// picks do not exhaust it: nothing ever wraps and nothing is ever renormalised.
__extension__ typedef __int128 VirtualTime;

namespace detail {

/// A lane with scheduling state in one allocation: this header, then the bytes of its name.
struct FairLane {
  static constexpr std::uint8_t kLingering = 255;

  std::uint32_t position;  // in the heap it is in
  std::uint32_t weight;
  std::uint32_t fraction;  // of its start, in units of 1 / weight, less than weight
  std::uint32_t length;
  std::uint8_t home;  // the weight class whose heap it is in, or kLingering

  bool lingering() const noexcept { return home == kLingering; }
  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  std::string_view name() const noexcept { return {reinterpret_cast<const char*>(this + 1), length}; }
};

}  // namespace detail

/// Lanes by virtual start time, earliest first, equal ones by sequence number: a heap of four children a node. A lane
/// knows its place in it, so every change costs O(log n) and no search. Any change moves items.
class LaneHeap {
 public:
  struct Item {
    VirtualTime start;
    std::uint64_t sequence;
    detail::FairLane* lane;
  };

  bool empty() const noexcept { return items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  std::size_t memory() const noexcept { return items_.capacity() * sizeof(Item); }
  /// The heap is not empty.
  const Item& front() const noexcept { return items_.front(); }
  const Item& operator[](std::size_t position) const noexcept { return items_[position]; }

  void push(const Item& item);
  /// Returns what stood there.
  Item remove(std::size_t position);
  /// The item's lane gets another key.
  void update(std::size_t position, VirtualTime start, std::uint64_t sequence) noexcept;

 private:
  static bool earlier(const Item& left, const Item& right) noexcept {
    return left.start != right.start ? left.start < right.start : left.sequence < right.sequence;
  }
  void place(std::size_t position, const Item& item) noexcept {
    items_[position] = item;
    item.lane->position = static_cast<std::uint32_t>(position);
  }
  void sift_up(std::size_t position, const Item& item) noexcept;
  void sift_down(std::size_t position, const Item& item) noexcept;
  void settle(std::size_t position, const Item& item) noexcept;

  std::vector<Item> items_;
};

}  // namespace fairlane::lane
