#include "fairlane/lane/lane_heap.hpp"

#include <algorithm>

namespace fairlane::lane {

namespace {

constexpr std::size_t kChildren = 4;
constexpr std::size_t kKeptCapacity = 64;

}  // namespace

void LaneHeap::push(const Item& item) {
  const Item added = item;
  items_.push_back(added);
  sift_up(items_.size() - 1, added);
}

LaneHeap::Item LaneHeap::remove(std::size_t position) {
  const Item removed = items_[position];
  const Item last = items_.back();
  items_.pop_back();
  if (position < items_.size()) settle(position, last);
  // A quarter, not a half: a heap that goes up and down around one size must not allocate each time.
  if (items_.capacity() > kKeptCapacity && items_.size() < items_.capacity() / 4) items_.shrink_to_fit();
  return removed;
}

void LaneHeap::update(std::size_t position, VirtualTime start, std::uint64_t sequence) noexcept {
  settle(position, {start, sequence, items_[position].lane});
}

void LaneHeap::settle(std::size_t position, const Item& item) noexcept {
  if (position > 0 && earlier(item, items_[(position - 1) / kChildren])) {
    sift_up(position, item);
  } else {
    sift_down(position, item);
  }
}

void LaneHeap::sift_up(std::size_t position, const Item& item) noexcept {
  while (position > 0) {
    const std::size_t parent = (position - 1) / kChildren;
    if (!earlier(item, items_[parent])) break;
    place(position, items_[parent]);
    position = parent;
  }
  place(position, item);
}

void LaneHeap::sift_down(std::size_t position, const Item& item) noexcept {
  for (;;) {
    const std::size_t first = position * kChildren + 1;
    if (first >= items_.size()) break;
    const std::size_t end = std::min(first + kChildren, items_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (earlier(items_[child], items_[least])) least = child;
    }
    if (!earlier(items_[least], item)) break;
    place(position, items_[least]);
    position = least;
  }
  place(position, item);
}

}  // namespace fairlane::lane
