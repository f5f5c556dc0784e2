#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "data/sorted_set/member_slot.hpp"

namespace fairlane::data::ordered {

struct Chunk;

/// A lower bound of a chunk's members and upper bound of all before it, in 16 bytes that compare without looking at a
/// member. Where fences are equal the members decide.
struct Fence {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};
inline bool operator<(const Fence& a, const Fence& b) noexcept {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/// A step of an upper level: where to, how many members lie from the start of this chunk to the start of that one, and
/// that one's fence, so that most chunks on a way down are passed by without touching them.
/// The span of a link to nowhere is 0: adding behind the last member changes no link.
struct Link {
  Chunk* next = nullptr;
  std::size_t span = 0;
  Fence fence;
};

/// The head of a run of slots in order. In the same allocation follow, for scored slots, a tag each, then
/// the slots.
/// Members occupy [begin, begin + count), so that taking the first moves nothing.
struct Chunk {
  Chunk* next;
  Chunk* prev;
  Link* tower;
  union {
    std::uint64_t id;  // in a list: see ChunkLog and MemberIndex
    double score;      // alone: the uniform score
  };
  std::uint8_t count;
  std::uint8_t begin;
  std::uint8_t capacity;
  std::uint8_t height;
};
static_assert(sizeof(Chunk) == 40);

struct Key {
  MemberKey member;
  double score;
};

struct UniformSlot {
  /// Slots and header of a full chunk fill 1 KB, a size class of every common allocator.
  static constexpr std::uint8_t kCapacity = 61;
  static constexpr bool kScored = false;

  UniformSlot(const MemberSlot& held, double) noexcept : member(held) {}
  double score_or(double uniform) const noexcept { return uniform; }

  MemberSlot member;
};

struct ScoredSlot {
  /// 1.5 KB with the tags.
  static constexpr std::uint8_t kCapacity = 59;
  static constexpr bool kScored = true;

  ScoredSlot(const MemberSlot& held, double value) noexcept : score(value), member(held) {}
  double score_or(double) const noexcept { return score; }

  double score;
  MemberSlot member;
};

inline int order(const UniformSlot& slot, const Key& key) noexcept { return order(slot.member, key.member); }
inline int order(const ScoredSlot& slot, const Key& key) noexcept {
  if (slot.score != key.score) return slot.score < key.score ? -1 : 1;
  return order(slot.member, key.member);
}

/// The score as a number of the same order.
inline std::uint64_t ordered_bits(double score) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);  // -0 becomes 0
  return (bits >> 63) != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}
template <class Slot>
Fence fence_of(const Key& key) noexcept {
  if constexpr (Slot::kScored) return {ordered_bits(key.score), key.member.high};
  return {key.member.high, key.member.low};
}
template <class Slot>
Key key_of(const Slot& slot) noexcept {
  return {MemberKey(slot.member.view()), slot.score_or(0)};
}

/// Tags of scored slots, one byte of the member's hash each: a member is found in a chunk by reading a line or two, not
/// all slots. They stand right behind the header, which is read for the same search.
inline std::uint8_t* tags_of(Chunk* chunk) noexcept { return reinterpret_cast<std::uint8_t*>(chunk + 1); }
inline const std::uint8_t* tags_of(const Chunk* chunk) noexcept {
  return reinterpret_cast<const std::uint8_t*>(chunk + 1);
}
constexpr std::uint8_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint8_t>(hash); }

template <class Slot>
constexpr std::size_t slots_offset(std::size_t capacity) noexcept {
  return sizeof(Chunk) + (Slot::kScored ? (capacity + 7) / 8 * 8 : 0);
}
template <class Slot>
Slot* slots_of(Chunk* chunk) noexcept {
  return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(chunk) + slots_offset<Slot>(chunk->capacity));
}
template <class Slot>
const Slot* slots_of(const Chunk* chunk) noexcept {
  return reinterpret_cast<const Slot*>(reinterpret_cast<const std::byte*>(chunk) + slots_offset<Slot>(chunk->capacity));
}
/// The slot of the member at `index` in the chunk.
template <class Slot>
Slot& slot_at(Chunk* chunk, std::size_t index) noexcept {
  return slots_of<Slot>(chunk)[chunk->begin + index];
}
template <class Slot>
const Slot& slot_at(const Chunk* chunk, std::size_t index) noexcept {
  return slots_of<Slot>(chunk)[chunk->begin + index];
}
template <class Slot>
constexpr std::size_t chunk_bytes(std::size_t capacity) noexcept {
  return slots_offset<Slot>(capacity) + capacity * sizeof(Slot);
}

