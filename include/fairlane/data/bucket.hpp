#pragma once

#include <bit>
#include <cstdint>

namespace fairlane::data::detail {

/// One cache line: seven slots, a one-byte tag for each, and whether the last slot leads to a further bucket. Slots are
/// filled from the first on, without holes; a tag of 0 is an empty slot.
template <class Entry>
struct alignas(64) Bucket {
  static constexpr unsigned kSlots = 7;
  static constexpr std::uint64_t kTags = 0x00FFFFFFFFFFFFFFULL;
  static constexpr std::uint64_t kChained = 1ULL << 63;

  union Slot {
    Entry* entry;
    Bucket* child;
  };

  std::uint64_t head = 0;
  Slot slots[kSlots];

  bool chained() const noexcept { return (head & kChained) != 0; }
  Bucket* child() const noexcept { return slots[kSlots - 1].child; }
  unsigned count() const noexcept { return (static_cast<unsigned>(std::bit_width(head & kTags)) + 7) / 8; }
  std::uint64_t tag(unsigned slot) const noexcept { return (head >> (8 * slot)) & 0xFF; }
  void put(unsigned slot, std::uint64_t tag, Entry* entry) noexcept {
    head = (head & ~(0xFFULL << (8 * slot))) | tag << (8 * slot);
    slots[slot].entry = entry;
  }
  void cut(unsigned slot) noexcept { head &= ~(0xFFULL << (8 * slot)); }
  void chain(Bucket* child) noexcept {
    cut(kSlots - 1);
    head |= kChained;
    slots[kSlots - 1].child = child;
  }

  /// The high bit of every tag byte that equals the pattern's.
  std::uint64_t matches(std::uint64_t pattern) const noexcept {
    constexpr std::uint64_t kLow = 0x007F7F7F7F7F7F7FULL;
    const std::uint64_t differing = head ^ pattern;
    return ~(((differing & kLow) + kLow) | differing | kLow) & kTags;
  }
};

}  // namespace fairlane::data::detail
