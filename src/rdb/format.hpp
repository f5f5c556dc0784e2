#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Numbers of the format of Redis' snapshots that both its writer and its reader need.
namespace fairlane::rdb {

// The two upper bits of the first byte of a length, or the whole byte.
inline constexpr unsigned kLength6 = 0;
inline constexpr unsigned kLength14 = 1;
inline constexpr unsigned kSpecial = 3;  ///< no length: the other bits say how a text goes on
inline constexpr unsigned char kLength32 = 0x80;
inline constexpr unsigned char kLength64 = 0x81;

enum class SpecialText : unsigned char { integer8, integer16, integer32, compressed };

constexpr unsigned char special(SpecialText form) noexcept {
  return static_cast<unsigned char>(kSpecial << 6 | static_cast<unsigned>(form));
}
/// Of one of the integers.
constexpr std::size_t integer_bytes(SpecialText form) noexcept { return std::size_t{1} << static_cast<unsigned>(form); }

/// What a value is and how it is kept. The numbers between belong to values of modules, and to later formats.
enum class Kind : unsigned char {
  string = 0,
  list = 1,
  set = 2,
  sorted_set_of_texts = 3,  ///< scores as texts
  hash = 4,
  sorted_set = 5,
  hash_zipmap = 9,
  list_ziplist = 10,
  set_intset = 11,
  sorted_set_ziplist = 12,
  hash_ziplist = 13,
  list_of_ziplists = 14,
  stream_of_early = 15,  ///< without the first and the highest erased id, and what was ever added
  hash_listpack = 16,
  sorted_set_listpack = 17,
  list_of_listpacks = 18,
  stream = 19,
  set_listpack = 20,     ///< from Redis 7.2 on
  stream_of_later = 21,  ///< from Redis 7.2 on: consumers also have a time of activity
};

// How a piece of a list is kept.
inline constexpr std::uint64_t kPlainPiece = 1;
inline constexpr std::uint64_t kPackedPiece = 2;

// Entries in a block of a stream.
inline constexpr std::int64_t kErasedEntry = 1;
inline constexpr std::int64_t kNamesOfBlock = 2;

void append_little_endian(std::string& out, std::uint64_t value, std::size_t bytes);
/// Of up to eight bytes.
std::uint64_t read_little_endian(std::string_view bytes) noexcept;
/// The same with the sign in the highest bit; one byte at least.
std::int64_t read_signed(std::string_view bytes) noexcept;

}  // namespace fairlane::rdb
