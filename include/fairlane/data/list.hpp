#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "fairlane/base/assert.hpp"
#include "fairlane/data/list_chunk.hpp"

namespace fairlane::data {

enum class Direction : bool { forward, backward };

/// Names the chunk an element of a List lies in. It holds as long as that chunk lives, see List.
class ChunkRef {
 public:
  ChunkRef() noexcept = default;
  explicit operator bool() const noexcept { return chunk_ != nullptr; }
  bool operator==(const ChunkRef&) const noexcept = default;

 private:
  friend class List;
  friend class ListCursor;
  explicit ChunkRef(ListChunk* chunk) noexcept : chunk_(chunk) {}
  ListChunk* chunk_ = nullptr;
};

/// A place in a List, or none. Every change of the list invalidates it, except for the cursor that List::erase returns.
class ListCursor {
 public:
  ListCursor() noexcept = default;

  bool valid() const noexcept { return chunk_ != nullptr; }

  /// The rest requires valid(). Stepping past either end makes the cursor invalid for good.
  std::string_view value() const noexcept { return element_at(*chunk_, offset_).value; }
  ChunkRef chunk() const noexcept { return ChunkRef(chunk_); }

  void next() noexcept {
    offset_ += element_at(*chunk_, offset_).stride;
    if (offset_ != chunk_->end) return;
    chunk_ = chunk_->next;
    offset_ = chunk_ != nullptr ? chunk_->begin : 0;
  }

  void prev() noexcept {
    if (offset_ == chunk_->begin) {
      chunk_ = chunk_->previous;
      if (chunk_ == nullptr) return;
      offset_ = chunk_->end;
    }
    offset_ -= element_before(*chunk_, offset_).stride;
  }

 private:
  friend class List;
  ListCursor(ListChunk* chunk, std::uint32_t offset) noexcept : chunk_(chunk), offset_(offset) {}

