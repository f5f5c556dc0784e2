#include "rdb/listpack.hpp"

#include <utility>

#include "rdb/format.hpp"

namespace fairlane::rdb {
namespace {

constexpr std::size_t kHeader = 6;
constexpr std::size_t kUncounted = 0xFFFF;  ///< so many elements, or more
constexpr char kEnd = '\xFF';

// The first byte of an element.
constexpr unsigned char kText6 = 0x80;
constexpr unsigned char kInteger13 = 0xC0;
constexpr unsigned char kText12 = 0xE0;
constexpr unsigned char kText32 = 0xF0;
constexpr unsigned char kInteger16 = 0xF1;
constexpr unsigned char kInteger24 = 0xF2;
constexpr unsigned char kInteger32 = 0xF3;
constexpr unsigned char kInteger64 = 0xF4;

constexpr std::size_t kShortText = 1U << 6;
constexpr std::size_t kMediumText = 1U << 12;

/// Seven bits a byte, the upper ones first; all but the first byte are marked by their highest bit.
void append_length_behind(std::string& out, std::size_t length) {
  // The limits of redis-server, where a group of bits that are all ones begins the next size.
  constexpr std::size_t kLimits[] = {128, 16383, 2097151, 268435455};
  std::size_t bytes = 1;
  for (const std::size_t limit : kLimits) bytes += length >= limit ? 1 : 0;
  for (std::size_t i = bytes; i-- > 0;) {
    const unsigned marked = i + 1 == bytes ? 0 : 0x80;
    out += static_cast<char>((length >> (7 * i) & 0x7fU) | marked);
  }
}

}  // namespace

ListpackWriter::ListpackWriter() { out_.assign(kHeader, '\0'); }

std::size_t ListpackWriter::bytes() const noexcept { return out_.size() + 1; }

std::string ListpackWriter::take() {
  out_ += kEnd;
  std::string header;
  append_little_endian(header, out_.size(), 4);
  append_little_endian(header, count_ < kUncounted ? count_ : kUncounted, 2);
  out_.replace(0, kHeader, header);
  count_ = 0;
  return std::exchange(out_, std::string(kHeader, '\0'));
}

void ListpackWriter::append(std::string_view text) {
  const auto value = base::parse_integer(text);
  value ? append(*value) : append_text(text);
}

void ListpackWriter::append(std::int64_t value) {
  const std::size_t begin = out_.size();
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0 && value <= 127) {
    out_ += static_cast<char>(value);
  } else if (value >= -4096 && value <= 4095) {
    out_ += static_cast<char>(kInteger13 | (bits >> 8 & 0x1fU));
    out_ += static_cast<char>(bits & 0xffU);
  } else if (value >= INT16_MIN && value <= INT16_MAX) {
    append_integer(kInteger16, bits, 2);
  } else if (value >= -8388608 && value <= 8388607) {
    append_integer(kInteger24, bits, 3);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    append_integer(kInteger32, bits, 4);
  } else {
    append_integer(kInteger64, bits, 8);
  }
  end_element(begin);
}

void ListpackWriter::append_integer(unsigned char head, std::uint64_t value, std::size_t bytes) {
  out_ += static_cast<char>(head);
  append_little_endian(out_, value, bytes);
}

void ListpackWriter::append_text(std::string_view text) {
  const std::size_t begin = out_.size();
  if (text.size() < kShortText) {
    out_ += static_cast<char>(kText6 | text.size());
  } else if (text.size() < kMediumText) {
    out_ += static_cast<char>(kText12 | text.size() >> 8);
    out_ += static_cast<char>(text.size() & 0xffU);
  } else {
    append_integer(kText32, text.size(), 4);
  }
  out_.append(text);
  end_element(begin);
}

void ListpackWriter::end_element(std::size_t begin) {
  append_length_behind(out_, out_.size() - begin);
  ++count_;
}

ListpackElements::ListpackElements(std::string_view bytes) noexcept : rest_(bytes) {
  const bool whole =
      bytes.size() > kHeader && read_little_endian(bytes.substr(0, 4)) == bytes.size() && bytes.back() == kEnd;
  if (!whole) {
    broken();
    rest_ = {};
    return;
  }
  expected_ = read_little_endian(bytes.substr(4, 2));
  rest_ = bytes.substr(kHeader, bytes.size() - kHeader - 1);
}

std::optional<Element> ListpackElements::next() {
  if (rest_.empty() || !well_formed()) return finish();
  const auto head = static_cast<unsigned char>(rest_.front());
  if (head < kText6) return finished(Element(std::int64_t{head}), 1);
  if (head < kInteger13) return text(1, head & 0x3fU);
  if (head < kText12) {
    if (rest_.size() < 2) return broken();
    const std::uint64_t bits = (head & 0x1fU) << 8 | static_cast<unsigned char>(rest_[1]);
    return finished(Element(static_cast<std::int64_t>(bits << 51) >> 51), 2);
  }
  switch (head) {
    case kText32:
      return rest_.size() < 5 ? broken() : text(5, read_little_endian(rest_.substr(1, 4)));
    case kInteger16:
      return integer(1, 2);
    case kInteger24:
      return integer(1, 3);
    case kInteger32:
      return integer(1, 4);
    case kInteger64:
      return integer(1, 8);
    default:
      if (head > kInteger64 || rest_.size() < 2) return broken();
      return text(2, (head & 0x0fU) << 8 | static_cast<unsigned char>(rest_[1]));
  }
}

std::optional<Element> ListpackElements::text(std::size_t header, std::size_t size) {
  if (rest_.size() - header < size) return broken();
  return finished(Element(rest_.substr(header, size)), header + size);
}

std::optional<Element> ListpackElements::integer(std::size_t header, std::size_t bytes) {
  if (rest_.size() - header < bytes) return broken();
  return finished(Element(read_signed(rest_.substr(header, bytes))), header + bytes);
}

/// Behind the encoding of `size` bytes must stand its length.
std::optional<Element> ListpackElements::finished(const Element& element, std::size_t size) {
  std::string behind;
  append_length_behind(behind, size);
  if (rest_.substr(size, behind.size()) != behind) return broken();
  rest_.remove_prefix(size + behind.size());
  ++count_;
  return element;
}

std::optional<Element> ListpackElements::finish() noexcept {
  if (expected_ != kUncounted && count_ != expected_) return broken();
  return std::nullopt;
}

}  // namespace fairlane::rdb
