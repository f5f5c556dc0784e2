#include "fairlane/rdb/payload.hpp"

#include <array>
#include <cstdint>

#include "rdb/format.hpp"

namespace fairlane::rdb {
namespace {

constexpr std::uint64_t kVersion = 10;  ///< of Redis 7.0's snapshots
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kSumBytes = 8;

/// CRC-64 with the polynomial of Jones, reflected, starting at 0.
std::uint64_t checksum(std::string_view bytes) noexcept {
  static constexpr auto kTable = [] {
    constexpr std::uint64_t kPolynomial = 0x95ac9329ac4bc9b5U;
    std::array<std::uint64_t, 256> table{};
    for (std::uint64_t i = 0; i < table.size(); ++i) {
      std::uint64_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? value >> 1 ^ kPolynomial : value >> 1;
      table[i] = value;
    }
    return table;
  }();
  std::uint64_t crc = 0;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xffU] ^ crc >> 8;
  return crc;
}

}  // namespace

std::string seal(std::string body) {
  append_little_endian(body, kVersion, kVersionBytes);
  append_little_endian(body, checksum(body), kSumBytes);
  return body;
}

std::optional<std::string_view> open(std::string_view payload) noexcept {
  if (payload.size() < kVersionBytes + kSumBytes) return std::nullopt;
  const std::string_view summed = payload.substr(0, payload.size() - kSumBytes);
  const std::string_view body = summed.substr(0, summed.size() - kVersionBytes);
  if (read_little_endian(summed.substr(body.size())) > kVersion) return std::nullopt;
  if (read_little_endian(payload.substr(summed.size())) != checksum(summed)) return std::nullopt;
  return body;
}

}  // namespace fairlane::rdb