  ListChunk* chunk_ = nullptr;
  std::uint32_t offset_ = 0;
};

/// A sequence of byte strings for work at both ends. The handle is one pointer; the empty list is null and owns
/// nothing.
///
/// Elements lie back to back in chunks, two bytes of overhead each up to 127 bytes; chunks double from 32 bytes to 8
/// KiB and a large element has one to itself. Both ends cost O(1), an index O(number of chunks), a change in the middle
/// one chunk. A value is shorter than 4 GiB - 64. Views point into the list and live until its next change; a value
/// passed in is never a view of the list itself.
///
/// Chunks and who may rely on them: elements stay in their chunk through push_front, push_back, push_back_tracked,
/// pop_front, pop_back, rotate, erase_in_chunk and trim, whatever the list grows to; a ChunkRef holds until its chunk's
/// last element leaves. set, insert_before, insert_after, erase and erase_matching may move other elements to another
/// chunk, after which every ChunkRef is void. version() tells whether anything happened meanwhile: every change raises
/// it, so whoever keeps ChunkRefs remembers the version its own last change left behind. A list that became empty has
/// started over, version included; set_version lets the keeper tell the new list from the one it knew.
class List {
 public:
  List() noexcept = default;
  List(List&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  List& operator=(List&& other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { clear(); }

  /// A deep copy, packed; its version is 0.
  List clone() const;
  void clear() noexcept;

  bool empty() const noexcept { return root_ == nullptr; }
  std::size_t size() const noexcept { return root_ != nullptr ? root_->size : 0; }

  /// Bytes asked of the allocator. O(number of chunks).
  std::size_t memory() const noexcept;

  /// The ends.
  void push_front(std::string_view value);
  void push_back(std::string_view value);

  /// Hands the end to visit(string_view), then drops it; false when the list is empty. The view lives during the call,
  /// which must not touch this list.
  template <class F>
  bool pop_front(F&& visit) {
    if (root_ == nullptr) return false;
    const ListElement element = element_at(*root_->head, root_->head->begin);
    std::forward<F>(visit)(element.value);
    drop_front(element.stride);
    return true;
  }
  template <class F>
  bool pop_back(F&& visit) {
    if (root_ == nullptr) return false;
    const ListElement element = element_before(*root_->tail, root_->tail->end);
    std::forward<F>(visit)(element.value);
    drop_back(element.stride);
    return true;
  }

  /// Require a list that is not empty.
  std::string_view front() const noexcept {
    FAIRLANE_ASSERT(root_ != nullptr);
    return element_at(*root_->head, root_->head->begin).value;
  }
  std::string_view back() const noexcept {
    FAIRLANE_ASSERT(root_ != nullptr);
    return element_before(*root_->tail, root_->tail->end).value;
  }

  /// Moves the first element behind the last (forward), or the last before the first. Returns the chunk it went to,
  /// none for an empty list.
  ChunkRef rotate(Direction direction);

  /// By index; a negative one counts from the tail, -1 being the last. An index outside gives nothing, or false.
  std::optional<std::string_view> at(std::int64_t index) const noexcept;
  bool set(std::int64_t index, std::string_view value);
  ListCursor cursor_at(std::int64_t index) const noexcept;

  /// visit(string_view) for up to `count` elements from index `first` on.
  template <class F>
  void for_each(std::size_t first, std::size_t count, F&& visit) const {
    if (first >= size()) return;
    const ListCursor start = cursor_at(static_cast<std::int64_t>(first));
    std::uint32_t offset = start.offset_;
    for (const ListChunk* chunk = start.chunk_; chunk != nullptr && count > 0;) {
      for (; offset != chunk->end && count > 0; --count) {
        const ListElement element = element_at(*chunk, offset);
        visit(element.value);
        offset += element.stride;
      }
      chunk = chunk->next;
      if (chunk != nullptr) offset = chunk->begin;
    }
  }

  /// Next to the first element equal to `pivot`; false when there is none.
  bool insert_before(std::string_view pivot, std::string_view value);
  bool insert_after(std::string_view pivot, std::string_view value);

  /// Removes the element under a valid cursor of this list and returns the cursor of its neighbour in that direction.
  ListCursor erase(const ListCursor& cursor, Direction towards = Direction::forward);

  /// Removes the first `limit` elements equal to `value`, counted from the end the direction starts at; 0 is no limit.
  std::size_t erase_matching(std::string_view value, std::size_t limit, Direction direction);

  /// Keeps the elements from index `first` to `last`, both included, negative ones from the tail; none when they cross.
  void trim(std::int64_t first, std::int64_t last) noexcept;

  /// Membership by chunk.
  ChunkRef push_back_tracked(std::string_view value) {
    push_back(value);
    return tail_chunk();
  }
  ChunkRef head_chunk() const noexcept { return ChunkRef(root_ != nullptr ? root_->head : nullptr); }
  ChunkRef tail_chunk() const noexcept { return ChunkRef(root_ != nullptr ? root_->tail : nullptr); }

  /// Removes the first element equal to `value` within one chunk that lives; false when it holds none. The cost does
  /// not depend on the size of the list.
  bool erase_in_chunk(ChunkRef chunk, std::string_view value) noexcept;

  /// 0 for an empty list.
  std::uint64_t version() const noexcept { return root_ != nullptr ? root_->version : 0; }
  void set_version(std::uint64_t version) noexcept {
    FAIRLANE_ASSERT(root_ != nullptr);
    root_->version = version;
  }

  /// For tests: walks everything and checks what must hold.
  bool consistent() const noexcept;

 private:
  void drop_front(std::uint32_t stride) noexcept;
  void drop_back(std::uint32_t stride) noexcept;
  void drop_front_many(std::size_t count) noexcept;
  void drop_back_many(std::size_t count) noexcept;
  void release_drained(ListChunk* chunk) noexcept;
  ListCursor find(std::string_view value) const noexcept;

  ListRoot* root_ = nullptr;
};

}  // namespace fairlane::data
