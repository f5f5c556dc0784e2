#include "data/list_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/copy_text.hpp"

namespace fairlane::data {
namespace {

constexpr std::uint32_t varint_size(std::uint32_t value) noexcept {
  return (static_cast<std::uint32_t>(std::bit_width(value | 1)) + 6) / 7;
}

constexpr auto kHeader = static_cast<std::uint32_t>(sizeof(ListChunk));
constexpr std::uint64_t kSmallestAllocation = 96;
constexpr std::uint64_t kDoublesUpTo = 512;

// As much again as the list holds while it is short, then a quarter of it up to a full chunk, so that the free room
// stays a small part of the list; or what one element needs. Rounded the way allocators do, to quarters of a power
// of 2.
std::uint32_t next_capacity(const ListRoot& root, std::uint32_t need) noexcept {
  if (need > kOwnChunk) return need;
  const std::uint64_t held = std::uint64_t{root.size} * need;
  const std::uint64_t wanted = std::max({std::min(held, kDoublesUpTo), held / 4, std::uint64_t{need}}) + kHeader;
  const std::uint64_t allocation = std::clamp<std::uint64_t>(wanted, kSmallestAllocation, kChunkAllocation);
  const std::uint64_t step = std::bit_floor(allocation) / 4;
  return static_cast<std::uint32_t>((allocation + step - 1) / step * step) - kHeader;
}

void shift(ListChunk& chunk, std::uint32_t begin) noexcept {
  const std::uint32_t used = used_bytes(chunk);
  std::memmove(chunk.bytes() + begin, chunk.bytes() + chunk.begin, used);
  chunk.begin = begin;
  chunk.end = begin + used;
}

// A shift pays for itself only when it opens a good part of the chunk.
bool worth_shifting(const ListChunk& chunk, std::uint32_t need) noexcept {
  return free_bytes(chunk) >= need && free_bytes(chunk) >= chunk.capacity / 2;
}

std::uint32_t count_elements(const ListChunk& chunk, std::uint32_t from, std::uint32_t to) noexcept {
  std::uint32_t count = 0;
  for (; from != to; ++count) from += element_at(chunk, from).stride;
  return count;
}

void insert_with_room(ListChunk& chunk, std::uint32_t offset, std::string_view value, std::uint32_t need) noexcept {
  const std::uint32_t left = offset - chunk.begin;
  const std::uint32_t right = chunk.end - offset;
  const bool fits_behind = chunk.capacity - chunk.end >= need;
  const bool fits_before = chunk.begin >= need;
  if (!fits_behind && !fits_before) {
    shift(chunk, 0);
    offset = left;
  }
  char* bytes = chunk.bytes();
  if (fits_before && (left < right || !fits_behind)) {
    std::memmove(bytes + chunk.begin - need, bytes + chunk.begin, left);
    chunk.begin -= need;
    offset -= need;
  } else {
    std::memmove(bytes + offset + need, bytes + offset, right);
    chunk.end += need;
  }
  write_element(bytes + offset, value);
  ++chunk.count;
}

// A larger chunk in the place of a small one.
ListPlace grow(ListRoot& root, ListPlace place, std::uint32_t need) {
  ListChunk* old = place.chunk;
  ListChunk* chunk = create_chunk(std::bit_ceil(used_bytes(*old) + need + kHeader) - kHeader);
  std::memcpy(chunk->bytes(), old->bytes() + old->begin, used_bytes(*old));
  chunk->end = used_bytes(*old);
  chunk->count = old->count;
  link_before(root, old, chunk);
  const std::uint32_t offset = place.offset - old->begin;
  unlink(root, old);
  destroy_chunk(root, old);
  return {chunk, offset};
}

// Between two chunks: at the near end of the neighbour, or in a new chunk.
ListPlace make_room_between(ListRoot& root, ListChunk* left, ListChunk* right, std::uint32_t need) {
  if (left != nullptr && free_bytes(*left) >= need) return {left, left->end};
  if (right != nullptr && free_bytes(*right) >= need) return {right, right->begin};
  ListChunk* chunk = create_chunk(next_capacity(root, need));
  link_before(root, right, chunk);
  return {chunk, 0};
}

// Moves the smaller side of the place to a chunk of its own. Returns the chunk that ends at the place.
ListChunk* split(ListRoot& root, ListPlace place) {
  ListChunk* old = place.chunk;
  ListChunk* part = create_chunk(std::max(kFullCapacity, used_bytes(*old) / 2));
  const bool move_left = place.offset - old->begin < old->end - place.offset;
  const std::uint32_t from = move_left ? old->begin : place.offset;
  const std::uint32_t to = move_left ? place.offset : old->end;
  part->count = count_elements(*old, from, to);
  part->end = to - from;
  std::memcpy(part->bytes(), old->bytes() + from, to - from);
  old->count -= part->count;
  (move_left ? old->begin : old->end) = place.offset;
  link_before(root, move_left ? old : old->next, part);
  return move_left ? part : old;
}

// Takes the next chunk's elements over when that is little work.
bool merge_next(ListRoot& root, ListChunk& chunk) noexcept {
  ListChunk* next = chunk.next;
  if (next == nullptr) return false;
  const std::uint64_t used = std::uint64_t{used_bytes(chunk)} + used_bytes(*next);
  if (used > kFullCapacity / 2 || used > chunk.capacity) return false;
  if (chunk.capacity - chunk.end < used_bytes(*next)) shift(chunk, 0);
  std::memcpy(chunk.bytes() + chunk.end, next->bytes() + next->begin, used_bytes(*next));
  chunk.end += used_bytes(*next);
  chunk.count += next->count;
  unlink(root, next);
  destroy_chunk(root, next);
  return true;
}

}  // namespace

std::uint32_t encoded_size(std::string_view value) noexcept {
  FAIRLANE_ASSERT(value.size() < 0xFFFF'FFC0U);
  const auto size = static_cast<std::uint32_t>(value.size());
  return size < 128 ? size + 2 : size + 2 * varint_size(size);
}

void write_element(char* out, std::string_view value) noexcept {
  const auto size = static_cast<std::uint32_t>(value.size());
  if (size < 128) {
    out[0] = static_cast<char>(size);
    base::copy_text(out + 1, value);
    out[1 + size] = static_cast<char>(size);
    return;
  }
  const std::uint32_t width = varint_size(size);
  char* backward = out + 2 * width + size;
  std::memcpy(out + width, value.data(), size);
  for (std::uint32_t left = size; left != 0; left >>= 7) {
    const auto group = static_cast<char>((left & 127) | (left >= 128 ? 128U : 0U));
    *out++ = group;
    *--backward = group;
  }
}

ListRoot* create_root(std::uint32_t capacity) {
  auto* root = new (::operator new(sizeof(ListRoot) + capacity)) ListRoot{};
  root->head = root->tail = &root->first;
  root->first.capacity = capacity;
  return root;
}

void destroy_root(ListRoot* root) noexcept {
  for (ListChunk* chunk = root->head; chunk != nullptr;) {
    ListChunk* next = chunk->next;
    destroy_chunk(*root, chunk);
    chunk = next;
  }
  ::operator delete(root);
}

ListChunk* create_chunk(std::uint32_t capacity) {
  auto* chunk = new (::operator new (sizeof(ListChunk) + std::size_t{capacity})) ListChunk{};
  chunk->capacity = capacity;
  return chunk;
}

void destroy_chunk(ListRoot& root, ListChunk* chunk) noexcept {
  if (chunk != &root.first) ::operator delete(chunk);
}

void link_before(ListRoot& root, ListChunk* before, ListChunk* chunk) noexcept {
  ListChunk* previous = before != nullptr ? before->previous : root.tail;
  chunk->previous = previous;
  chunk->next = before;
  (previous != nullptr ? previous->next : root.head) = chunk;
  (before != nullptr ? before->previous : root.tail) = chunk;
}

void unlink(ListRoot& root, ListChunk* chunk) noexcept {
  (chunk->previous != nullptr ? chunk->previous->next : root.head) = chunk->next;
  (chunk->next != nullptr ? chunk->next->previous : root.tail) = chunk->previous;
}

ListChunk& room_behind(ListRoot& root, std::uint32_t need) {
  ListChunk& tail = *root.tail;
  if (tail.capacity - tail.end >= need) return tail;
  if (worth_shifting(tail, need)) {
    shift(tail, std::min(free_bytes(tail) / 2, free_bytes(tail) - need));
    return tail;
  }
  ListChunk* chunk = create_chunk(next_capacity(root, need));
  link_before(root, nullptr, chunk);
  return *chunk;
}

ListChunk& room_before(ListRoot& root, std::uint32_t need) {
  ListChunk& head = *root.head;
  if (head.begin >= need) return head;
  if (worth_shifting(head, need)) {
    shift(head, std::max(free_bytes(head) / 2, need));
    return head;
  }
  ListChunk* chunk = create_chunk(next_capacity(root, need));
  chunk->begin = chunk->end = chunk->capacity;
  link_before(root, &head, chunk);
  return *chunk;
}

void insert_element(ListRoot& root, ListPlace place, std::string_view value) {
  const std::uint32_t need = encoded_size(value);
  ListChunk* chunk = place.chunk;
  if (free_bytes(*chunk) < need) {
    const bool splits = std::uint64_t{used_bytes(*chunk)} + need > kFullCapacity;
    if (!splits) {
      place = grow(root, place, need);
    } else if (place.offset == chunk->begin) {
      place = make_room_between(root, chunk->previous, chunk, need);
    } else {
      ListChunk* left = place.offset == chunk->end ? chunk : split(root, place);
      place = make_room_between(root, left, left->next, need);
    }
  }
  insert_with_room(*place.chunk, place.offset, value, need);
}

ListPlace remove_element(ListChunk& chunk, std::uint32_t offset, std::uint32_t stride) noexcept {
  char* bytes = chunk.bytes();
  const std::uint32_t left = offset - chunk.begin;
  const std::uint32_t right = chunk.end - offset - stride;
  --chunk.count;
  if (left < right) {
    std::memmove(bytes + chunk.begin + stride, bytes + chunk.begin, left);
    chunk.begin += stride;
    return {&chunk, offset + stride};
  }
  std::memmove(bytes + offset, bytes + offset + stride, right);
  chunk.end -= stride;
  return {&chunk, offset};
}

ListPlace merge_sparse(ListRoot& root, ListPlace place) noexcept {
  ListChunk* chunk = place.chunk;
  if (used_bytes(*chunk) > kFullCapacity / 4) return place;
  const std::uint32_t from_begin = place.offset - chunk->begin;
  if (ListChunk* previous = chunk->previous; previous != nullptr) {
    const std::uint32_t before = used_bytes(*previous);
    if (merge_next(root, *previous)) return {previous, previous->begin + before + from_begin};
  }
  merge_next(root, *chunk);
  return {chunk, chunk->begin + from_begin};
}

}  // namespace fairlane::data
