#pragma once

#include <cstddef>
#include <cstdint>

#include "data/sorted_set/chunk.hpp"
#include "data/sorted_set/chunk_log.hpp"
#include "data/sorted_set/member_index.hpp"

namespace fairlane::data::ordered {

constexpr unsigned kMaxLevels = 16;  // one chunk in four has an upper level, so this is enough for 4^16 chunks
constexpr std::size_t kIndexFrom = 256;

/// A set of more than one chunk: an unrolled skip list. Upper levels are links in `head` and in the chunks' towers; the
/// lowest is the chain of chunks itself. All chunks have full capacity.
struct Body {
  Chunk* first = nullptr;
  Chunk* last = nullptr;
  Link* head = nullptr;          // spans are the members before the chunk
  ChunkLog* log = nullptr;       // of a uniform set
  MemberIndex* index = nullptr;  // of a scored set once above kIndexFrom
  double score = 0;              // of a uniform set
  std::size_t size = 0;
  std::size_t own_bytes = sizeof(Body);  // with chunks, links and towers
  std::size_t member_bytes = 0;          // of long members
  std::uint32_t random = 0x9E3779B9U;
  std::uint8_t levels = 0;
  bool scored = false;
  bool large = false;
};

/// The three states of the handle. A set of one chunk has no body: flags stand in the pointer's low bits.
constexpr std::uintptr_t kAlone = 1;
constexpr std::uintptr_t kScored = 2;
constexpr std::uintptr_t kLarge = 4;
constexpr std::uintptr_t kFlags = 7;

inline bool is_alone(std::uintptr_t state) noexcept { return (state & kAlone) != 0; }
// The flags make the handle a number; what is left of it was a pointer.
// NOLINTBEGIN(performance-no-int-to-ptr)
inline Chunk* chunk_of(std::uintptr_t state) noexcept { return reinterpret_cast<Chunk*>(state & ~kFlags); }
inline Body* body_of(std::uintptr_t state) noexcept { return reinterpret_cast<Body*>(state); }
// NOLINTEND(performance-no-int-to-ptr)
inline std::uintptr_t alone(const Chunk* chunk, std::uintptr_t flags) noexcept {
  return reinterpret_cast<std::uintptr_t>(chunk) | kAlone | flags;
}

/// What reading needs, the same for one chunk and for many.
struct Frame {
  Chunk* first = nullptr;
  Chunk* last = nullptr;
  const Link* head = nullptr;
  std::size_t size = 0;
  double score = 0;
  unsigned levels = 0;
  bool scored = false;
  bool large = false;
};

inline Frame frame_of(std::uintptr_t state) noexcept {
  if (state == 0) return {};
  if (is_alone(state)) {
    Chunk* const chunk = chunk_of(state);
    const bool scored = (state & kScored) != 0;
    return {chunk, chunk, nullptr, chunk->count, scored ? 0 : chunk->score, 0, scored, (state & kLarge) != 0};
  }
  const Body& body = *body_of(state);
  return {body.first, body.last, body.head, body.size, body.score, body.levels, body.scored, body.large};
}

/// A way down the skip list: on each upper level the last chunk that does not go too far (nullptr: the head) and the
/// members before it, and the chunk where the way ends.
struct Path {
  Chunk* node[kMaxLevels];
  std::size_t rank[kMaxLevels];
  Chunk* chunk;
  std::size_t start;
};

/// Goes on while over(link, members before its chunk) on the upper levels and step(chunk, members before it) on the
/// lowest; the set is not empty.
template <class Over, class Step>
void descend(const Frame& frame, Path& path, Over over, Step step) noexcept {
  Chunk* node = nullptr;
  const Link* links = frame.head;
  std::size_t rank = 0;
  for (unsigned level = frame.levels; level-- > 0;) {
    while (links[level].next != nullptr && over(links[level], rank + links[level].span)) {
      rank += links[level].span;
      node = links[level].next;
      links = node->tower;
    }
    path.node[level] = node;
    path.rank[level] = rank;
  }
  Chunk* chunk = node == nullptr ? frame.first : node;
  while (chunk->next != nullptr && step(chunk->next, rank + chunk->count)) {
    rank += chunk->count;
    chunk = chunk->next;
  }
  path.chunk = chunk;
  path.start = rank;
}

/// Goes on while before(first member of the next chunk).
template <class Slot, class Before>
void descend_before(const Frame& frame, Path& path, Before before) noexcept {
  descend(
      frame, path, [&before](const Link& link, std::size_t) { return before(slot_at<Slot>(link.next, 0)); },
      [&before](const Chunk* next, std::size_t) { return before(slot_at<Slot>(next, 0)); });
}

/// To the chunk where the key is, or would be.
template <class Slot>
void path_to_key(const Frame& frame, Path& path, const Key& key) noexcept {
  const Fence fence = fence_of<Slot>(key);
  const auto reaches = [&key](const Chunk* next) { return order(slot_at<Slot>(next, 0), key) <= 0; };
  descend(
      frame, path,
      [&](const Link& link, std::size_t) {
        if (fence < link.fence) return false;
        return link.fence < fence || reaches(link.next);
      },
      [&](const Chunk* next, std::size_t) { return reaches(next); });
  // A key before all members belongs to the first chunk, whose links then count it.
  if (path.chunk != frame.first) return;
  for (unsigned level = 0; level < path.chunk->height; ++level) path.node[level] = path.chunk;
}
/// To the chunk with the member of this rank.
inline void path_to_rank(const Frame& frame, Path& path, std::size_t rank) noexcept {
  const auto reaches = [rank](const auto&, std::size_t start) { return start <= rank; };
  descend(frame, path, reaches, reaches);
}
/// On every level to the last chunk that starts before this rank: the predecessors of the chunk that starts there.
inline void path_before_rank(const Frame& frame, Path& path, std::size_t rank) noexcept {
  const auto reaches = [rank](const auto&, std::size_t start) { return start < rank; };
  descend(frame, path, reaches, reaches);
}

}  // namespace fairlane::data::ordered
