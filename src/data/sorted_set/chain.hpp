#pragma once

#include <algorithm>
#include <bit>

#include "data/sorted_set/body.hpp"
#include "fairlane/base/assert.hpp"
#include "fairlane/base/hash.hpp"

namespace fairlane::data::ordered {

/// Changes to the chunks behind a handle, for one encoding. Keeps spans, size, chunk log and, for slots that move
/// between chunks, the index; whoever inserts or removes a member tells the index itself.
template <class Slot>
class Chain {
  static constexpr std::size_t kRunOfOneScore = 4;

 public:
  explicit Chain(std::uintptr_t& state) noexcept : state_(state) {}

  /// A set of one member.
  void start(double score, const Slot& slot, std::uint8_t tag) {
    Chunk* const chunk = allocate_chunk<Slot>(1);
    if (!Slot::kScored) chunk->score = score;
    insert_slot<Slot>(chunk, 0, slot, tag);
    state_ = alone(chunk, Slot::kScored ? kScored : 0);
  }

  /// Behind the last member, which the slot's sorts behind of. Returns its chunk.
  Chunk* append(const Slot& slot, std::uint8_t tag) {
    Chunk* chunk = is_alone(state_) ? chunk_of(state_) : body()->last;
    if (chunk->begin + chunk->count == chunk->capacity) chunk = make_room_behind(chunk, slot);
    const std::size_t place = std::size_t{chunk->begin} + chunk->count;
    slots_of<Slot>(chunk)[place] = slot;
    if constexpr (Slot::kScored) tags_of(chunk)[place] = tag;
    ++chunk->count;
    if (!is_alone(state_)) added(slot);
    return chunk;
  }

  /// Before the member at `index` of the path's chunk. Returns its chunk.
  Chunk* insert(Path& path, std::size_t index, const Slot& slot, std::uint8_t tag) {
    Chunk* chunk = path.chunk;
    if (chunk->next == nullptr && index == chunk->count) return append(slot, tag);
    if (chunk->count == chunk->capacity) {
      if (chunk->capacity < Slot::kCapacity) {
        chunk = grow(chunk);
      } else {
        chunk = split(path, index, slot);
      }
    }
    insert_slot<Slot>(chunk, index, slot, tag);
    if (!is_alone(state_)) {
      added(slot);
      shift_spans(path, 1);
      if (index == 0 && chunk == body()->first) lower_fence(chunk, slot);
    }
    return chunk;
  }

  /// Removes `count` slots of the path's chunk from `index` on; they were dropped or copied before.
  void remove(const Path& path, std::size_t index, std::size_t count) {
    if (count == path.chunk->count) {
      remove_chunk(path.chunk, path.start);
      return;
    }
    remove_slots<Slot>(path.chunk, index, count);
    if (is_alone(state_)) return;
    body()->size -= count;
    shift_spans(path, std::size_t{0} - count);
  }

  /// The same at the front, where every link that counts these members is at hand.
  void remove_front(Chunk* chunk, std::size_t count) {
    if (count == chunk->count) {
      remove_chunk(chunk, 0);
      return;
    }
    chunk->begin = static_cast<std::uint8_t>(chunk->begin + count);
    chunk->count = static_cast<std::uint8_t>(chunk->count - count);
    if (is_alone(state_)) return;
    Body& here = *body();
    here.size -= count;
    const unsigned height = chunk->height;
    for (unsigned level = 0; level < height; ++level) {
      if (chunk->tower[level].next != nullptr) chunk->tower[level].span -= count;
    }
    // Above the first chunk every head link leads to a later one.
    Link* const end = here.head + here.levels;
    for (Link* link = here.head + height; link < end && link->next != nullptr; ++link) link->span -= count;
  }

  /// The same at the back, which no link counts.
  void remove_back(Chunk* chunk, std::size_t count) {
    if (count == chunk->count) {
      remove_chunk(chunk, is_alone(state_) ? 0 : body()->size - count);
      return;
    }
    chunk->count = static_cast<std::uint8_t>(chunk->count - count);
    if (!is_alone(state_)) body()->size -= count;
  }

