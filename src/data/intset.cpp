#include "data/intset.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "fairlane/data/packed.hpp"

namespace fairlane::data {

namespace {

std::uint32_t width_of(std::int64_t value) noexcept {
  if (value == static_cast<std::int16_t>(value)) return 2;
  return value == static_cast<std::int32_t>(value) ? 4 : 8;
}

template <class Integer>
std::int64_t load(const char* at) noexcept {
  Integer value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <class Integer>
void save(char* at, std::int64_t value) noexcept {
  const Integer narrow = static_cast<Integer>(value);
  std::memcpy(at, &narrow, sizeof(narrow));
}

}  // namespace

std::optional<std::int64_t> canonical_integer(std::string_view text) noexcept {
  constexpr std::size_t kLongest = 20;
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  const std::size_t sign = text.front() == '-' ? 1 : 0;
  if (text.size() == sign) return std::nullopt;
  if (text[sign] == '0' && text.size() != 1) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

Intset* Intset::create() { return resize(nullptr, 0, 2); }

void Intset::destroy(Intset* set) noexcept { std::free(set); }

/// Without `set` a new, empty one. The values stay as they are: the caller writes them anew when the width changes.
Intset* Intset::resize(Intset* set, std::size_t count, std::size_t width) {
  const std::size_t size = allocation_size(sizeof(Intset) + count * width);
  if (set != nullptr && size == set->memory()) return set;
  void* memory = std::realloc(set, size);
  if (memory == nullptr) throw std::bad_alloc();
  if (set != nullptr) return static_cast<Intset*>(memory);
  Intset* fresh = new (memory) Intset;
  fresh->count_ = 0;
  fresh->width_ = static_cast<std::uint32_t>(width);
  return fresh;
}

Intset* Intset::clone() const {
  Intset* copy = resize(nullptr, count_, width_);
  copy->count_ = count_;
  std::memcpy(copy->bytes(), bytes(), std::size_t{count_} * width_);
  return copy;
}

std::size_t Intset::memory() const noexcept { return allocation_size(sizeof(Intset) + std::size_t{count_} * width_); }

std::int64_t Intset::at(std::size_t index) const noexcept {
  const char* at = bytes() + index * width_;
  if (width_ == 2) return load<std::int16_t>(at);
  return width_ == 4 ? load<std::int32_t>(at) : load<std::int64_t>(at);
}

void Intset::store(std::size_t index, std::int64_t value) noexcept {
  char* at = bytes() + index * width_;
  if (width_ == 2) {
    save<std::int16_t>(at, value);
  } else if (width_ == 4) {
    save<std::int32_t>(at, value);
  } else {
    save<std::int64_t>(at, value);
  }
}

std::size_t Intset::lower_bound(std::int64_t value) const noexcept {
  // Integers mostly come in ascending order.
  if (count_ == 0 || at(count_ - 1) < value) return count_;
  std::size_t first = 0;
  std::size_t length = count_;
  while (length > 0) {
    const std::size_t half = length / 2;
    if (at(first + half) < value) {
      first += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return first;
}

bool Intset::contains(std::int64_t value) const noexcept {
  if (width_of(value) > width_) return false;
  const std::size_t index = lower_bound(value);
  return index < count_ && at(index) == value;
}

Intset* Intset::widen(Intset* set, std::uint32_t width) {
  set = resize(set, set->count_, width);
  const std::size_t old_width = std::exchange(set->width_, width);
  for (std::size_t index = set->count_; index-- > 0;) {
    const char* old = set->bytes() + index * old_width;
    set->store(index, old_width == 2 ? load<std::int16_t>(old) : load<std::int32_t>(old));
  }
  return set;
}

Intset::Change Intset::add(Intset* set, std::int64_t value) {
  const std::size_t index = set->lower_bound(value);
  if (index < set->count_ && set->at(index) == value) return {set, false};
  const std::uint32_t width = width_of(value);
  if (width > set->width_) set = widen(set, width);
  set = resize(set, set->count_ + std::size_t{1}, set->width_);
  char* at = set->bytes() + index * set->width_;
  std::memmove(at + set->width_, at, (set->count_ - index) * set->width_);
  ++set->count_;
  set->store(index, value);
  return {set, true};
}

Intset::Change Intset::erase(Intset* set, std::int64_t value) {
  if (!set->contains(value)) return {set, false};
  const std::size_t index = set->lower_bound(value);
  char* at = set->bytes() + index * set->width_;
  std::memmove(at, at + set->width_, (set->count_ - index - 1) * set->width_);
  // Before the count, from which the present size of the allocation is known.
  set = resize(set, set->count_ - std::size_t{1}, set->width_);
  --set->count_;
  return {set, true};
}

}  // namespace fairlane::data
