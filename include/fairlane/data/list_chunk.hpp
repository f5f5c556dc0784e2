#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairlane::data {

/// How a List lies in memory; nobody but List and its cursors looks in here.
/// The bytes behind the header hold the elements in [begin, end), with free room at both ends. An element is the length
/// of its value as a varint, the value, and the length once more as a varint that is read backwards.
struct ListChunk {
  ListChunk* previous;
  ListChunk* next;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t capacity;
  std::uint32_t count;

  char* bytes() noexcept { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const noexcept { return reinterpret_cast<const char*>(this + 1); }
};

/// What the handle points to. The first chunk lies in the same allocation, so a small list costs one; it is left behind
/// unlinked once it is drained.
struct ListRoot {
  ListChunk* head;
  ListChunk* tail;
  std::size_t size;
  std::uint64_t version;
  ListChunk first;
};

struct ListElement {
  std::string_view value;
  std::uint32_t stride;
};

/// The element that starts at `offset`, which is below `end`.
inline ListElement element_at(const ListChunk& chunk, std::uint32_t offset) noexcept {
  const char* at = chunk.bytes() + offset;
  auto byte = static_cast<unsigned char>(*at++);
  if (byte < 128) return {{at, byte}, byte + 2U};
  std::uint32_t size = byte & 127U;
  std::uint32_t width = 1;
  do {
    byte = static_cast<unsigned char>(*at++);
    size |= (byte & 127U) << (7 * width++);
  } while (byte >= 128);
  return {{at, size}, size + 2 * width};
}

/// The element that ends at `offset`, which is above `begin`.
inline ListElement element_before(const ListChunk& chunk, std::uint32_t offset) noexcept {
  const char* at = chunk.bytes() + offset;
  auto byte = static_cast<unsigned char>(*--at);
  if (byte < 128) return {{at - byte, byte}, byte + 2U};
  std::uint32_t size = byte & 127U;
  std::uint32_t width = 1;
  do {
    byte = static_cast<unsigned char>(*--at);
    size |= (byte & 127U) << (7 * width++);
  } while (byte >= 128);
  return {{at - size, size}, size + 2 * width};
}

}  // namespace fairlane::data
