#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "fairlane/data/known_texts.hpp"

namespace fairlane::data {

/// Rounds a size up to one that allocators keep a class for: multiples of 16, then eight steps a doubling.
std::size_t allocation_size(std::size_t bytes) noexcept;

/// A few short texts one after the other in one allocation that starts with this header: what small hashes and sets are
/// made of. Everything that changes a block may move it and invalidates all views and positions.
///
/// A text is a length and its bytes. First byte: 0x00-0x7F the length; 0x80-0xBF its upper six bits, one byte follows;
/// 0xC0-0xFE a known text, nothing follows; 0xFF four bytes of length follow.
class Packed {
 public:
  /// What a block can hold; owners turn to a table before.
  static constexpr std::size_t kMaxCount = 0xFFFF;
  static constexpr std::size_t kMaxBytes = 0xF0000;

  /// An empty block with room for `bytes` of texts.
  static Packed* create(std::size_t bytes);
  /// A block of so many items that were written elsewhere.
  static Packed* create(std::string_view texts, std::size_t count);
  static void destroy(Packed* block) noexcept;
  Packed* clone() const;

  /// Items, of as many texts as the owner decides.
  std::size_t count() const noexcept { return count_; }
  std::size_t used() const noexcept { return used_; }
  std::size_t memory() const noexcept { return std::size_t{units_} * kUnit; }
  const char* begin() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  char* begin() noexcept { return reinterpret_cast<char*>(this + 1); }
  const char* end() const noexcept { return begin() + used_; }

  struct Text {
    std::string_view text;
    const char* next;
  };
  static Text read(const char* at) noexcept {
    const std::size_t first = static_cast<unsigned char>(*at);
    if (first < kLong) [[likely]]
      return {{at + 1, first}, at + 1 + first};
    if (first >= kKnown && first != kHuge) return {kKnownTexts[first - kKnown], at + 1};
    return read_long(at, first);
  }
  static const char* skip(const char* at) noexcept {
    const std::size_t first = static_cast<unsigned char>(*at);
    if (first < kLong) [[likely]]
      return at + 1 + first;
    if (first >= kKnown && first != kHuge) return at + 1;
    return read_long(at, first).next;
  }
  /// Bytes that a text takes.
  static std::size_t size_of(std::string_view text) noexcept {
    return text.size() + (text.size() < kLong ? 1 : text.size() < kLongest ? 2 : 5);
  }
  /// Writes a text where there is room for it; returns where it ends.
  static char* write(char* at, std::string_view text) noexcept;

  /// A text on its way into a block whose owner lets known texts be one byte; that owner uses nothing else.
  class Short {
   public:
    constexpr explicit Short(std::string_view text) noexcept : text_(text), number_(known_text_number(text)) {}
    std::string_view text() const noexcept { return text_; }
    bool known() const noexcept { return number_ != 0; }
    /// The one byte of a known text.
    char byte() const noexcept { return static_cast<char>(kKnown + number_ - 1); }
    /// One of 64, another for every known text; 0 for any other text.
    std::uint64_t bit() const noexcept { return known() ? std::uint64_t{1} << number_ : 0; }
    std::size_t size() const noexcept { return known() ? 1 : size_of(text_); }
    char* write(char* at) const noexcept {
      if (!known()) return Packed::write(at, text_);
      *at = byte();
      return at + 1;
    }

   private:
    std::string_view text_;
    unsigned number_;
  };

  /// Puts `fresh` bytes, which the caller writes, in the place of `stale` bytes at `offset`, and adds to the count.
  /// Returns where the block is now. Allocates what is needed and no more; gives back when much would lie idle.
  static Packed* replace(Packed* block, std::size_t offset, std::size_t stale, std::size_t fresh, int added);

 private:
  static constexpr std::size_t kUnit = 16;
  static constexpr std::size_t kLong = 0x80;
  static constexpr std::size_t kKnown = 0xC0;
  static constexpr std::size_t kHuge = 0xFF;
  static constexpr std::size_t kLongest = 0x4000;

  static Text read_long(const char* at, std::size_t first) noexcept;

  std::uint32_t used_;
  std::uint16_t count_;
  std::uint16_t units_;  // of 16 bytes, the header included
};

static_assert(sizeof(Packed) == 8);
static_assert(kKnownTexts.size() <= 0xFF - 0xC0);

}  // namespace fairlane::data