  /// Puts a chunk that has become sparse together with a neighbour when both fit well into one.
  void tidy(Chunk* chunk, std::size_t start) {
    if (is_alone(state_) || chunk->count >= Slot::kCapacity / 4) return;
    const auto fits = [chunk](const Chunk* other) {
      return other != nullptr && other->count + chunk->count <= Slot::kCapacity * 3 / 4;
    };
    if (fits(chunk->prev)) {
      absorb(chunk->prev, chunk, start);
    } else if (fits(chunk->next)) {
      absorb(chunk, chunk->next, start + chunk->count);
    }
  }

  /// Gives up a slot's heap bytes.
  void drop(Slot& slot) noexcept {
    if (!slot.member.is_long()) return;
    detach(slot);
    slot.member.release();
  }
  /// The slot leaves its place with its heap bytes.
  void detach(const Slot& slot) noexcept {
    if (!is_alone(state_)) body()->member_bytes -= slot.member.heap_bytes();
  }

  /// Frees all, the members too unless they have moved elsewhere.
  void destroy(bool with_members) noexcept {
    const bool has_long = is_alone(state_) || body()->member_bytes != 0;
    for (Chunk* chunk = is_alone(state_) ? chunk_of(state_) : body()->first; chunk != nullptr;) {
      Chunk* const next = chunk->next;
      if (with_members && has_long) {
        for (std::size_t i = 0; i < chunk->count; ++i) slot_at<Slot>(chunk, i).member.release();
      }
      delete[] chunk->tower;
      free_chunk(chunk);
      chunk = next;
    }
    if (!is_alone(state_)) delete_body();
    state_ = 0;
  }

 private:
  Body* body() const noexcept { return body_of(state_); }
  Link* links_of(Chunk* node) const noexcept { return node == nullptr ? body()->head : node->tower; }

  void added(const Slot& slot) noexcept {
    ++body()->size;
    if (slot.member.is_long()) body()->member_bytes += slot.member.heap_bytes();
  }

  /// The path's chunk has got longer by `count`, a negative number as it wraps.
  void shift_spans(const Path& path, std::size_t count) noexcept {
    Link* const head = body()->head;
    const unsigned levels = body()->levels;
    for (unsigned level = 0; level < levels; ++level) {
      Link& link = (path.node[level] == nullptr ? head : path.node[level]->tower)[level];
      if (link.next != nullptr) link.span += count;
    }
  }

  /// Only the first chunk ever gets members below its fence.
  void lower_fence(const Chunk* chunk, const Slot& slot) noexcept {
    if (chunk->height == 0) return;
    const Fence fence = fence_of<Slot>(key_of(slot));
    for (unsigned level = 0; level < chunk->height; ++level) body()->head[level].fence = fence;
  }

  void delete_body() noexcept {
    delete[] body()->head;
    delete body()->log;
    delete body()->index;
    delete body();
    state_ = 0;
  }

  Chunk* make_room_behind(Chunk* chunk, const Slot& slot) {
    // A queue that is taken from at the front: three moves a member at most.
    if (chunk->begin > 0 && chunk->count * 4 <= chunk->capacity * 3) {
      move_slots<Slot>(chunk, 0, chunk->begin, chunk->count);
      chunk->begin = 0;
      return chunk;
    }
    if (chunk->capacity < Slot::kCapacity) return grow(chunk);
    promote();
    Path path;
    path_to_rank(frame_of(state_), path, body()->size - 1);
    return link_behind(path, slot);
  }

  /// Only the chunk of a short set is not of full capacity, so nothing but the handle refers to it.
  Chunk* grow(Chunk* chunk) {
    const unsigned wanted = (chunk->capacity * 3U + 1) / 2;
    Chunk* const grown =
        allocate_chunk<Slot>(static_cast<std::uint8_t>(wanted < Slot::kCapacity ? wanted : Slot::kCapacity));
    grown->id = chunk->id;
    if (!Slot::kScored) grown->score = chunk->score;
    copy_slots<Slot>(grown, 0, chunk, 0, chunk->count);
    grown->count = chunk->count;
    free_chunk(chunk);
    state_ = alone(grown, state_ & (kScored | kLarge));
    return grown;
  }

