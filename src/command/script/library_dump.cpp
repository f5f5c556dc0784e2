#include "command/script/library_dump.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace fairlane::command {
namespace {

constexpr unsigned kFormatVersion = 10;       ///< of Redis 7.0's snapshots
constexpr unsigned char kLibrary = 245;       ///< a library follows
constexpr unsigned char kEarlyLibrary = 246;  ///< the form of release candidates
constexpr std::size_t kFooter = 10;           ///< two bytes of version, eight of checksum
/// A length that a short payload could claim by compression.
constexpr std::size_t kLongestCode = std::size_t{512} * 1024 * 1024;

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

void append_little(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

std::uint64_t read_little(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// A length: its two upper bits say how it goes on.
void append_length(std::string& out, std::uint64_t length) {
  if (length < 64) {
    out += static_cast<char>(length);
  } else if (length < 16384) {
    out += static_cast<char>(0x40U | length >> 8);
    out += static_cast<char>(length & 0xffU);
  } else {
    out += static_cast<char>(0x80);
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift & 0xffU);
  }
}

/// Reads from the front of the payload; nothing when it is not well formed.
class Reader {
 public:
  explicit Reader(std::string_view bytes) noexcept : rest_(bytes) {}

  bool done() const noexcept { return rest_.empty(); }
  unsigned char byte() noexcept {
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  std::optional<std::string> text() {
    if (rest_.empty()) return std::nullopt;
    const unsigned first = byte();
    if (first >> 6 == 3) return special_text(first & 0x3fU);
    const auto length = rest_of_length(first);
    return length ? plain_text(*length) : std::nullopt;
  }

 private:
  std::optional<std::uint64_t> big_endian(std::size_t bytes) noexcept {
    if (rest_.size() < bytes) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }
  std::optional<std::uint64_t> rest_of_length(unsigned first) noexcept {
    if (first >> 6 == 0) return first;
    if (first >> 6 == 1) {
      const auto low = big_endian(1);
      return low ? std::optional((std::uint64_t{first & 0x3fU} << 8) | *low) : std::nullopt;
    }
    if (first == 0x80) return big_endian(4);
    if (first == 0x81) return big_endian(8);
    return std::nullopt;
  }
  std::optional<std::uint64_t> length() noexcept {
    if (rest_.empty()) return std::nullopt;
    return rest_of_length(byte());
  }
  std::optional<std::string> plain_text(std::uint64_t size) {
    if (rest_.size() < size) return std::nullopt;
    std::string text(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return text;
  }

  /// Integers of 1, 2 and 4 bytes, and compressed text.
  std::optional<std::string> special_text(unsigned kind) {
    if (kind == 3) return compressed_text();
    if (kind > 3) return std::nullopt;
    const std::size_t bytes = std::size_t{1} << kind;
    if (rest_.size() < bytes) return std::nullopt;
    const int unused = 64 - static_cast<int>(bytes) * 8;
    const auto value = static_cast<std::int64_t>(read_little(rest_.substr(0, bytes)) << unused) >> unused;
    rest_.remove_prefix(bytes);
    return std::to_string(value);
  }
  std::optional<std::string> compressed_text() {
    const auto compressed = length();
    const auto size = length();
    if (!compressed || !size || *size > kLongestCode) return std::nullopt;
    const auto bytes = plain_text(*compressed);
    return bytes ? expanded(*bytes, static_cast<std::size_t>(*size)) : std::nullopt;
  }

  /// LZF: runs of plain bytes, and copies of what came before.
  static std::optional<std::string> expanded(std::string_view in, std::size_t size) {
    std::string out;
    for (std::size_t at = 0; at < in.size();) {
      const auto control = static_cast<unsigned char>(in[at++]);
      if (control < 32) {
        const std::size_t count = std::size_t{control} + 1;
        if (in.size() - at < count || out.size() + count > size) return std::nullopt;
        out.append(in.substr(at, count));
        at += count;
        continue;
      }
      std::size_t count = control >> 5;
      if (count == 7) {
        if (at == in.size()) return std::nullopt;
        count += static_cast<unsigned char>(in[at++]);
      }
      count += 2;
      if (at == in.size()) return std::nullopt;
      const std::size_t back = ((control & 0x1fU) << 8 | static_cast<unsigned char>(in[at++])) + std::size_t{1};
      if (back > out.size() || out.size() + count > size) return std::nullopt;
      // The copy may reach into itself.
      for (std::size_t from = out.size() - back; count > 0; --count) out += out[from++];
    }
    return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
  }

  std::string_view rest_;
};

bool good_footer(std::string_view payload) noexcept {
  if (payload.size() < kFooter) return false;
  const std::uint64_t version = read_little(payload.substr(payload.size() - kFooter, 2));
  if (version > kFormatVersion) return false;
  const std::uint64_t sum = read_little(payload.substr(payload.size() - 8));
  return sum == 0 || sum == checksum(payload.substr(0, payload.size() - 8));
}

}  // namespace

std::string dump_libraries(std::span<const std::string_view> codes) {
  std::string out;
  for (const std::string_view code : codes) {
    out += static_cast<char>(kLibrary);
    append_length(out, code.size());
    out.append(code);
  }
  append_little(out, kFormatVersion, 2);
  append_little(out, checksum(out), 8);
  return out;
}

std::string read_libraries(std::string_view payload, std::vector<std::string>& codes) {
  if (!good_footer(payload)) return "ERR DUMP payload version or checksum are wrong";
  Reader reader(payload.substr(0, payload.size() - kFooter));
  while (!reader.done()) {
    const unsigned char kind = reader.byte();
    if (kind == kEarlyLibrary) return "ERR Pre-GA function format not supported";
    if (kind != kLibrary) return "ERR given type is not a function";
    auto code = reader.text();
    if (!code) return "ERR Failed loading library code";
    codes.push_back(std::move(*code));
  }
  return {};
}

}  // namespace fairlane::command
