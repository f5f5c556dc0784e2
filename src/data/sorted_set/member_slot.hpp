#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "fairlane/base/hash.hpp"

namespace fairlane::data::ordered {

static_assert(std::endian::native == std::endian::little,
              "slots rely on the last byte being the top of the second word");

constexpr std::size_t kInlineMember = 15;

/// A second word holds a pointer when its top byte, which is the length of an inline member, is 0 while the rest is
/// not: user space pointers have no top byte, and an inline member of length 0 has no bytes. Kept untagged, the pointer
/// stays visible to leak checkers.
constexpr bool is_pointer(std::uint64_t second) noexcept { return second - 1 < (std::uint64_t{1} << 56) - 1; }

struct MemberWords {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// The two words of a member of at most kInlineMember bytes: zero-padded, length in the last byte. Reads only the
/// member's own bytes, with overlapping loads instead of a loop.
inline MemberWords inline_words(std::string_view member) noexcept {
  using base::detail::load32;
  using base::detail::load64;
  const char* bytes = member.data();
  const std::size_t length = member.size();
  MemberWords words;
  if (length >= 8) {
    words.first = load64(bytes);
    if (length > 8) words.second = load64(bytes + length - 8) >> (8 * (16 - length));
  } else if (length >= 4) {
    words.first = load32(bytes) | load32(bytes + length - 4) << (8 * (length - 4));
  } else if (length > 0) {
    const auto byte = [bytes](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i); };
    words.first = byte(0) | byte(length / 2) | byte(length - 1);
  }
  words.second |= std::uint64_t{length} << 56;
  return words;
}

/// A member prepared for comparing with many slots: its words as big-endian numbers. (high, low) never contradicts the
/// order of members, long ones included: their last byte, 16, is the greatest. Only long members may share both.
struct MemberKey {
  explicit MemberKey(std::string_view member) noexcept : bytes(member), fits(member.size() <= kInlineMember) {
    if (fits) {
      const MemberWords words = inline_words(member);
      high = __builtin_bswap64(words.first);
      low = __builtin_bswap64(words.second);
    } else {
      high = __builtin_bswap64(base::detail::load64(member.data()));
      low = (__builtin_bswap64(base::detail::load64(member.data() + 8)) & ~std::uint64_t{0xFF}) | (kInlineMember + 1);
    }
  }

  std::string_view bytes;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool fits;
};

/// Sixteen bytes that hold a short member or the first eight bytes of a longer one and a pointer to all of it.
/// Trivially copyable; whoever drops the last copy of a long one calls release().
class MemberSlot {
 public:
  explicit MemberSlot(const MemberKey& key) {
    if (key.fits) {
      store({__builtin_bswap64(key.high), __builtin_bswap64(key.low)});
    } else {
      store({__builtin_bswap64(key.high), reinterpret_cast<std::uintptr_t>(allocate(key.bytes))});
    }
  }

  std::uint64_t first() const noexcept { return base::detail::load64(bytes_); }
  std::uint64_t second() const noexcept { return base::detail::load64(bytes_ + 8); }
  bool is_long() const noexcept { return is_pointer(second()); }

  std::string_view view() const noexcept {
    const std::uint64_t second_word = second();
    if (!is_pointer(second_word)) return {bytes_, static_cast<std::size_t>(second_word >> 56)};
    const char* const heap = pointer();
    std::uint32_t length;
    std::memcpy(&length, heap, sizeof length);
    return {heap + sizeof length, length};
  }
  /// Bytes on the heap besides the slot.
  std::size_t heap_bytes() const noexcept { return is_long() ? sizeof(std::uint32_t) + view().size() : 0; }
  void release() noexcept {
    if (is_long()) ::operator delete(pointer());
  }

 private:
  char* pointer() const noexcept {
    char* heap;
    std::memcpy(&heap, bytes_ + 8, sizeof heap);
    return heap;
  }
  static char* allocate(std::string_view member) {
    const auto length = static_cast<std::uint32_t>(member.size());
    char* const heap = static_cast<char*>(::operator new(sizeof length + member.size()));
    std::memcpy(heap, &length, sizeof length);
    std::memcpy(heap + sizeof length, member.data(), member.size());
    return heap;
  }
  void store(MemberWords words) noexcept {
    std::memcpy(bytes_, &words.first, 8);
    std::memcpy(bytes_ + 8, &words.second, 8);
  }

  alignas(8) char bytes_[16];
};
static_assert(sizeof(MemberSlot) == 16);

/// Negative, zero or positive as the slot's member sorts before, at or behind the key. When the first words differ they
/// decide even for padded members, because padding is the smallest byte; when both members are inline the second words
/// end in the length, so the shorter of two equal paddings comes first.
inline int order(const MemberSlot& slot, const MemberKey& key) noexcept {
  const std::uint64_t high = __builtin_bswap64(slot.first());
  if (high != key.high) return high < key.high ? -1 : 1;
  const std::uint64_t second = slot.second();
  if (key.fits && !is_pointer(second)) {
    const std::uint64_t low = __builtin_bswap64(second);
    return low < key.low ? -1 : static_cast<int>(low > key.low);
  }
  return slot.view().compare(key.bytes);
}

inline bool same(const MemberSlot& slot, const MemberKey& key) noexcept {
  if (__builtin_bswap64(slot.first()) != key.high) return false;
  if (key.fits) return __builtin_bswap64(slot.second()) == key.low;
  return slot.is_long() && slot.view() == key.bytes;
}

}  // namespace fairlane::data::ordered
