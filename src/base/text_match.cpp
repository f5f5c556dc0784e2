#include "fairlane/base/text_match.hpp"

#include <algorithm>
#include <cstddef>

namespace fairlane::base {
namespace {

// One step of a pattern: whether the byte fits the element that starts at `at`, and where the next one starts.
struct Step {
  bool fits;
  std::size_t next;
};

constexpr char fold(char byte, Case text_case) noexcept { return text_case == Case::ignored ? to_lower(byte) : byte; }

bool in_range(char first, char last, char byte, Case text_case) noexcept {
  // Signed on every machine, and ordered before the case is folded: so does the original.
  auto low = static_cast<signed char>(first);
  auto high = static_cast<signed char>(last);
  if (low > high) std::swap(low, high);
  const auto fold_signed = [text_case](signed char raw) {
    return static_cast<signed char>(fold(static_cast<char>(raw), text_case));
  };
  const signed char value = fold_signed(static_cast<signed char>(byte));
  return value >= fold_signed(low) && value <= fold_signed(high);
}

// `at` is behind the opening bracket.
Step match_class(std::string_view pattern, std::size_t at, char byte, Case text_case) noexcept {
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  bool found = false;
  while (at < pattern.size() && pattern[at] != ']') {
    const std::size_t left = pattern.size() - at;
    if (pattern[at] == '\\' && left >= 2) {
      found |= pattern[at + 1] == byte;
      at += 2;
    } else if (left >= 3 && pattern[at + 1] == '-') {
      found |= in_range(pattern[at], pattern[at + 2], byte, text_case);
      at += 3;
    } else {
      found |= fold(pattern[at], text_case) == fold(byte, text_case);
      ++at;
    }
  }
  return {found != negated, std::min(at + 1, pattern.size())};
}

Step match_one(std::string_view pattern, std::size_t at, char byte, Case text_case) noexcept {
  switch (pattern[at]) {
    case '?':
      return {true, at + 1};
    case '[':
      return match_class(pattern, at + 1, byte, text_case);
    case '\\':
      if (at + 1 < pattern.size()) ++at;
      break;
    default:
      break;
  }
  return {fold(pattern[at], text_case) == fold(byte, text_case), at + 1};
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text, Case text_case) noexcept {
  if (text.empty()) return pattern.empty();
  constexpr std::size_t kNoStar = std::string_view::npos;
  std::size_t at = 0;
  std::size_t position = 0;
  // Every element but the star takes one byte, so only the last star seen can be worth stretching.
  std::size_t behind_star = kNoStar;
  std::size_t star_position = 0;
  while (position < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      behind_star = ++at;
      star_position = position;
      if (at == pattern.size()) return true;
      continue;
    }
    const Step step = at < pattern.size() ? match_one(pattern, at, text[position], text_case) : Step{false, at};
    if (step.fits) {
      at = step.next;
      ++position;
    } else if (behind_star != kNoStar) {
      at = behind_star;
      position = ++star_position;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

std::string to_lower(std::string_view text) {
  std::string lowered(text);
  for (char& letter : lowered) letter = to_lower(letter);
  return lowered;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  for (std::size_t index = 0; index < left.size(); ++index) {
    if (to_lower(left[index]) != to_lower(right[index])) return false;
  }
  return true;
}

}  // namespace fairlane::base
