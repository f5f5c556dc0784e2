#include "fairlane/rdb/reader.hpp"

#include <bit>

#include "rdb/format.hpp"
#include "rdb/lzf.hpp"

namespace fairlane::rdb {

std::string_view Reader::raw(std::size_t count) noexcept {
  if (rest_.size() < count) fail();
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(bytes.size());
  return bytes;
}

unsigned char Reader::byte() noexcept { return static_cast<unsigned char>(little_endian(1)); }

std::uint64_t Reader::little_endian(std::size_t bytes) noexcept { return read_little_endian(raw(bytes)); }

std::uint64_t Reader::big_endian(std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  for (const char c : raw(bytes)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

double Reader::binary_double() noexcept { return std::bit_cast<double>(little_endian(sizeof(double))); }

std::uint64_t Reader::length() noexcept { return rest_of_length(byte()); }

std::uint64_t Reader::rest_of_length(unsigned char first) noexcept {
  const unsigned upper = first >> 6;
  const unsigned lower = first & 0x3fU;
  if (upper == kLength6) return lower;
  if (upper == kLength14) return lower << 8 | byte();
  if (first == kLength32) return big_endian(4);
  if (first == kLength64) return big_endian(8);
  fail();
  return 0;
}

std::string_view Reader::text() {
  const unsigned char first = byte();
  return first >> 6 == kSpecial ? special_text(first) : raw(rest_of_length(first));
}

std::string_view Reader::special_text(unsigned char first) {
  if (first == special(SpecialText::compressed)) return compressed_text();
  if (first > special(SpecialText::compressed)) {
    fail();
    return {};
  }
  const std::string_view bytes = raw(integer_bytes(static_cast<SpecialText>(first & 0x3fU)));
  if (!ok_) return {};
  text_ = std::to_string(read_signed(bytes));
  return text_;
}

std::string_view Reader::compressed_text() {
  const std::uint64_t compressed = length();
  const std::uint64_t size = length();
  auto expanded = lzf_expand(raw(compressed), size);
  if (!ok_ || !expanded) {
    fail();
    return {};
  }
  text_ = std::move(*expanded);
  return text_;
}

}  // namespace fairlane::rdb
