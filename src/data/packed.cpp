#include "fairlane/data/packed.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/copy_text.hpp"

namespace fairlane::data {

std::size_t allocation_size(std::size_t bytes) noexcept {
  const std::size_t step = std::max<std::size_t>(16, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) & ~(step - 1);
}

Packed* Packed::create(std::size_t bytes) {
  const std::size_t size = allocation_size(sizeof(Packed) + bytes);
  FAIRLANE_ASSERT(bytes <= kMaxBytes);
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  Packed* block = new (memory) Packed;
  block->used_ = 0;
  block->count_ = 0;
  block->units_ = static_cast<std::uint16_t>(size / kUnit);
  return block;
}

Packed* Packed::create(std::string_view texts, std::size_t count) {
  Packed* block = create(texts.size());
  std::memcpy(block->begin(), texts.data(), texts.size());
  block->used_ = static_cast<std::uint32_t>(texts.size());
  block->count_ = static_cast<std::uint16_t>(count);
  return block;
}

void Packed::destroy(Packed* block) noexcept { std::free(block); }

Packed* Packed::clone() const { return create(std::string_view(begin(), used_), count_); }

Packed::Text Packed::read_long(const char* at, std::size_t first) noexcept {
  if (first == kHuge) {
    std::uint32_t length;
    std::memcpy(&length, at + 1, sizeof(length));
    return {{at + 5, length}, at + 5 + length};
  }
  const std::size_t length = (first & 0x3F) << 8 | static_cast<unsigned char>(at[1]);
  return {{at + 2, length}, at + 2 + length};
}

char* Packed::write(char* at, std::string_view text) noexcept {
  const std::size_t length = text.size();
  if (length < kLong) {
    *at++ = static_cast<char>(length);
  } else if (length < kLongest) {
    *at++ = static_cast<char>(kLong | length >> 8);
    *at++ = static_cast<char>(length & 0xFF);
  } else {
    const std::uint32_t stored = static_cast<std::uint32_t>(length);
    *at++ = static_cast<char>(kHuge);
    std::memcpy(at, &stored, sizeof(stored));
    at += sizeof(stored);
  }
  return base::copy_text(at, text);
}

Packed* Packed::replace(Packed* block, std::size_t offset, std::size_t stale, std::size_t fresh, int added) {
  const std::size_t behind = block->used_ - offset - stale;
  const std::size_t used = block->used_ - stale + fresh;
  FAIRLANE_ASSERT(used <= kMaxBytes);
  const auto close_up = [&] { std::memmove(block->begin() + offset + fresh, block->begin() + offset + stale, behind); };
  const std::size_t size = allocation_size(sizeof(Packed) + used);
  const std::size_t have = block->memory();
  const bool shrinks = fresh < stale && size + std::max<std::size_t>(32, size / 4) < have;
  if (fresh < stale) close_up();
  if (size > have || shrinks) {
    void* memory = std::realloc(block, size);
    if (memory == nullptr) throw std::bad_alloc();
    block = static_cast<Packed*>(memory);
    block->units_ = static_cast<std::uint16_t>(size / kUnit);
  }
  if (fresh > stale) close_up();
  block->used_ = static_cast<std::uint32_t>(used);
  block->count_ = static_cast<std::uint16_t>(block->count_ + added);
  return block;
}

}  // namespace fairlane::data
