#include "data/stream_block.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "fairlane/base/number.hpp"

namespace fairlane::data {
namespace {

constexpr unsigned char kErased = 1;
constexpr unsigned char kSameNames = 2;
constexpr std::size_t kMostNumber = 10;  ///< bytes of a number in base 128

char* write_number(char* at, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80U);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

std::uint64_t read_number(const char*& at) noexcept {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

/// A distance either way, with its sign in the lowest bit so that a short one stays short.
std::uint64_t folded(std::uint64_t distance) noexcept { return distance << 1 ^ (0 - (distance >> 63)); }
std::uint64_t unfolded(std::uint64_t number) noexcept { return number >> 1 ^ (0 - (number & 1U)); }

/// The integers that are kept as numbers: the sign and the mark take two bits.
constexpr std::int64_t kLargestKept = (std::int64_t{1} << 62) - 1;

std::optional<std::uint64_t> as_kept_number(std::string_view text) noexcept {
  if (text.empty() || text.size() > base::kIntegerChars) return std::nullopt;
  const auto value = base::parse_integer(text);
  if (!value || *value > kLargestKept || *value < -kLargestKept) return std::nullopt;
  return folded(static_cast<std::uint64_t>(*value)) << 1 | 1U;
}

char* write_text(char* at, std::string_view text) noexcept {
  if (const auto number = as_kept_number(text)) return write_number(at, *number);
  at = write_number(at, text.size() << 1);
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// What an element takes in a listpack: its encoding, and behind it the length of that for walking backwards.

std::size_t with_length(std::size_t encoded) noexcept {
  if (encoded <= 127) return encoded + 1;
  if (encoded < 16383) return encoded + 2;
  if (encoded < 2097151) return encoded + 3;
  if (encoded < 268435455) return encoded + 4;
  return encoded + 5;
}

std::size_t counted_integer(std::int64_t value) noexcept {
  if (value >= 0 && value <= 127) return with_length(1);
  if (value >= -4096 && value <= 4095) return with_length(2);
  if (value >= INT16_MIN && value <= INT16_MAX) return with_length(3);
  if (value >= -8388608 && value <= 8388607) return with_length(4);
  if (value >= INT32_MIN && value <= INT32_MAX) return with_length(5);
  return with_length(9);
}

std::size_t counted_text(std::string_view text) noexcept {
  if (!text.empty() && text.size() <= 20) {
    if (const auto value = base::parse_integer(text)) return counted_integer(*value);
  }
  const std::size_t header = text.size() < 64 ? 1 : text.size() < 4096 ? 2 : 5;
  return with_length(header + text.size());
}

std::size_t counted_texts(std::span<const std::string_view> words, std::size_t first, std::size_t step) noexcept {
  std::size_t bytes = 0;
  for (std::size_t i = first; i < words.size(); i += step) bytes += counted_text(words[i]);
  return bytes;
}

std::int64_t as_signed(std::uint64_t value) noexcept { return static_cast<std::int64_t>(value); }

/// Flags, the two distances of the id, and the number of elements that closes an entry.
std::size_t counted_entry(StreamId base, StreamId id, std::span<const std::string_view> words, bool same) noexcept {
  const auto fields = static_cast<std::int64_t>(words.size() / 2);
  std::size_t bytes = counted_integer(same ? 2 : 0) + counted_integer(as_signed(id.ms - base.ms)) +
                      counted_integer(as_signed(id.seq - base.seq));
  bytes += same ? counted_texts(words, 1, 2) + counted_integer(fields + 3)
                : counted_integer(fields) + counted_texts(words, 0, 1) + counted_integer(fields * 2 + 4);
  return bytes;
}

constexpr std::size_t kListpackFrame = 7;

std::size_t text_room(std::span<const std::string_view> words) noexcept {
  std::size_t bytes = 0;
  for (const std::string_view word : words) bytes += word.size() + kMostNumber;
  return bytes;
}

/// Sizes that allocators do not round up much.
std::size_t rounded(std::size_t bytes) noexcept { return (bytes + 15) & ~std::size_t{15}; }

}  // namespace

bool StreamId::increment() noexcept {
  if (seq != UINT64_MAX) {
    ++seq;
    return true;
  }
  if (ms == UINT64_MAX) return false;
  ++ms;
  seq = 0;
  return true;
}

bool StreamId::decrement() noexcept {
  if (seq != 0) {
    --seq;
    return true;
  }
  if (ms == 0) return false;
  --ms;
  seq = UINT64_MAX;
  return true;
}

std::string_view StreamEntry::take(const char*& at, Digits& digits) noexcept {
  const std::uint64_t number = read_number(at);
  if ((number & 1U) != 0) {
    const auto value = static_cast<std::int64_t>(unfolded(number >> 1));
    return {digits.data(), base::format_integer(digits.data(), value)};
  }
  const std::string_view text(at, number >> 1);
  at += text.size();
  return text;
}

void StreamBlockDeleter::operator()(StreamBlock* block) const noexcept { StreamBlock::destroy(block); }
void StreamBlock::destroy(StreamBlock* block) noexcept { std::free(block); }

StreamBlockPointer StreamBlock::create(StreamId id, std::span<const std::string_view> words) {
  const std::size_t capacity = rounded(sizeof(StreamBlock) + kMostNumber + 2 * text_room(words) + 64);
  auto* block = static_cast<StreamBlock*>(std::malloc(capacity));
  if (block == nullptr) throw std::bad_alloc();
  block->base_ = block->last_ = id;
  block->live_ = block->erased_ = 0;
  block->capacity_ = static_cast<std::uint32_t>(capacity);
  block->fields_ = static_cast<std::uint32_t>(words.size() / 2);
  char* at = block->bytes() + sizeof(StreamBlock);
  for (std::size_t i = 0; i < words.size(); i += 2) at = write_text(at, words[i]);
  block->entries_ = block->used_ = static_cast<std::uint32_t>(at - block->bytes());
  block->counted_ = kListpackFrame + counted_integer(block->fields_) + counted_texts(words, 0, 2) + counted_integer(0);
  StreamBlockPointer owner(block);
  append(owner, id, words);
  return owner;
}

StreamBlockPointer StreamBlock::clone() const {
  auto* copy = static_cast<StreamBlock*>(std::malloc(capacity_));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(static_cast<void*>(copy), this, used_);
  return StreamBlockPointer(copy);
}

std::size_t StreamBlock::counted_bytes() const noexcept {
  return counted_ + counted_integer(live_) + counted_integer(erased_);
}

bool StreamBlock::same_names(std::span<const std::string_view> words) const noexcept {
  if (words.size() / 2 != fields_) return false;
  StreamEntry::Digits digits;
  const char* at = bytes() + sizeof(StreamBlock);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] != StreamEntry::take(at, digits)) return false;
  }
  return true;
}

