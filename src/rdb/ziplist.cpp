#include "rdb/ziplist.hpp"

#include "rdb/format.hpp"

namespace fairlane::rdb {
namespace {

constexpr std::size_t kHeader = 10;
constexpr std::size_t kUncounted = 0xFFFF;  ///< so many elements, or more
constexpr unsigned char kLongBefore = 0xFE;
constexpr unsigned char kEnd = 0xFF;

// The first byte of an encoding.
constexpr unsigned char kInteger16 = 0xC0;
constexpr unsigned char kInteger32 = 0xD0;
constexpr unsigned char kInteger64 = 0xE0;
constexpr unsigned char kInteger24 = 0xF0;
constexpr unsigned char kInteger8 = 0xFE;
constexpr unsigned char kZero = 0xF1;  ///< and up to 12 above it

constexpr std::size_t kUncountedPairs = 0xFE;
constexpr unsigned char kLongLength = 0xFE;

unsigned char first_of(std::string_view bytes) noexcept { return static_cast<unsigned char>(bytes.front()); }

std::size_t big_endian(std::string_view bytes) noexcept {
  std::size_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

ZiplistElements::ZiplistElements(std::string_view bytes) noexcept : whole_(bytes.size()) {
  const bool whole = bytes.size() > kHeader && read_little_endian(bytes.substr(0, 4)) == bytes.size() &&
                     static_cast<unsigned char>(bytes.back()) == kEnd;
  if (!whole) {
    broken();
    return;
  }
  tail_ = read_little_endian(bytes.substr(4, 4));
  expected_ = read_little_endian(bytes.substr(8, 2));
  last_ = kHeader;
  rest_ = bytes.substr(kHeader, bytes.size() - kHeader - 1);
}

std::optional<Element> ZiplistElements::next() {
  if (rest_.empty() || !well_formed()) return finish();
  const std::size_t begin = whole_ - 1 - rest_.size();
  const auto before = length_before();
  if (!before || *before != last_size_ || rest_.empty()) return broken();
  const auto element = body();
  last_ = begin;
  last_size_ = whole_ - 1 - rest_.size() - begin;
  ++count_;
  return element;
}

std::optional<std::size_t> ZiplistElements::length_before() noexcept {
  const unsigned char first = first_of(rest_);
  rest_.remove_prefix(1);
  if (first < kLongBefore) return first;
  if (first != kLongBefore || rest_.size() < 4) return std::nullopt;
  const std::size_t length = read_little_endian(rest_.substr(0, 4));
  rest_.remove_prefix(4);
  return length;
}

std::optional<Element> ZiplistElements::body() {
  const unsigned char head = first_of(rest_);
  switch (head >> 6) {
    case 0:
      return text(1, head);
    case 1:
      return rest_.size() < 2 ? broken() : text(2, big_endian(rest_.substr(0, 2)) & 0x3fffU);
    case 2:
      return rest_.size() < 5 ? broken() : text(5, big_endian(rest_.substr(1, 4)));
    default:
      return small_integer(head);
  }
}

std::optional<Element> ZiplistElements::small_integer(unsigned char head) {
  switch (head) {
    case kInteger8:
      return integer(1);
    case kInteger16:
      return integer(2);
    case kInteger24:
      return integer(3);
    case kInteger32:
      return integer(4);
    case kInteger64:
      return integer(8);
    default:
      if (head < kZero || head > kZero + 12) return broken();
      rest_.remove_prefix(1);
      return Element(std::int64_t{head - kZero});
  }
}

std::optional<Element> ZiplistElements::text(std::size_t header, std::size_t size) {
  if (rest_.size() - header < size) return broken();
  const std::string_view text = rest_.substr(header, size);
  rest_.remove_prefix(header + size);
  return Element(text);
}

std::optional<Element> ZiplistElements::integer(std::size_t bytes) {
  if (rest_.size() - 1 < bytes) return broken();
  const std::int64_t value = read_signed(rest_.substr(1, bytes));
  rest_.remove_prefix(1 + bytes);
  return Element(value);
}

std::optional<Element> ZiplistElements::finish() noexcept {
  if (tail_ != last_ || (expected_ != kUncounted && count_ != expected_)) return broken();
  return std::nullopt;
}

ZipmapElements::ZipmapElements(std::string_view bytes) noexcept {
  if (bytes.size() < 2 || static_cast<unsigned char>(bytes.back()) != kEnd) {
    broken();
    return;
  }
  expected_ = first_of(bytes);
  rest_ = bytes.substr(1, bytes.size() - 2);
}

std::optional<Element> ZipmapElements::next() {
  if (rest_.empty() || !well_formed()) return finish();
  const auto size = length();
  const bool is_value = count_++ % 2 == 1;
  const std::size_t header = is_value ? 1 : 0;
  if (!size || rest_.size() < header) return broken();
  const std::size_t unused = is_value ? first_of(rest_) : 0;
  rest_.remove_prefix(header);
  if (rest_.size() < unused || rest_.size() - unused < *size) return broken();
  const std::string_view text = rest_.substr(0, *size);
  rest_.remove_prefix(*size + unused);
  return Element(text);
}

std::optional<std::size_t> ZipmapElements::length() noexcept {
  const unsigned char first = first_of(rest_);
  rest_.remove_prefix(1);
  if (first < kLongLength) return first;
  if (first != kLongLength || rest_.size() < 4) return std::nullopt;
  const std::size_t length = read_little_endian(rest_.substr(0, 4));
  rest_.remove_prefix(4);
  return length;
}

std::optional<Element> ZipmapElements::finish() noexcept {
  if (count_ % 2 != 0 || (expected_ < kUncountedPairs && count_ / 2 != expected_)) return broken();
  return std::nullopt;
}

}  // namespace fairlane::rdb
