#include "server/words.hpp"

#include <algorithm>

#include "command/monitors.hpp"
#include "fairlane/protocol/request_parser.hpp"

namespace fairlane::server {

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  std::string bytes;
  std::vector<std::size_t> lengths;
  if (!protocol::split_words(line, bytes, lengths)) return std::nullopt;
  std::vector<std::string> words;
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    words.push_back(bytes.substr(at, length));
    at += length;
  }
  return words;
}

std::string in_quotes(std::string_view text) {
  std::string quoted;
  command::append_quoted(quoted, text);
  return quoted;
}

std::string in_quotes_if_needed(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
  });
  return plain ? std::string(text) : in_quotes(text);
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace fairlane::server
