#pragma once

#include <string>
#include <string_view>

namespace fairlane::base {

enum class Case : bool { sensitive, ignored };

/// Whether the whole text matches a glob pattern: '*', '?', '[abc]', '[^a-c]' (ends in either order), '\' before a byte
/// to take it literally. Patterns of KEYS, SCAN, PSUBSCRIBE and CONFIG GET mean exactly what they mean to Redis 7.0,
/// with its corners: a class that is not closed ends with the pattern, ranges compare bytes as signed, an escaped byte
/// in a class minds the case, and an empty text matches only an empty pattern.
/// Costs at most |pattern| * |text| steps, whatever the pattern; allocates nothing.
bool glob_match(std::string_view pattern, std::string_view text, Case text_case = Case::sensitive) noexcept;

/// ASCII only: bytes above 127 equal only themselves.
constexpr char to_lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
}
std::string to_lower(std::string_view text);
bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

}  // namespace fairlane::base