  void promote() {
    if (!is_alone(state_)) return;
    Chunk* const chunk = chunk_of(state_);
    auto* const made = new Body;
    made->first = made->last = chunk;
    made->scored = Slot::kScored;
    made->large = (state_ & kLarge) != 0;
    made->size = chunk->count;
    made->own_bytes += chunk_bytes<Slot>(chunk->capacity);
    for (std::size_t i = 0; i < chunk->count; ++i) made->member_bytes += slot_at<Slot>(chunk, i).member.heap_bytes();
    if constexpr (Slot::kScored) {
      chunk->id = 0;
    } else {
      made->score = chunk->score;
      made->log = new ChunkLog;
      made->log->add(chunk);
    }
    state_ = reinterpret_cast<std::uintptr_t>(made);
  }

  /// A new, empty chunk behind the path's, to begin with `first`.
  Chunk* link_behind(Path& path, const Slot& first) {
    Chunk* const fresh = allocate_chunk<Slot>(Slot::kCapacity);
    body()->own_bytes += chunk_bytes<Slot>(Slot::kCapacity);
    fresh->prev = path.chunk;
    fresh->next = path.chunk->next;
    (fresh->next == nullptr ? body()->last : fresh->next->prev) = fresh;
    path.chunk->next = fresh;
    if (body()->log != nullptr) body()->log->add(fresh);
    if (body()->index != nullptr) body()->index->add_chunk(fresh);
    raise_tower(path, fresh, first);
    return fresh;
  }

  void raise_tower(Path& path, Chunk* fresh, const Slot& first) {
    const unsigned height = random_height();
    if (height == 0) return;
    for (unsigned level = body()->levels; level < height; ++level) {
      path.node[level] = nullptr;
      path.rank[level] = 0;
    }
    raise_levels(height);
    fresh->tower = new Link[height];
    fresh->height = static_cast<std::uint8_t>(height);
    body()->own_bytes += height * sizeof(Link);
    const std::size_t start = path.start + path.chunk->count;
    const Fence fence = fence_of<Slot>(key_of(first));
    for (unsigned level = 0; level < height; ++level) {
      Link& link = links_of(path.node[level])[level];
      const std::size_t before = start - path.rank[level];
      if (link.next != nullptr) fresh->tower[level] = {link.next, link.span - before, link.fence};
      link = {fresh, before, fence};
    }
  }

  void raise_levels(unsigned height) {
    const unsigned levels = body()->levels;
    if (height <= levels) return;
    auto* const head = new Link[height];
    std::copy_n(body()->head, levels, head);
    delete[] body()->head;
    body()->head = head;
    body()->levels = static_cast<std::uint8_t>(height);
    body()->own_bytes += (height - levels) * sizeof(Link);
  }

  unsigned random_height() noexcept {
    std::uint32_t& random = body()->random;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    // Two zero bits a level: one in four goes up.
    return static_cast<unsigned>(std::countr_zero(random | std::uint32_t{1} << (2 * (kMaxLevels - 1)))) / 2;
  }

  /// Where a full chunk is cut for an insert at `index`: in the middle, but where members arrive in order (at either
  /// end of the set's or a chunk's, or behind others of the same score) so that they leave full chunks behind.
  static std::size_t cut(const Chunk* chunk, std::size_t index, [[maybe_unused]] const Slot& slot) noexcept {
    if (index == chunk->count) return index;
    if (index == 0 && chunk->prev == nullptr) return 0;
    if constexpr (Slot::kScored) {
      if (index >= kRunOfOneScore && slot_at<Slot>(chunk, index).score != slot.score &&
          slot_at<Slot>(chunk, index - kRunOfOneScore).score == slot.score) {
        return index;
      }
    }
    return chunk->count / 2U;
  }

