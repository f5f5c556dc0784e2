#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace fairlane::base {

namespace detail {
/// Not inlined, or the compiler warns of room that is too small for texts which never come this way.
[[gnu::noinline]] inline void copy_long_text(char* to, const char* from, std::size_t size) noexcept {
  std::memcpy(to, from, size);
}
/// The first and the last `size` bytes, which meet or overlap.
template <std::size_t size>
void copy_ends(char* to, const char* from, std::size_t last) noexcept {
  char first_bytes[size];
  char last_bytes[size];
  std::memcpy(first_bytes, from, size);
  std::memcpy(last_bytes, from + last, size);
  std::memcpy(to, first_bytes, size);
  std::memcpy(to + last, last_bytes, size);
}
}  // namespace detail

/// Copies a text to where there is room for it and returns the end, without a call for the short texts that names and
/// ids are. The two do not overlap.
inline char* copy_text(char* to, std::string_view text) noexcept {
  const std::size_t size = text.size();
  if (size > 32) {
    detail::copy_long_text(to, text.data(), size);
  } else if (size >= 16) {
    detail::copy_ends<16>(to, text.data(), size - 16);
  } else if (size >= 8) {
    detail::copy_ends<8>(to, text.data(), size - 8);
  } else if (size >= 4) {
    detail::copy_ends<4>(to, text.data(), size - 4);
  } else if (size >= 2) {
    detail::copy_ends<2>(to, text.data(), size - 2);
  } else if (size == 1) {
    *to = text.front();
  }
  return to + size;
}

}  // namespace fairlane::base
