#include "server/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fairlane::server {
namespace {

bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::pair<char, char>, 5> kEscapes = {
    {{'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'b', '\b'}, {'a', '\a'}}};

/// Cuts one word after another off the front of a line.
class WordReader {
 public:
  explicit WordReader(std::string_view line) noexcept : rest_(line) {}

  void skip_blanks() noexcept {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }
  bool done() const noexcept { return rest_.empty(); }

  bool read(std::string& word) {
    while (!rest_.empty() && !is_space(rest_.front()) && rest_.front() != '\0') {
      const char c = take();
      if (c == '"') return double_quoted(word);
      if (c == '\'') return single_quoted(word);
      word += c;
    }
    return true;
  }

 private:
  char take() noexcept {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool ends_here() const noexcept { return rest_.empty() || is_space(rest_.front()); }

  bool double_quoted(std::string& word) {
    while (!rest_.empty()) {
      const char c = take();
      if (c == '"') return ends_here();
      if (c != '\\' || rest_.empty()) {
        word += c;
      } else {
        word += escaped();
      }
    }
    return false;
  }

  char escaped() noexcept {
    if (rest_.size() >= 3 && rest_[0] == 'x' && hex_digit(rest_[1]) >= 0 && hex_digit(rest_[2]) >= 0) {
      const int byte = hex_digit(rest_[1]) * 16 + hex_digit(rest_[2]);
      rest_.remove_prefix(3);
      return static_cast<char>(byte);
    }
    const char c = take();
    const auto known = std::find_if(kEscapes.begin(), kEscapes.end(), [c](auto escape) { return escape.first == c; });
    return known != kEscapes.end() ? known->second : c;
  }

  bool single_quoted(std::string& word) {
    while (!rest_.empty()) {
      const char c = take();
      if (c == '\'') return ends_here();
      if (c == '\\' && !rest_.empty() && rest_.front() == '\'') {
        word += take();
      } else {
        word += c;
      }
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  WordReader reader(line);
  for (reader.skip_blanks(); !reader.done(); reader.skip_blanks()) {
    if (!reader.read(words.emplace_back())) return std::nullopt;
  }
  return words;
}

std::string in_quotes(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto known = std::find_if(kEscapes.begin(), kEscapes.end(), [c](auto escape) { return escape.second == c; });
    if (known != kEscapes.end()) {
      out += '\\';
      out += known->first;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out + '"';
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