  /// Makes room in a full chunk and turns path and index into those of the chunk that has it.
  Chunk* split(Path& path, std::size_t& index, const Slot& slot) {
    promote();
    Chunk* const chunk = path.chunk;
    const std::size_t kept = cut(chunk, index, slot);
    Chunk* const fresh = split_at(path, kept, slot);
    if (index < kept || kept == 0 || (index == kept && kept < Slot::kCapacity)) {
      if (kept == 0) chunk->begin = chunk->capacity;
      return chunk;
    }
    index -= kept;
    for (unsigned level = 0; level < fresh->height; ++level) path.node[level] = fresh;
    return fresh;
  }

  /// Moves the members from `kept` on to a new chunk, which is for the slot when there are none.
  Chunk* split_at(Path& path, std::size_t kept, const Slot& slot) {
    Chunk* const chunk = path.chunk;
    const std::size_t moved = chunk->count - kept;
    chunk->count = static_cast<std::uint8_t>(kept);
    Chunk* const fresh = link_behind(path, moved > 0 ? slot_at<Slot>(chunk, kept) : slot);
    copy_slots<Slot>(fresh, 0, chunk, kept, moved);
    fresh->count = static_cast<std::uint8_t>(moved);
    reindex(fresh, 0, chunk->id);
    return fresh;
  }

  /// Tells the index that the members from `index` on came from another chunk.
  void reindex(const Chunk* chunk, std::size_t index, std::uint64_t from) noexcept {
    if constexpr (Slot::kScored) {
      if (body()->index == nullptr) return;
      for (; index < chunk->count; ++index) {
        body()->index->relocate(base::hash_bytes(slot_at<Slot>(chunk, index).member.view()), from, chunk->id);
      }
    }
  }

  /// Moves all members of `gone`, which starts at rank `start` right behind `kept`, to `kept`.
  void absorb(Chunk* kept, Chunk* gone, std::size_t start) {
    Path before;
    path_before_rank(frame_of(state_), before, start);
    if (kept->begin + kept->count + gone->count > kept->capacity) {
      move_slots<Slot>(kept, 0, kept->begin, kept->count);
      kept->begin = 0;
    }
    const std::size_t had = kept->count;
    copy_slots<Slot>(kept, kept->begin + had, gone, 0, gone->count);
    kept->count = static_cast<std::uint8_t>(had + gone->count);
    reindex(kept, had, gone->id);
    if (body()->log != nullptr) body()->log->merged(kept, gone);
    unlink(before, gone, 0);
  }

  void remove_chunk(Chunk* chunk, std::size_t start) {
    if (is_alone(state_)) {
      free_chunk(chunk);
      state_ = 0;
      return;
    }
    Path before;
    path_before_rank(frame_of(state_), before, start);
    body()->size -= chunk->count;
    unlink(before, chunk, chunk->count);
    if (body()->size == 0) delete_body();
  }

  /// Takes a chunk out and frees it; `vanished` of its members leave the set.
  void unlink(const Path& before, Chunk* chunk, std::size_t vanished) noexcept {
    for (unsigned level = 0; level < body()->levels; ++level) {
      Link& link = links_of(before.node[level])[level];
      if (level < chunk->height) {
        const Link& skipped = chunk->tower[level];
        link =
            skipped.next == nullptr ? Link{} : Link{skipped.next, link.span + skipped.span - vanished, skipped.fence};
      } else if (link.next != nullptr) {
        link.span -= vanished;
      }
    }
    (chunk->prev == nullptr ? body()->first : chunk->prev->next) = chunk->next;
    (chunk->next == nullptr ? body()->last : chunk->next->prev) = chunk->prev;
    if (body()->log != nullptr) body()->log->remove(chunk);
    if (body()->index != nullptr) body()->index->remove_chunk(chunk);
    body()->own_bytes -= chunk_bytes<Slot>(chunk->capacity) + chunk->height * sizeof(Link);
    delete[] chunk->tower;
    free_chunk(chunk);
  }

  std::uintptr_t& state_;
};

}  // namespace fairlane::data::ordered
