#include "fairlane/data/list.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "data/list_layout.hpp"
#include "fairlane/base/copy_text.hpp"

namespace fairlane::data {
namespace {

// A first element beyond this would keep its bytes until the whole list goes.
constexpr std::uint32_t kLargestFirstCapacity = 448;
constexpr std::uint32_t kSmallestFirstCapacity = 32;

ListRoot* create_root_for(std::uint32_t need) {
  if (need > kLargestFirstCapacity) return create_root(0);
  return create_root(std::max(kSmallestFirstCapacity, (need + 15) & ~15U));
}

// The chunk inside the root cannot hold the first element of a list: it gives way to one of its own.
void replace_first(ListRoot& root, std::uint32_t need) {
  link_before(root, nullptr, create_chunk(need));
  unlink(root, &root.first);
}

ListRoot* create_for_first(std::uint32_t need) {
  ListRoot* root = create_root_for(need);
  if (root->first.capacity < need) replace_first(*root, need);
  return root;
}

}  // namespace

List List::clone() const {
  List copy;
  if (root_ == nullptr) return copy;
  const std::uint32_t used = used_bytes(*root_->head);
  copy.root_ = create_root_for(used);
  ListRoot& root = *copy.root_;
  for (const ListChunk* chunk = root_->head; chunk != nullptr; chunk = chunk->next) {
    const bool inside = chunk == root_->head && root.first.capacity >= used;
    ListChunk* target = inside ? &root.first : create_chunk(used_bytes(*chunk));
    std::memcpy(target->bytes(), chunk->bytes() + chunk->begin, used_bytes(*chunk));
    target->end = used_bytes(*chunk);
    target->count = chunk->count;
    if (!inside) link_before(root, nullptr, target);
  }
  if (root.first.count == 0) unlink(root, &root.first);
  root.size = root_->size;
  return copy;
}

void List::clear() noexcept {
  if (root_ != nullptr) destroy_root(std::exchange(root_, nullptr));
}

std::size_t List::memory() const noexcept {
  if (root_ == nullptr) return 0;
  std::size_t bytes = sizeof(ListRoot) + root_->first.capacity;
  for (const ListChunk* chunk = root_->head; chunk != nullptr; chunk = chunk->next) {
    if (chunk != &root_->first) bytes += sizeof(ListChunk) + chunk->capacity;
  }
  return bytes;
}

void List::push_front(std::string_view value) {
  const std::uint32_t need = encoded_size(value);
  if (root_ == nullptr) {
    root_ = create_for_first(need);
    root_->head->begin = root_->head->end = root_->head->capacity;
  }
  ListChunk* chunk = root_->head;
  if (chunk->begin < need) chunk = &room_before(*root_, need);
  chunk->begin -= need;
  write_element(chunk->bytes() + chunk->begin, value);
  ++chunk->count;
  ++root_->size;
  ++root_->version;
}

void List::push_back(std::string_view value) {
  const std::uint32_t need = encoded_size(value);
  if (root_ == nullptr) root_ = create_for_first(need);
  ListChunk* chunk = root_->tail;
  if (chunk->capacity - chunk->end < need) chunk = &room_behind(*root_, need);
  write_element(chunk->bytes() + chunk->end, value);
  chunk->end += need;
  ++chunk->count;
  ++root_->size;
  ++root_->version;
}

void List::drop_front(std::uint32_t stride) noexcept {
  ListChunk* chunk = root_->head;
  chunk->begin += stride;
  --root_->size;
  ++root_->version;
  if (--chunk->count == 0) release_drained(chunk);
}

void List::drop_back(std::uint32_t stride) noexcept {
  ListChunk* chunk = root_->tail;
  chunk->end -= stride;
  --root_->size;
  ++root_->version;
  if (--chunk->count == 0) release_drained(chunk);
}

void List::release_drained(ListChunk* chunk) noexcept {
  if (root_->size == 0) {
    clear();
    return;
  }
  unlink(*root_, chunk);
  destroy_chunk(*root_, chunk);
}

ChunkRef List::rotate(Direction direction) {
  if (root_ == nullptr) return {};
  const bool forward = direction == Direction::forward;
  const std::string_view value = forward ? front() : back();
  const std::uint32_t need = encoded_size(value);
  const ListChunk& target = forward ? *root_->tail : *root_->head;
  const std::uint32_t room = forward ? target.capacity - target.end : target.begin;
  if (forward && room >= need && root_->head->count > 1) {
    // The way of a long ring, kept short: an element's bytes are the same wherever it stands.
    ListChunk& from = *root_->head;
    ListChunk& to = *root_->tail;
    base::copy_text(to.bytes() + to.end, {from.bytes() + from.begin, need});
    from.begin += need;
    to.end += need;
    --from.count;
    ++to.count;
    ++root_->version;
    return tail_chunk();
  }
  // Only a shift inside a shared chunk could pull the bytes away while they are copied.
  std::string copy;
  const bool shared = root_->head == root_->tail && room < need;
  if (shared) copy = value;
  const std::string_view moved = shared ? std::string_view(copy) : value;
  if (forward) {
    push_back(moved);
    drop_front(need);
    return tail_chunk();
  }
  push_front(moved);
  drop_back(need);
  return head_chunk();
}

ListCursor List::cursor_at(std::int64_t index) const noexcept {
  const auto total = static_cast<std::int64_t>(size());
  if (index < 0) index += total;
  if (index < 0 || index >= total) return {};
  ListChunk* chunk = nullptr;
  auto left = static_cast<std::uint64_t>(index);
  if (index < total / 2) {
    for (chunk = root_->head; left >= chunk->count; chunk = chunk->next) left -= chunk->count;
  } else {
    // Counted from behind: how many elements lie in this chunk from the wanted one on.
    auto behind = static_cast<std::uint64_t>(total - index);
    for (chunk = root_->tail; behind > chunk->count; chunk = chunk->previous) behind -= chunk->count;
    left = chunk->count - behind;
  }
  std::uint32_t offset = 0;
  if (left < chunk->count / 2) {
    for (offset = chunk->begin; left > 0; --left) offset += element_at(*chunk, offset).stride;
  } else {
    offset = chunk->end;
    for (left = chunk->count - left; left > 0; --left) offset -= element_before(*chunk, offset).stride;
  }
  return {chunk, offset};
}

std::optional<std::string_view> List::at(std::int64_t index) const noexcept {
  const ListCursor cursor = cursor_at(index);
  if (!cursor.valid()) return std::nullopt;
  return cursor.value();
}

bool List::set(std::int64_t index, std::string_view value) {
  const ListCursor cursor = cursor_at(index);
  if (!cursor.valid()) return false;
  ListChunk* chunk = cursor.chunk_;
  const std::uint32_t stride = element_at(*chunk, cursor.offset_).stride;
  ++root_->version;
  if (stride == encoded_size(value)) {
    write_element(chunk->bytes() + cursor.offset_, value);
    return true;
  }
  ListPlace place = remove_element(*chunk, cursor.offset_, stride);
  if (chunk->count == 0 && free_bytes(*chunk) < encoded_size(value)) {
    place = {create_chunk(encoded_size(value)), 0};
    link_before(*root_, chunk, place.chunk);
    unlink(*root_, chunk);
    destroy_chunk(*root_, chunk);
  }
  insert_element(*root_, place, value);
  return true;
}

ListCursor List::find(std::string_view value) const noexcept {
  ListCursor cursor = cursor_at(0);
  while (cursor.valid() && cursor.value() != value) cursor.next();
  return cursor;
}

bool List::insert_before(std::string_view pivot, std::string_view value) {
  const ListCursor cursor = find(pivot);
  if (!cursor.valid()) return false;
  insert_element(*root_, {cursor.chunk_, cursor.offset_}, value);
  ++root_->size;
  ++root_->version;
  return true;
}

bool List::insert_after(std::string_view pivot, std::string_view value) {
  const ListCursor cursor = find(pivot);
  if (!cursor.valid()) return false;
  const std::uint32_t stride = element_at(*cursor.chunk_, cursor.offset_).stride;
  insert_element(*root_, {cursor.chunk_, cursor.offset_ + stride}, value);
  ++root_->size;
  ++root_->version;
  return true;
}

ListCursor List::erase(const ListCursor& cursor, Direction towards) {
  FAIRLANE_ASSERT(cursor.valid());
  ListChunk* chunk = cursor.chunk_;
  ListPlace place = remove_element(*chunk, cursor.offset_, element_at(*chunk, cursor.offset_).stride);
  --root_->size;
  ++root_->version;
  if (root_->size == 0) {
    clear();
    return {};
  }
  if (chunk->count == 0) {
    place = {chunk->next, chunk->next != nullptr ? chunk->next->begin : 0};
    release_drained(chunk);
    if (place.chunk == nullptr) place = {root_->tail, root_->tail->end};
  } else {
    place = merge_sparse(*root_, place);
  }
  // The place lies behind the erased element, perhaps at the end of its chunk.
  ListCursor neighbour(place.chunk, place.offset);
  if (towards == Direction::backward) {
    neighbour.prev();
  } else if (place.offset == place.chunk->end) {
    ListChunk* next = place.chunk->next;
    neighbour = ListCursor(next, next != nullptr ? next->begin : 0);
  }
  return neighbour;
}

std::size_t List::erase_matching(std::string_view value, std::size_t limit, Direction direction) {
  std::size_t erased = 0;
  ListCursor cursor = cursor_at(direction == Direction::forward ? 0 : -1);
  while (cursor.valid() && (limit == 0 || erased < limit)) {
    if (cursor.value() == value) {
      cursor = erase(cursor, direction);
      ++erased;
    } else if (direction == Direction::forward) {
      cursor.next();
    } else {
      cursor.prev();
    }
  }
  return erased;
}

void List::drop_front_many(std::size_t count) noexcept {
  while (count > 0 && count >= root_->head->count) {
    ListChunk* chunk = root_->head;
    count -= chunk->count;
    root_->size -= chunk->count;
    release_drained(chunk);
  }
  for (; count > 0; --count) drop_front(element_at(*root_->head, root_->head->begin).stride);
}

void List::drop_back_many(std::size_t count) noexcept {
  while (count > 0 && count >= root_->tail->count) {
    ListChunk* chunk = root_->tail;
    count -= chunk->count;
    root_->size -= chunk->count;
    release_drained(chunk);
  }
  for (; count > 0; --count) drop_back(element_before(*root_->tail, root_->tail->end).stride);
}

void List::trim(std::int64_t first, std::int64_t last) noexcept {
  const auto total = static_cast<std::int64_t>(size());
  if (first < 0) first = std::max<std::int64_t>(0, first + total);
  if (last < 0) last += total;
  last = std::min(last, total - 1);
  if (first > last) {
    clear();
    return;
  }
  ++root_->version;
  drop_back_many(static_cast<std::size_t>(total - 1 - last));
  drop_front_many(static_cast<std::size_t>(first));
}

bool List::erase_in_chunk(ChunkRef ref, std::string_view value) noexcept {
  ListChunk* chunk = ref.chunk_;
  if (root_ == nullptr || chunk == nullptr) return false;
  for (std::uint32_t offset = chunk->begin; offset != chunk->end;) {
    const ListElement element = element_at(*chunk, offset);
    if (element.value == value) {
      remove_element(*chunk, offset, element.stride);
      --root_->size;
      ++root_->version;
      if (chunk->count == 0) release_drained(chunk);
      return true;
    }
    offset += element.stride;
  }
  return false;
}

bool List::consistent() const noexcept {
  if (root_ == nullptr) return true;
  std::size_t total = 0;
  const ListChunk* previous = nullptr;
  for (const ListChunk* chunk = root_->head; chunk != nullptr; previous = chunk, chunk = chunk->next) {
    if (chunk->previous != previous || chunk->count == 0) return false;
    if (chunk->begin > chunk->end || chunk->end > chunk->capacity) return false;
    std::uint32_t count = 0;
    for (std::uint32_t offset = chunk->begin; offset < chunk->end; ++count) {
      const std::uint32_t stride = element_at(*chunk, offset).stride;
      offset += stride;
      if (offset > chunk->end || element_before(*chunk, offset).stride != stride) return false;
    }
    if (count != chunk->count) return false;
    total += count;
  }
  return previous == root_->tail && total == root_->size && total > 0;
}

}  // namespace fairlane::data
