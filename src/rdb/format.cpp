#include "rdb/format.hpp"

namespace fairlane::rdb {

void append_little_endian(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

std::uint64_t read_little_endian(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::int64_t read_signed(std::string_view bytes) noexcept {
  const std::size_t unused = 64 - 8 * bytes.size();
  return static_cast<std::int64_t>(read_little_endian(bytes) << unused) >> unused;
}

}  // namespace fairlane::rdb
