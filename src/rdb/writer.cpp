#include "fairlane/rdb/writer.hpp"

#include <bit>

#include "fairlane/base/number.hpp"
#include "rdb/format.hpp"
#include "rdb/lzf.hpp"

namespace fairlane::rdb {

void Writer::little_endian(std::uint64_t value, std::size_t bytes) { append_little_endian(out_, value, bytes); }

void Writer::big_endian(std::uint64_t value, std::size_t bytes) {
  while (bytes > 0) byte(static_cast<unsigned char>(value >> (8 * --bytes)));
}

void Writer::binary_double(double value) { little_endian(std::bit_cast<std::uint64_t>(value), sizeof(value)); }

void Writer::length(std::uint64_t value) {
  if (value < 1U << 6) {
    byte(static_cast<unsigned char>(value));
  } else if (value < 1U << 14) {
    byte(static_cast<unsigned char>(kLength14 << 6 | value >> 8));
    byte(static_cast<unsigned char>(value));
  } else if (value <= UINT32_MAX) {
    byte(kLength32);
    big_endian(value, 4);
  } else {
    byte(kLength64);
    big_endian(value, 8);
  }
}

void Writer::text(std::string_view bytes) {
  if (integer_text(bytes) || compressed_text(bytes)) return;
  length(bytes.size());
  raw(bytes);
}

/// Integers of up to 32 bits in the way they print.
bool Writer::integer_text(std::string_view bytes) {
  constexpr std::size_t kLongest = 11;
  if (bytes.size() > kLongest) return false;
  const auto value = base::parse_integer(bytes);
  if (!value || *value < INT32_MIN || *value > INT32_MAX) return false;
  const auto form = *value == static_cast<std::int8_t>(*value)    ? SpecialText::integer8
                    : *value == static_cast<std::int16_t>(*value) ? SpecialText::integer16
                                                                  : SpecialText::integer32;
  byte(special(form));
  little_endian(static_cast<std::uint64_t>(*value), integer_bytes(form));
  return true;
}

bool Writer::compressed_text(std::string_view bytes) {
  constexpr std::size_t kShortest = 21;
  constexpr std::size_t kWorthwhile = 4;  // bytes to be saved at least
  if (!rules_.compress || bytes.size() < kShortest) return false;
  const std::string compressed = lzf_compress(bytes, bytes.size() - kWorthwhile);
  if (compressed.empty()) return false;
  byte(special(SpecialText::compressed));
  length(compressed.size());
  length(bytes.size());
  raw(compressed);
  return true;
}

}  // namespace fairlane::rdb
