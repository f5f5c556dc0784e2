#include "fairlane/data/sorted_set.hpp"

#include <bit>

#include "data/sorted_set/chain.hpp"

namespace fairlane::data {

using namespace ordered;

namespace {

bool same_bits(double a, double b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool is_scored(std::uintptr_t state) noexcept {
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
Place boundary(const Frame& frame, Before before) noexcept {
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
Place walk(const Frame& frame, bool from_first, Before before) noexcept {
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

Place member_boundary(const Frame& frame, std::string_view bound, bool through) noexcept {
  const MemberKey key(bound);
  const auto before = [&key, through](const auto& slot) {
    const int found = order(slot.member, key);
    return found < 0 || (through && found == 0);
  };
  if (!frame.scored) return boundary<UniformSlot>(frame, before);
  return walk<ScoredSlot>(frame, !frame.large, before);
}

Place score_boundary(const Frame& frame, double bound, bool through) noexcept {
  const auto before = [bound, through](double score) { return through ? score <= bound : score < bound; };
  if (frame.scored) {
    return boundary<ScoredSlot>(frame, [&before](const ScoredSlot& slot) { return before(slot.score); });
  }
  if (before(frame.score)) return {frame.last, frame.last->count, 0};
  return {frame.first, 0, 0};
}

Place place_before(Place place) noexcept {
  if (place.index > 0) return {place.chunk, place.index - 1, 0};
  if (place.chunk->prev == nullptr) return {};
  return {place.chunk->prev, place.chunk->prev->count - std::size_t{1}, 0};
}

/// Also the path to where the member is or would be.
Place find_uniform(const Frame& frame, Path& path, const Key& key) noexcept {
  path_to_key<UniformSlot>(frame, path, key);
  const auto index =
      partition<UniformSlot>(path.chunk, [&key](const UniformSlot& slot) { return order(slot, key) < 0; });
  if (index == path.chunk->count || !same(slot_at<UniformSlot>(path.chunk, index).member, key.member)) return {};
  return {path.chunk, index, path.start};
}

/// Leaves `start` open.
Place find_scored(std::uintptr_t state, const Frame& frame, const MemberKey& key, std::uint64_t hash) noexcept {
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

Place find_member(std::uintptr_t state, const Frame& frame, std::string_view member) noexcept {
  if (state == 0) return {};
  Path path;
  if (!frame.scored) return find_uniform(frame, path, Key{MemberKey(member), frame.score});
  return find_scored(state, frame, MemberKey(member), base::hash_bytes(member));
}

void path_to_chunk(const Frame& frame, Path& path, const Chunk* chunk) noexcept {
  path_to_key<ScoredSlot>(frame, path, key_of(slot_at<ScoredSlot>(chunk, 0)));
}

MemberIndex* index_of(std::uintptr_t state) noexcept { return is_alone(state) ? nullptr : body_of(state)->index; }

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

std::uint64_t scan_log(const Body& body, std::uint64_t number, std::size_t count,
                       void (*visit)(void*, const SortedSet::Item&), void* visitor) {
  std::size_t visited = 0;
  const Chunk* chunk = body.log->at_least(number);
  while (chunk != nullptr) {
    for (std::size_t i = 0; i < chunk->count; ++i) {
      visit(visitor, {slot_at<UniformSlot>(chunk, i).member.view(), body.score});
    }
    visited += chunk->count;
    chunk = body.log->at_least(chunk->id + 1);
    if (visited >= count) break;
  }
  return chunk == nullptr ? 0 : chunk->id;
}

}  // namespace

SortedSet::Item SortedSet::Cursor::item() const noexcept {
  if (scored_) {
    const ScoredSlot& slot = slot_at<ScoredSlot>(chunk_, index_);
    return {slot.member.view(), slot.score};
  }
  return {slot_at<UniformSlot>(chunk_, index_).member.view(), score_};
}

void SortedSet::Cursor::next() noexcept {
  if (++index_ < chunk_->count) return;
  chunk_ = chunk_->next;
  index_ = 0;
}

void SortedSet::Cursor::prev() noexcept {
  if (index_ > 0) {
    --index_;
    return;
  }
  chunk_ = chunk_->prev;
  if (chunk_ != nullptr) index_ = chunk_->count - 1U;
}

std::size_t SortedSet::size() const noexcept {
  if (state_ == 0) return 0;
  return is_alone(state_) ? chunk_of(state_)->count : body_of(state_)->size;
}

bool SortedSet::scored() const noexcept { return is_scored(state_); }
bool SortedSet::large() const noexcept { return frame_of(state_).large; }

std::size_t SortedSet::memory() const noexcept {
  if (state_ == 0) return 0;
  if (!is_alone(state_)) {
    const Body& body = *body_of(state_);
    return body.own_bytes + body.member_bytes + (body.log != nullptr ? body.log->memory() : 0) +
           (body.index != nullptr ? body.index->memory() : 0);
  }
  const Chunk* const chunk = chunk_of(state_);
  return with_slot(scored(), [chunk]<class Slot>(Slot*) {
    std::size_t bytes = chunk_bytes<Slot>(chunk->capacity);
    for (std::size_t i = 0; i < chunk->count; ++i) bytes += slot_at<Slot>(chunk, i).member.heap_bytes();
    return bytes;
  });
}

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

std::optional<double> SortedSet::score(std::string_view member) const {
  const Frame frame = frame_of(state_);
  const Place place = find_member(state_, frame, member);
  if (place.chunk == nullptr) return std::nullopt;
  return frame.scored ? slot_at<ScoredSlot>(place.chunk, place.index).score : frame.score;
}

std::optional<std::size_t> SortedSet::rank(std::string_view member) const {
  const Frame frame = frame_of(state_);
  const Place place = find_member(state_, frame, member);
  if (place.chunk == nullptr) return std::nullopt;
  if (!frame.scored) return place.start + place.index;
  return rank_of(Cursor(place.chunk, place.index, true, 0));
}

SortedSet::Cursor SortedSet::first() const noexcept {
  if (state_ == 0) return {};
  const Frame frame = frame_of(state_);
  return {frame.first, 0, frame.scored, frame.score};
}

SortedSet::Cursor SortedSet::last() const noexcept {
  if (state_ == 0) return {};
  const Frame frame = frame_of(state_);
  return {frame.last, frame.last->count - std::size_t{1}, frame.scored, frame.score};
}

SortedSet::Cursor SortedSet::at_rank(std::size_t rank) const noexcept {
  const Frame frame = frame_of(state_);
  if (rank >= frame.size) return {};
  Path path;
  path_to_rank(frame, path, rank);
  return {path.chunk, rank - path.start, frame.scored, frame.score};
}

std::size_t SortedSet::rank_of(const Cursor& cursor) const noexcept {
  const Frame frame = frame_of(state_);
  Path path;
  with_slot(frame.scored,
            [&]<class Slot>(Slot*) { path_to_key<Slot>(frame, path, key_of(slot_at<Slot>(cursor.chunk_, 0))); });
  return path.start + cursor.index_;
}

SortedSet::Cursor SortedSet::seek_score(double bound, bool exclusive) const noexcept {
  if (state_ == 0) return {};
  const Frame frame = frame_of(state_);
  const Place place = score_boundary(frame, bound, exclusive);
  if (place.index == place.chunk->count) return {};
  return {place.chunk, place.index, frame.scored, frame.score};
}

SortedSet::Cursor SortedSet::seek_score_back(double bound, bool exclusive) const noexcept {
  if (state_ == 0) return {};
  const Frame frame = frame_of(state_);
  const Place place = place_before(score_boundary(frame, bound, !exclusive));
  return {place.chunk, place.index, frame.scored, frame.score};
}

SortedSet::Cursor SortedSet::seek_member(std::string_view bound, bool exclusive) const noexcept {
  if (state_ == 0) return {};
  const Frame frame = frame_of(state_);
  const Place place = member_boundary(frame, bound, exclusive);
  if (place.index == place.chunk->count) return {};
  return {place.chunk, place.index, frame.scored, frame.score};
}

SortedSet::Cursor SortedSet::seek_member_back(std::string_view bound, bool exclusive) const noexcept {
  if (state_ == 0) return {};
  const Frame frame = frame_of(state_);
  if (frame.scored && !frame.large) {
    Cursor at = last();
    while (at.valid() && !(exclusive ? at.item().member < bound : at.item().member <= bound)) at.prev();
    return at;
  }
  const Place place = place_before(member_boundary(frame, bound, !exclusive));
  return {place.chunk, place.index, frame.scored, frame.score};
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

std::uint64_t SortedSet::scan_from(std::uint64_t cursor, std::size_t count, Visit visit, void* visitor) const {
  if (state_ == 0) return 0;
  const bool has_log = !is_alone(state_) && body_of(state_)->log != nullptr;
  const bool has_index = !is_alone(state_) && body_of(state_)->index != nullptr;
  if (!large() || (!has_log && !has_index)) {
    for (Cursor at = first(); at.valid(); at.next()) visit(visitor, at.item());
    return 0;
  }
  // The low bit says which order the cursor belongs to: one of the other order, from before the set was rebuilt, starts
  // anew. Cursors stay below 2^53, where clients that keep them in a double lose nothing.
  const bool by_hash = (cursor & 1) != 0;
  const std::uint64_t place = by_hash == has_index ? cursor >> 1 : 0;
  if (has_log) return scan_log(*body_of(state_), place, count, visit, visitor) << 1;
  const std::uint64_t bound =
      body_of(state_)->index->scan(place << 12, count, [visit, visitor](const ScoredSlot& slot) {
        visit(visitor, {slot.member.view(), slot.score});
      });
  return bound == 0 ? 0 : bound >> 12 << 1 | 1;
}

}  // namespace fairlane::data
