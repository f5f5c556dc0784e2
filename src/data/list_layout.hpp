#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlane/data/list_chunk.hpp"

namespace fairlane::data {

/// Chunks and their bytes, below List: room, gaps, links. Nothing here knows sizes or versions of the whole list.

inline constexpr std::uint32_t kChunkAllocation = 8192;
inline constexpr std::uint32_t kFullCapacity = kChunkAllocation - sizeof(ListChunk);
/// Larger elements get a chunk to themselves, so that no chunk wastes more than a quarter of itself.
inline constexpr std::uint32_t kOwnChunk = 2048;

struct ListPlace {
  ListChunk* chunk;
  std::uint32_t offset;
};

inline std::uint32_t used_bytes(const ListChunk& chunk) noexcept { return chunk.end - chunk.begin; }
inline std::uint32_t free_bytes(const ListChunk& chunk) noexcept { return chunk.capacity - used_bytes(chunk); }

std::uint32_t encoded_size(std::string_view value) noexcept;
void write_element(char* out, std::string_view value) noexcept;

ListRoot* create_root(std::uint32_t capacity);
void destroy_root(ListRoot* root) noexcept;

ListChunk* create_chunk(std::uint32_t capacity);
/// Not for a linked chunk.
void destroy_chunk(ListRoot& root, ListChunk* chunk) noexcept;
/// `before` is null at the tail.
void link_before(ListRoot& root, ListChunk* before, ListChunk* chunk) noexcept;
void unlink(ListRoot& root, ListChunk* chunk) noexcept;

/// The tail (head) with room for `need` bytes at its outer end: as it is, shifted within itself, or new.
ListChunk& room_behind(ListRoot& root, std::uint32_t need);
ListChunk& room_before(ListRoot& root, std::uint32_t need);

/// Puts an element at a place, growing or splitting the chunk when it has no room. Counts it in its chunk.
void insert_element(ListRoot& root, ListPlace place, std::string_view value);

/// Takes the bytes of one element out and counts it off; the chunk may be left with none. Returns the place behind it.
ListPlace remove_element(ListChunk& chunk, std::uint32_t offset, std::uint32_t stride) noexcept;

/// Moves a nearly empty chunk and a neighbour into one. Returns where the place went.
ListPlace merge_sparse(ListRoot& root, ListPlace place) noexcept;

}  // namespace fairlane::data
