#include "data/sorted_set/body.hpp"
#include "fairlane/base/assert.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/data/sorted_set.hpp"

namespace fairlane::data {

using namespace ordered;

namespace {

template <class Slot>
void check_chunk(const Chunk* chunk, const Slot*& previous) {
  FAIRLANE_ASSERT(chunk->count > 0);
  FAIRLANE_ASSERT(chunk->begin + chunk->count <= chunk->capacity);
  FAIRLANE_ASSERT(chunk->capacity <= Slot::kCapacity);
  FAIRLANE_ASSERT(chunk->next == nullptr || chunk->next->prev == chunk);
  for (std::size_t i = 0; i < chunk->count; ++i) {
    const Slot& slot = slot_at<Slot>(chunk, i);
    if (previous != nullptr) FAIRLANE_ASSERT(order(*previous, key_of(slot)) < 0);
    FAIRLANE_ASSERT(slot.member.is_long() == (slot.member.view().size() > kInlineMember));
    if constexpr (Slot::kScored) {
      FAIRLANE_ASSERT(tags_of(chunk)[chunk->begin + i] == tag_of(base::hash_bytes(slot.member.view())));
    }
    previous = &slot;
  }
}

/// The links of one level lead to the chunks that are that high, and their spans add up.
template <class Slot>
void check_level(const Body& body, unsigned level) {
  const Link* link = &body.head[level];
  std::size_t passed = 0;
  for (const Chunk* chunk = body.first; chunk != nullptr; chunk = chunk->next) {
    if (chunk->height > level) {
      FAIRLANE_ASSERT(link->next == chunk && link->span == passed);
      FAIRLANE_ASSERT(!(fence_of<Slot>(key_of(slot_at<Slot>(chunk, 0))) < link->fence));
      if (const Chunk* const before = chunk->prev) {
        FAIRLANE_ASSERT(!(link->fence < fence_of<Slot>(key_of(slot_at<Slot>(before, before->count - std::size_t{1})))));
      }
      link = &chunk->tower[level];
      passed = 0;
    }
    passed += chunk->count;
  }
  FAIRLANE_ASSERT(link->next == nullptr && link->span == 0);
}

void check_index(const Body& body) {
  FAIRLANE_ASSERT(body.index->live() == body.size);
  for (const Chunk* chunk = body.first; chunk != nullptr; chunk = chunk->next) {
    for (std::size_t i = 0; i < chunk->count; ++i) {
      const std::string_view member = slot_at<ScoredSlot>(chunk, i).member.view();
      const MemberIndex::Spot spot = body.index->find(base::hash_bytes(member), MemberKey(member));
      FAIRLANE_ASSERT(spot.chunk == chunk && spot.index == i);
    }
  }
}

template <class Slot>
void check_body(const Body& body) {
  std::size_t members = 0;
  std::size_t member_bytes = 0;
  std::size_t own_bytes = sizeof(Body) + body.levels * sizeof(Link);
  const Slot* previous = nullptr;
  for (const Chunk* chunk = body.first; chunk != nullptr; chunk = chunk->next) {
    check_chunk<Slot>(chunk, previous);
    FAIRLANE_ASSERT(chunk->capacity == Slot::kCapacity);
    FAIRLANE_ASSERT((chunk->next == nullptr) == (chunk == body.last));
    members += chunk->count;
    own_bytes += chunk_bytes<Slot>(chunk->capacity) + chunk->height * sizeof(Link);
    for (std::size_t i = 0; i < chunk->count; ++i) member_bytes += slot_at<Slot>(chunk, i).member.heap_bytes();
    if (body.log != nullptr) FAIRLANE_ASSERT(body.log->at_least(chunk->id) == chunk);
  }
  FAIRLANE_ASSERT(body.first->prev == nullptr);
  FAIRLANE_ASSERT(members == body.size);
  FAIRLANE_ASSERT(own_bytes == body.own_bytes);
  FAIRLANE_ASSERT(member_bytes == body.member_bytes);
  FAIRLANE_ASSERT((body.log != nullptr) == !body.scored);
  for (unsigned level = 0; level < body.levels; ++level) check_level<Slot>(body, level);
  if (body.index != nullptr) check_index(body);
}

template <class Slot>
void check_alone(const Chunk* chunk) {
  const Slot* previous = nullptr;
  FAIRLANE_ASSERT(chunk->next == nullptr && chunk->prev == nullptr && chunk->height == 0);
  check_chunk<Slot>(chunk, previous);
}

}  // namespace

void SortedSet::check() const {
  if (state_ == 0) return;
  if (is_alone(state_)) {
    return scored() ? check_alone<ScoredSlot>(chunk_of(state_)) : check_alone<UniformSlot>(chunk_of(state_));
  }
  return scored() ? check_body<ScoredSlot>(*body_of(state_)) : check_body<UniformSlot>(*body_of(state_));
}

}  // namespace fairlane::data
