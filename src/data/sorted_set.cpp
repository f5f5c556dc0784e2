#include "fairlane/data/sorted_set.hpp"

#include "data/sorted_set/lookup.hpp"

namespace fairlane::data {

using namespace ordered;

namespace {

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
