#pragma once

#include <cstdint>
#include <string_view>

namespace fairlane::command {

/// A text as a row of bits, zeros behind its end.
inline unsigned byte_at(std::string_view text, std::uint64_t index) noexcept {
  return index < text.size() ? static_cast<unsigned char>(text[static_cast<std::size_t>(index)]) : 0U;
}
/// Bit 0 is the highest of the first byte.
inline bool bit_at(std::string_view text, std::uint64_t offset) noexcept {
  return (byte_at(text, offset >> 3) >> (7 - (offset & 7U)) & 1U) != 0;
}

}  // namespace fairlane::command
