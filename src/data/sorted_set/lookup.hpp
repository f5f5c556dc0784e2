#pragma once

#include <bit>
#include <string_view>

#include "data/sorted_set/body.hpp"
#include "fairlane/base/hash.hpp"

namespace fairlane::data::ordered {

inline bool same_bits(double a, double b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool is_scored(std::uintptr_t state) noexcept {
  if (is_alone(state)) return (state & kScored) != 0;
  return state != 0 && body_of(state)->scored;
}

/// Calls with a null pointer of the slot type of the set's encoding.
template <class F>
auto with_slot(bool scored, F function) {
  return scored ? function(static_cast<ScoredSlot*>(nullptr)) : function(static_cast<UniformSlot*>(nullptr));
}

/// A member's place, and the members before its chunk; chunk is nullptr when there is none.
struct Place {
  Chunk* chunk = nullptr;
  std::size_t index = 0;
  std::size_t start = 0;
};

/// The first slot that is not `before`, which holds for a front part of the set: index may be the chunk's count only in
/// the last chunk.
template <class Slot, class Before>
inline Place boundary(const Frame& frame, Before before) noexcept {
  Path path;
  descend_before<Slot>(frame, path, before);
  const std::size_t index = partition<Slot>(path.chunk, before);
  if (index == path.chunk->count && path.chunk->next != nullptr) {
    return {path.chunk->next, 0, path.start + path.chunk->count};
  }
  return {path.chunk, index, path.start};
}

/// As boundary, for a condition that need not hold for a front part: what a walk meets first.
template <class Slot, class Before>
inline Place walk(const Frame& frame, bool from_first, Before before) noexcept {
  Path path;
  path.chunk = frame.first;
  if (!from_first) {
    descend_before<Slot>(frame, path, before);
  }
  Chunk* chunk = path.chunk;
  while (true) {
    std::size_t index = 0;
    while (index < chunk->count && before(slot_at<Slot>(chunk, index))) ++index;
    if (index < chunk->count || chunk->next == nullptr) return {chunk, index, 0};
    chunk = chunk->next;
  }
}

inline Place member_boundary(const Frame& frame, std::string_view bound, bool through) noexcept {
  const MemberKey key(bound);
  const auto before = [&key, through](const auto& slot) {
    const int found = order(slot.member, key);
    return found < 0 || (through && found == 0);
  };
  if (!frame.scored) return boundary<UniformSlot>(frame, before);
  return walk<ScoredSlot>(frame, !frame.large, before);
}

inline Place score_boundary(const Frame& frame, double bound, bool through) noexcept {
  const auto before = [bound, through](double score) { return through ? score <= bound : score < bound; };
  if (frame.scored) {
    return boundary<ScoredSlot>(frame, [&before](const ScoredSlot& slot) { return before(slot.score); });
  }
  if (before(frame.score)) return {frame.last, frame.last->count, 0};
  return {frame.first, 0, 0};
}

inline Place place_before(Place place) noexcept {
  if (place.index > 0) return {place.chunk, place.index - 1, 0};
  if (place.chunk->prev == nullptr) return {};
  return {place.chunk->prev, place.chunk->prev->count - std::size_t{1}, 0};
}

/// Also the path to where the member is or would be.
inline Place find_uniform(const Frame& frame, Path& path, const Key& key) noexcept {
  path_to_key<UniformSlot>(frame, path, key);
  const auto index =
      partition<UniformSlot>(path.chunk, [&key](const UniformSlot& slot) { return order(slot, key) < 0; });
  if (index == path.chunk->count || !same(slot_at<UniformSlot>(path.chunk, index).member, key.member)) return {};
  return {path.chunk, index, path.start};
}

/// Leaves `start` open.
inline Place find_scored(std::uintptr_t state, const Frame& frame, const MemberKey& key, std::uint64_t hash) noexcept {
  if (!is_alone(state) && body_of(state)->index != nullptr) {
    const MemberIndex::Spot spot = body_of(state)->index->find(hash, key);
    return {spot.chunk, spot.index, 0};
  }
  for (Chunk* chunk = frame.first; chunk != nullptr; chunk = chunk->next) {
    const std::size_t index = find_tagged(chunk, key, tag_of(hash));
    if (index < chunk->count) return {chunk, index, 0};
  }
  return {};
}

inline Place find_member(std::uintptr_t state, const Frame& frame, std::string_view member) noexcept {
  if (state == 0) return {};
  Path path;
  if (!frame.scored) return find_uniform(frame, path, Key{MemberKey(member), frame.score});
  return find_scored(state, frame, MemberKey(member), base::hash_bytes(member));
}

inline void path_to_chunk(const Frame& frame, Path& path, const Chunk* chunk) noexcept {
  path_to_key<ScoredSlot>(frame, path, key_of(slot_at<ScoredSlot>(chunk, 0)));
}

inline MemberIndex* index_of(std::uintptr_t state) noexcept {
  return is_alone(state) ? nullptr : body_of(state)->index;
}

}  // namespace fairlane::data::ordered
