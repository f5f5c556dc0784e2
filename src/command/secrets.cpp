#include "command/secrets.hpp"

#include <algorithm>

#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

/// Of what a word number is in the result.
constexpr std::size_t kLastBit = 63;

std::uint64_t bit(std::size_t word) noexcept { return std::uint64_t{1} << std::min(word, kLastBit); }

}  // namespace

std::uint64_t secrets_of_auth(std::span<const std::string_view> words) {
  // More words are a mistake that is refused before anybody looks at a password.
  return words.size() == 2 ? bit(1) : words.size() == 3 ? bit(1) | bit(2) : 0;
}

std::uint64_t secrets_of_hello(std::span<const std::string_view> words) {
  // Another version is refused before anybody looks at a password.
  if (words.size() < 2 || (words[1] != "2" && words[1] != "3")) return 0;
  std::uint64_t secrets = 0;
  for (std::size_t i = 2; i + 2 < words.size(); ++i) {
    if (!base::equal_ignoring_case(words[i], "AUTH")) continue;
    secrets |= bit(i + 1) | bit(i + 2);
    i += 2;
  }
  return secrets;
}

}  // namespace fairlane::command
