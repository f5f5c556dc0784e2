#include <algorithm>
#include <bit>

#include "data/sorted_set/chain.hpp"
#include "data/sorted_set/lookup.hpp"
#include "fairlane/base/assert.hpp"
#include "fairlane/data/sorted_set.hpp"

namespace fairlane::data {

using namespace ordered;

namespace {

void unindex(std::uintptr_t state, const Chunk* chunk, const ScoredSlot& slot) noexcept {
  if (MemberIndex* const index = index_of(state)) index->erase(base::hash_bytes(slot.member.view()), chunk->id);
}
void unindex(std::uintptr_t, const Chunk*, const UniformSlot&) noexcept {}

template <class Slot>
void erase_at(std::uintptr_t& state, const Path& path, std::size_t index) {
  Chain<Slot> chain(state);
  Slot& slot = slot_at<Slot>(path.chunk, index);
  unindex(state, path.chunk, slot);
  chain.drop(slot);
  const bool remains = path.chunk->count > 1;
  chain.remove(path, index, 1);
  if (remains) chain.tidy(path.chunk, path.start);
}

void build_index(Body& body) {
  body.index = new MemberIndex(body.size);
  for (Chunk* chunk = body.first; chunk != nullptr; chunk = chunk->next) body.index->add_chunk(chunk);
  // A segment that splits looks its members up in their chunks and must not find those that are still to be entered, so
  // a chunk shows its members one after the other.
  for (Chunk* chunk = body.first; chunk != nullptr; chunk = chunk->next) {
    const std::uint8_t count = chunk->count;
    for (chunk->count = 0; chunk->count < count; ++chunk->count) {
      const std::uint64_t hash = base::hash_bytes(slot_at<ScoredSlot>(chunk, chunk->count).member.view());
      body.index->prepare(hash);
      body.index->insert(hash, chunk->id);
    }
  }
}

void index_when_long(std::uintptr_t state) {
  if (!is_alone(state) && body_of(state)->index == nullptr && body_of(state)->size > kIndexFrom) {
    build_index(*body_of(state));
  }
}

void set_large(std::uintptr_t& state) noexcept {
  if (is_alone(state)) {
    state |= kLarge;
  } else {
    body_of(state)->large = true;
  }
}

/// Rebuilds a uniform set for several scores.
void make_scored(std::uintptr_t& state) {
  const Frame frame = frame_of(state);
  std::uintptr_t made = 0;
  Chain<ScoredSlot> chain(made);
  for (const Chunk* chunk = frame.first; chunk != nullptr; chunk = chunk->next) {
    for (std::size_t i = 0; i < chunk->count; ++i) {
      const ScoredSlot slot(slot_at<UniformSlot>(chunk, i).member, frame.score);
      const std::uint8_t tag = tag_of(base::hash_bytes(slot.member.view()));
      if (made == 0) {
        chain.start(frame.score, slot, tag);
      } else {
        chain.append(slot, tag);
      }
    }
  }
  Chain<UniformSlot>(state).destroy(false);
  state = made;
  if (frame.large) set_large(state);
  index_when_long(state);
}

bool put_uniform(std::uintptr_t& state, const Key& key) {
  Chain<UniformSlot> chain(state);
  const Frame frame = frame_of(state);
  if (order(slot_at<UniformSlot>(frame.last, frame.last->count - std::size_t{1}), key) < 0) {
    chain.append(UniformSlot(MemberSlot(key.member), key.score), 0);
    return true;
  }
  Path path;
  path_to_key<UniformSlot>(frame, path, key);
  const auto index =
      partition<UniformSlot>(path.chunk, [&key](const UniformSlot& slot) { return order(slot, key) < 0; });
  if (index < path.chunk->count && same(slot_at<UniformSlot>(path.chunk, index).member, key.member)) return false;
  chain.insert(path, index, UniformSlot(MemberSlot(key.member), key.score), 0);
  return true;
}

void insert_scored(std::uintptr_t& state, const Key& key, const MemberSlot& member, std::uint64_t hash) {
  Chain<ScoredSlot> chain(state);
  const ScoredSlot slot(member, key.score);
  if (MemberIndex* const index = index_of(state)) index->prepare(hash);
  const Frame frame = frame_of(state);
  const Chunk* chunk = nullptr;
  if (order(slot_at<ScoredSlot>(frame.last, frame.last->count - std::size_t{1}), key) < 0) {
    chunk = chain.append(slot, tag_of(hash));
  } else {
    Path path;
    path_to_key<ScoredSlot>(frame, path, key);
    const auto at = partition<ScoredSlot>(path.chunk, [&key](const ScoredSlot& held) { return order(held, key) < 0; });
    chunk = chain.insert(path, at, slot, tag_of(hash));
  }
  if (MemberIndex* const index = index_of(state)) {
    index->insert(hash, chunk->id);
  } else {
    index_when_long(state);
  }
}

/// Whether a slot may change to the key's score where it is.
bool stays(Place place, const Key& key) noexcept {
  const Place before = place_before(place);
  if (before.chunk != nullptr && order(slot_at<ScoredSlot>(before.chunk, before.index), key) >= 0) return false;
  Place behind{place.chunk, place.index + 1, 0};
  if (behind.index == place.chunk->count) behind = {place.chunk->next, 0, 0};
  return behind.chunk == nullptr || order(slot_at<ScoredSlot>(behind.chunk, behind.index), key) > 0;
}

SortedSet::Put put_scored(std::uintptr_t& state, const Key& key) {
  const std::uint64_t hash = base::hash_bytes(key.member.bytes);
  const Frame frame = frame_of(state);
  const Place place = find_scored(state, frame, key.member, hash);
  if (place.chunk == nullptr) {
    insert_scored(state, key, MemberSlot(key.member), hash);
    return SortedSet::Put::inserted;
  }
  ScoredSlot& slot = slot_at<ScoredSlot>(place.chunk, place.index);
  if (slot.score == key.score) return SortedSet::Put::unchanged;
  if (stays(place, key)) {
    slot.score = key.score;
    return SortedSet::Put::moved;
  }
  const MemberSlot member = slot.member;
  Chain<ScoredSlot> chain(state);
  Path path;
  path_to_chunk(frame, path, place.chunk);
  unindex(state, place.chunk, slot);
  chain.detach(slot);
  const bool remains = place.chunk->count > 1;
  chain.remove(path, place.index, 1);
  if (remains) chain.tidy(place.chunk, path.start);
  insert_scored(state, key, member, hash);
  return SortedSet::Put::moved;
}

/// The way of a queue, kept short: a short member behind the last one of a uniform set whose last chunk has room. False
/// when anything is different.
bool put_behind(std::uintptr_t state, const Key& key) noexcept {
  Body* const body = is_alone(state) ? nullptr : body_of(state);
  if (body != nullptr ? body->scored : (state & kScored) != 0) return false;
  Chunk* const chunk = body != nullptr ? body->last : chunk_of(state);
  const std::size_t place = std::size_t{chunk->begin} + chunk->count;
  UniformSlot* const slots = slots_of<UniformSlot>(chunk);
  if (place == chunk->capacity || !key.member.fits) return false;
  if (!same_bits(body != nullptr ? body->score : chunk->score, key.score)) return false;
  if (order(slots[place - 1], key) >= 0) return false;
  slots[place] = UniformSlot(MemberSlot(key.member), key.score);
  ++chunk->count;
  if (body != nullptr) ++body->size;
  return true;
}

/// Of the few members of several scores that one chunk holds.
bool erase_alone(std::uintptr_t& state, std::string_view member) {
  Chunk* const chunk = chunk_of(state);
  const std::size_t index = find_tagged(chunk, MemberKey(member), tag_of(base::hash_bytes(member)));
  if (index >= chunk->count) return false;
  Chain<ScoredSlot> chain(state);
  chain.drop(slot_at<ScoredSlot>(chunk, index));
  Path path;
  path.chunk = chunk;
  path.start = 0;
  chain.remove(path, index, 1);
  return true;
}

SortedSet::Put put_with(std::uintptr_t& state, const Key& key) {
  if (is_scored(state)) return put_scored(state, key);
  const Frame frame = frame_of(state);
  if (same_bits(frame.score, key.score)) {
    return put_uniform(state, key) ? SortedSet::Put::inserted : SortedSet::Put::unchanged;
  }
  // 0 beside -0: equal, yet each is kept as it was given.
  const bool equal = frame.score == key.score;
  Path path;
  if (equal && find_uniform(frame, path, key).chunk != nullptr) return SortedSet::Put::unchanged;
  if (!equal && frame.size == 1 && same(slot_at<UniformSlot>(frame.first, 0).member, key.member)) {
    (is_alone(state) ? frame.first->score : body_of(state)->score) = key.score;
    return SortedSet::Put::moved;
  }
  make_scored(state);
  return put_scored(state, key);
}

}  // namespace

SortedSet::Put SortedSet::put(std::string_view member, double score, const Limits& limits) {
  FAIRLANE_ASSERT(score == score);
  const Key key{MemberKey(member), score};
  Put result = Put::inserted;
  if (state_ == 0) {
    Chain<UniformSlot>(state_).start(score, UniformSlot(MemberSlot(key.member), score), 0);
  } else if (!put_behind(state_, key)) {
    result = put_with(state_, key);
  }
  if (result == Put::inserted && (member.size() > limits.max_packed_value || size() > limits.max_packed_entries)) {
    set_large(state_);
  }
  return result;
}

bool SortedSet::erase(std::string_view member) {
  if (state_ == 0) return false;
  if (is_alone(state_) && (state_ & kScored) != 0) return erase_alone(state_, member);
  const Frame frame = frame_of(state_);
  Path path;
  if (!frame.scored) {
    const Place place = find_uniform(frame, path, Key{MemberKey(member), frame.score});
    if (place.chunk == nullptr) return false;
    erase_at<UniformSlot>(state_, path, place.index);
    return true;
  }
  const Place place = find_scored(state_, frame, MemberKey(member), base::hash_bytes(member));
  if (place.chunk == nullptr) return false;
  path_to_chunk(frame, path, place.chunk);
  erase_at<ScoredSlot>(state_, path, place.index);
  return true;
}

std::size_t SortedSet::take_front(std::size_t count, Visit visit, void* visitor) {
  std::size_t taken = 0;
  while (taken < count && state_ != 0) {
    Chunk* const chunk = is_alone(state_) ? chunk_of(state_) : body_of(state_)->first;
    const std::size_t run = std::min<std::size_t>(count - taken, chunk->count);
    with_slot(is_scored(state_), [&]<class Slot>(Slot*) {
      Chain<Slot> chain(state_);
      const double uniform = Slot::kScored ? 0 : is_alone(state_) ? chunk->score : body_of(state_)->score;
      for (std::size_t i = 0; i < run; ++i) {
        Slot& slot = slot_at<Slot>(chunk, i);
        visit(visitor, {slot.member.view(), slot.score_or(uniform)});
        unindex(state_, chunk, slot);
        chain.drop(slot);
      }
      chain.remove_front(chunk, run);
    });
    taken += run;
  }
  return taken;
}

std::size_t SortedSet::take_back(std::size_t count, Visit visit, void* visitor) {
  std::size_t taken = 0;
  while (taken < count && state_ != 0) {
    const Frame frame = frame_of(state_);
    Chunk* const chunk = frame.last;
    const std::size_t run = std::min<std::size_t>(count - taken, chunk->count);
    with_slot(frame.scored, [&]<class Slot>(Slot*) {
      Chain<Slot> chain(state_);
      for (std::size_t i = 1; i <= run; ++i) {
        Slot& slot = slot_at<Slot>(chunk, chunk->count - i);
        visit(visitor, {slot.member.view(), slot.score_or(frame.score)});
        unindex(state_, chunk, slot);
        chain.drop(slot);
      }
      chain.remove_back(chunk, run);
    });
    taken += run;
  }
  return taken;
}

std::size_t SortedSet::take_range(std::size_t first_rank, std::size_t last_rank, Visit visit, void* visitor) {
  if (first_rank >= size() || last_rank < first_rank) return 0;
  const std::size_t wanted = std::min(last_rank, size() - 1) - first_rank + 1;
  const bool scored_slots = scored();
  with_slot(scored_slots, [&]<class Slot>(Slot*) {
    Chain<Slot> chain(state_);
    for (std::size_t taken = 0; taken < wanted;) {
      const Frame frame = frame_of(state_);
      Path path;
      path_to_rank(frame, path, first_rank);
      const std::size_t index = first_rank - path.start;
      const std::size_t run = std::min<std::size_t>(wanted - taken, path.chunk->count - index);
      for (std::size_t i = index; i < index + run; ++i) {
        Slot& slot = slot_at<Slot>(path.chunk, i);
        if (visit != nullptr) visit(visitor, {slot.member.view(), slot.score_or(frame.score)});
        unindex(state_, path.chunk, slot);
        chain.drop(slot);
      }
      chain.remove(path, index, run);
      taken += run;
    }
    // Both sides of the gap may have become sparse.
    for (std::size_t back = 0; back < 2 && state_ != 0 && first_rank >= back; ++back) {
      Path path;
      path_to_rank(frame_of(state_), path, std::min(first_rank - back, size() - 1));
      chain.tidy(path.chunk, path.start);
    }
  });
  return wanted;
}

void SortedSet::clear() noexcept {
  if (state_ == 0) return;
  with_slot(scored(), [this]<class Slot>(Slot*) { Chain<Slot>(state_).destroy(true); });
}

SortedSet SortedSet::clone() const {
  SortedSet copy;
  const Frame frame = frame_of(state_);
  with_slot(frame.scored, [&]<class Slot>(Slot*) {
    Chain<Slot> chain(copy.state_);
    for (const Chunk* chunk = frame.first; chunk != nullptr; chunk = chunk->next) {
      for (std::size_t i = 0; i < chunk->count; ++i) {
        const Slot& held = slot_at<Slot>(chunk, i);
        const Slot slot(MemberSlot(MemberKey(held.member.view())), held.score_or(frame.score));
        std::uint8_t tag = 0;
        if constexpr (Slot::kScored) tag = tags_of(chunk)[chunk->begin + i];
        if (copy.state_ == 0) {
          chain.start(frame.score, slot, tag);
        } else {
          chain.append(slot, tag);
        }
      }
    }
  });
  if (frame.large) set_large(copy.state_);
  if (frame.scored) index_when_long(copy.state_);
  return copy;
}

}  // namespace fairlane::data