void StreamBlock::append(StreamBlockPointer& owner, StreamId id, std::span<const std::string_view> words) {
  const std::size_t room = 1 + 3 * kMostNumber + text_room(words);
  if (owner->capacity_ - owner->used_ < room) {
    std::size_t capacity = owner->capacity_ + owner->capacity_ / 2;
    if (capacity < owner->used_ + room) capacity = owner->used_ + room;
    capacity = rounded(capacity);
    void* moved = std::realloc(static_cast<void*>(owner.get()), capacity);
    if (moved == nullptr) throw std::bad_alloc();
    static_cast<void>(owner.release());
    owner.reset(static_cast<StreamBlock*>(moved));
    owner->capacity_ = static_cast<std::uint32_t>(capacity);
  }
  StreamBlock& block = *owner;
  const bool same = block.same_names(words);
  char* at = block.bytes() + block.used_;
  *at++ = static_cast<char>(same ? kSameNames : 0);
  at = write_number(at, id.ms - block.base_.ms);
  at = write_number(at, folded(id.seq - block.base_.seq));
  if (!same) at = write_number(at, words.size() / 2);
  for (std::size_t i = same ? 1 : 0; i < words.size(); i += same ? 2 : 1) at = write_text(at, words[i]);
  block.used_ = static_cast<std::uint32_t>(at - block.bytes());
  block.counted_ += counted_entry(block.base_, id, words, same);
  block.last_ = id;
  ++block.live_;
}

void StreamBlock::shrink(StreamBlockPointer& owner) {
  const std::size_t capacity = rounded(owner->used_);
  if (capacity == owner->capacity_) return;
  void* moved = std::realloc(static_cast<void*>(owner.get()), capacity);
  if (moved == nullptr) return;
  static_cast<void>(owner.release());
  owner.reset(static_cast<StreamBlock*>(moved));
  owner->capacity_ = static_cast<std::uint32_t>(capacity);
}

StreamBlock::Place StreamBlock::read(std::uint32_t offset) const noexcept {
  const char* at = bytes() + offset;
  const auto flags = static_cast<unsigned char>(*at++);
  Place place;
  place.erased = (flags & kErased) != 0;
  place.entry.id.ms = base_.ms + read_number(at);
  place.entry.id.seq = base_.seq + unfolded(read_number(at));
  const bool same = (flags & kSameNames) != 0;
  place.entry.fields_ = same ? fields_ : static_cast<std::size_t>(read_number(at));
  place.entry.names_ = same ? bytes() + sizeof(StreamBlock) : nullptr;
  place.entry.values_ = at;
  for (std::size_t i = same ? place.entry.fields_ : place.entry.fields_ * 2; i > 0; --i) {
    const std::uint64_t number = read_number(at);
    if ((number & 1U) == 0) at += number >> 1;
  }
  place.end = static_cast<std::uint32_t>(at - bytes());
  return place;
}

void StreamBlock::mark_erased(std::uint32_t at) noexcept {
  bytes()[at] = static_cast<char>(static_cast<unsigned char>(bytes()[at]) | kErased);
  --live_;
  ++erased_;
}

bool StreamBlock::erase(StreamId id) noexcept {
  for (std::uint32_t at = entries_; at != used_;) {
    const Place place = read(at);
    if (place.entry.id == id) {
      if (place.erased) return false;
      mark_erased(at);
      return true;
    }
    if (place.entry.id > id) return false;
    at = place.end;
  }
  return false;
}

}  // namespace fairlane::data
