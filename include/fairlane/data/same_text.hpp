#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fairlane::data {

namespace detail {
template <class Word>
bool same_words(const char* a, const char* b, std::size_t last) noexcept {
  Word first_a;
  Word first_b;
  Word last_a;
  Word last_b;
  std::memcpy(&first_a, a, sizeof(Word));
  std::memcpy(&first_b, b, sizeof(Word));
  std::memcpy(&last_a, a + last, sizeof(Word));
  std::memcpy(&last_b, b + last, sizeof(Word));
  return ((first_a ^ first_b) | (last_a ^ last_b)) == 0;
}

/// Not inlined, or the compiler warns of texts that are kept in less room than this branch is about.
[[gnu::noinline]] inline bool same_long_text(const char* a, const char* b, std::size_t length) noexcept {
  return std::memcmp(a, b, length) == 0;
}
}  // namespace detail

/// a == b, without a call for the texts of up to 32 bytes that keys and fields are.
inline bool same_text(std::string_view a, std::string_view b) noexcept {
  const std::size_t length = a.size();
  if (length != b.size()) return false;
  if (length > 32) return detail::same_long_text(a.data(), b.data(), length);
  if (length > 16) {
    return detail::same_words<std::uint64_t>(a.data(), b.data(), 8) &&
           detail::same_words<std::uint64_t>(a.data() + length - 16, b.data() + length - 16, 8);
  }
  if (length >= 8) return detail::same_words<std::uint64_t>(a.data(), b.data(), length - 8);
  if (length >= 4) return detail::same_words<std::uint32_t>(a.data(), b.data(), length - 4);
  if (length >= 2) return detail::same_words<std::uint16_t>(a.data(), b.data(), length - 2);
  return length == 0 || a.front() == b.front();
}

}  // namespace fairlane::data