template <class Slot>
Chunk* allocate_chunk(std::uint8_t capacity) {
  return ::new (::operator new(chunk_bytes<Slot>(capacity))) Chunk{nullptr, nullptr, nullptr, {0}, 0, 0, capacity, 0};
}
inline void free_chunk(Chunk* chunk) noexcept { ::operator delete(chunk); }

/// Copies `count` members of one chunk over places of another, which is not the same one.
template <class Slot>
void copy_slots(Chunk* to, std::size_t place, const Chunk* from, std::size_t index, std::size_t count) noexcept {
  std::memcpy(static_cast<void*>(slots_of<Slot>(to) + place), &slot_at<Slot>(from, index), count * sizeof(Slot));
  if constexpr (Slot::kScored) std::memcpy(tags_of(to) + place, tags_of(from) + from->begin + index, count);
}

/// Moves `count` places within a chunk.
template <class Slot>
void move_slots(Chunk* chunk, std::size_t to, std::size_t from, std::size_t count) noexcept {
  std::memmove(static_cast<void*>(slots_of<Slot>(chunk) + to), slots_of<Slot>(chunk) + from, count * sizeof(Slot));
  if constexpr (Slot::kScored) std::memmove(tags_of(chunk) + to, tags_of(chunk) + from, count);
}

/// Puts a slot before the member at `index`; the chunk has room. The shorter side moves.
template <class Slot>
void insert_slot(Chunk* chunk, std::size_t index, const Slot& slot, std::uint8_t tag) noexcept {
  const std::size_t behind = chunk->count - index;
  const bool room_behind = chunk->begin + chunk->count < chunk->capacity;
  if (room_behind && (chunk->begin == 0 || behind <= index)) {
    move_slots<Slot>(chunk, chunk->begin + index + 1, chunk->begin + index, behind);
  } else {
    move_slots<Slot>(chunk, chunk->begin - std::size_t{1}, chunk->begin, index);
    --chunk->begin;
  }
  ++chunk->count;
  slot_at<Slot>(chunk, index) = slot;
  if constexpr (Slot::kScored) tags_of(chunk)[chunk->begin + index] = tag;
}

/// Closes the gap of `count` members from `index` on; the slots are dropped as they are.
template <class Slot>
void remove_slots(Chunk* chunk, std::size_t index, std::size_t count) noexcept {
  const std::size_t behind = chunk->count - index - count;
  if (index < behind) {
    move_slots<Slot>(chunk, chunk->begin + count, chunk->begin, index);
    chunk->begin = static_cast<std::uint8_t>(chunk->begin + count);
  } else {
    move_slots<Slot>(chunk, chunk->begin + index, chunk->begin + index + count, behind);
  }
  chunk->count = static_cast<std::uint8_t>(chunk->count - count);
}

/// The first index whose slot is not `before`; `before` holds for a front part of the chunk.
template <class Slot, class Before>
std::size_t partition(const Chunk* chunk, Before before) noexcept {
  std::size_t low = 0;
  std::size_t left = chunk->count;
  const Slot* const slots = &slot_at<Slot>(chunk, 0);
  while (left > 0) {
    const std::size_t half = left / 2;
    const bool further = before(slots[low + half]);
    low = further ? low + half + 1 : low;
    left = further ? left - half - 1 : half;
  }
  return low;
}

/// The index of the member in a scored chunk, or the count.
inline std::size_t find_tagged(const Chunk* chunk, const MemberKey& key, std::uint8_t tag) noexcept {
  const std::uint8_t* const tags = tags_of(chunk) + chunk->begin;
  const std::size_t count = chunk->count;
  for (std::size_t index = 0; index < count; ++index) {
    const void* const hit = std::memchr(tags + index, tag, count - index);
    if (hit == nullptr) return count;
    index = static_cast<std::size_t>(static_cast<const std::uint8_t*>(hit) - tags);
    if (same(slot_at<ScoredSlot>(chunk, index).member, key)) return index;
  }
  return count;
}

}  // namespace fairlane::data::ordered
