#include "testkit/wire_text.hpp"

#include <charconv>
#include <optional>

namespace fairlane::testkit {
namespace {

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\n'; }
bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

char hex_byte(std::string_view digits) {
  unsigned code = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (problem != std::errc{} || digits.size() != 2 || end != digits.data() + 2) {
    throw NotationError("\\x wants two hexadecimal digits");
  }
  return static_cast<char>(code);
}

std::optional<char> simple_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\\':
      return '\\';
    case '"':
      return '"';
    default:
      return std::nullopt;
  }
}

// Escapes that regular expressions do not know themselves.
std::optional<char> pattern_escape(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '/':
      return '/';
    default:
      return std::nullopt;
  }
}

std::string unescape(std::string_view body) {
  std::string out;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      out += body[i];
      continue;
    }
    const char letter = i + 1 < body.size() ? body[++i] : '\0';
    if (letter == 'x') {
      out += hex_byte(body.substr(i + 1, 2));
      i += 2;
    } else if (const auto byte = simple_escape(letter)) {
      out += *byte;
    } else {
      throw NotationError(std::string("unknown escape \\") + letter);
    }
  }
  return out;
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

void Variables::set(std::string_view name, std::string text) {
  for (auto& [known, value] : texts_) {
    if (known == name) {
      value = std::move(text);
      return;
    }
  }
  texts_.emplace_back(name, std::move(text));
}

std::string Variables::fill(std::string_view text) const {
  std::string out(text);
  for (const auto& [name, value] : texts_) {
    const std::string reference = "${" + name + '}';
    for (auto at = out.find(reference); at != std::string::npos; at = out.find(reference, at + value.size())) {
      out.replace(at, reference.size(), value);
    }
  }
  return out;
}

bool TextScanner::more() {
  while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  return position_ < text_.size();
}

bool TextScanner::take(std::string_view prefix) {
  if (!starts_with(prefix)) return false;
  position_ += prefix.size();
  return true;
}

// What stands between two quotes, the cursor being at the first one; a backslash shields the byte after it.
std::string_view TextScanner::enclosed(char quote) {
  const std::size_t start = ++position_;
  while (position_ < text_.size() && text_[position_] != quote) {
    if (text_[position_] == '\\' && quote != '\'') ++position_;
    ++position_;
  }
  if (position_ >= text_.size()) throw NotationError(std::string("unclosed ") + quote);
  return text_.substr(start, position_++ - start);
}

std::string TextScanner::quoted() {
  if (starts_with("'")) return std::string(enclosed('\''));
  if (!starts_with("\"")) throw NotationError("a quoted text is wanted at: " + std::string(rest().substr(0, 30)));
  std::string text = unescape(variables_.fill(enclosed('"')));
  if (rest().size() < 2 || rest()[0] != '*' || !is_digit(rest()[1])) return text;
  skip(1);
  const std::string_view digits = run(is_digit);
  std::size_t times = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), times);
  return repeat(text, times);
}

std::string TextScanner::pattern() {
  const std::string body = variables_.fill(enclosed('/'));
  std::string out;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
    } else if (const auto byte = pattern_escape(body[++i])) {
      out += *byte;
    } else {
      out += '\\';
      out += body[i];
    }
  }
  return out;
}

std::vector<std::string> split_arguments(std::string_view text, const Variables& variables) {
  std::vector<std::string> arguments;
  TextScanner scanner(text, variables);
  while (scanner.more()) {
    std::string argument;
    while (!scanner.rest().empty() && !is_blank(scanner.rest().front())) {
      const char first = scanner.rest().front();
      if (first == '"' || first == '\'') {
        argument += scanner.quoted();
      } else {
        const auto bare = scanner.run([](char byte) { return !is_blank(byte) && byte != '"' && byte != '\''; });
        argument += variables.fill(bare);
      }
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string join_quoted(std::string_view text, const Variables& variables) {
  std::string bytes;
  TextScanner scanner(text, variables);
  while (scanner.more()) bytes += scanner.quoted();
  return bytes;
}

}  // namespace fairlane::testkit
