#include "fairlane/protocol/request_parser.hpp"

#include <algorithm>
#include <cstring>

namespace fairlane::protocol {
namespace {

/// A length as Redis reads one: canonical decimal, optional minus. False when it is not a number or too long.
bool read_length(const char* p, const char* end, std::int64_t& value) noexcept {
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  if (p == end || end - p > 18) return false;
  if (*p == '0' && end - p > 1) return false;
  std::int64_t result = 0;
  for (; p != end; ++p) {
    const auto digit = static_cast<unsigned char>(*p - '0');
    if (digit > 9) return false;
    result = result * 10 + digit;
  }
  if (negative && result == 0) return false;
  value = negative ? -result : result;
  return true;
}

/// The carriage return that ends the line starting at p, or null. The byte behind it must be there as well.
const char* line_end(const char* p, const char* end) noexcept {
  // Length lines are short: look at the first bytes by hand before calling memchr.
  for (const char* q = p; q < end && q < p + 12; ++q) {
    if (*q == '\r') return q + 1 < end ? q : nullptr;
  }
  const auto* found = static_cast<const char*>(std::memchr(p, '\r', static_cast<std::size_t>(end - p)));
  return found != nullptr && found + 1 < end ? found : nullptr;
}

/// Reads the length line at p ("*3\r\n") when it is one of one or two digits and is there as a whole, as nearly all
/// are; returns the byte behind it, or null for everything else.
inline const char* short_length(const char* p, const char* end, std::int64_t& value) noexcept {
  if (end - p < 5) return nullptr;
  const auto high = static_cast<unsigned char>(p[1] - '0');
  if (high > 9) return nullptr;
  if (p[2] == '\r') {
    value = high;
    return p + 4;
  }
  const auto low = static_cast<unsigned char>(p[2] - '0');
  if (low > 9 || high == 0 || p[3] != '\r') return nullptr;
  value = high * 10 + low;
  return p + 5;
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r'; }

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char unescaped(char c) noexcept {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

/// Reads a quoted piece whose opening quote was passed; leaves `i` behind the closing one. False when it is unbalanced.
bool quoted_piece(std::string_view line, std::size_t& i, char quote, std::string& bytes) {
  while (i < line.size()) {
    const char c = line[i];
    if (c == quote) {
      ++i;
      return i == line.size() || is_blank(line[i]);
    }
    if (quote == '"' && c == '\\' && i + 3 < line.size() && line[i + 1] == 'x' && hex_digit(line[i + 2]) >= 0 &&
        hex_digit(line[i + 3]) >= 0) {
      bytes.push_back(static_cast<char>(hex_digit(line[i + 2]) * 16 + hex_digit(line[i + 3])));
      i += 4;
    } else if (quote == '"' && c == '\\' && i + 1 < line.size()) {
      bytes.push_back(unescaped(line[i + 1]));
      i += 2;
    } else if (quote == '\'' && c == '\\' && i + 1 < line.size() && line[i + 1] == '\'') {
      bytes.push_back('\'');
      i += 2;
    } else {
      bytes.push_back(c);
      ++i;
    }
  }
  return false;
}

}  // namespace

bool split_words(std::string_view line, std::string& bytes, std::vector<std::size_t>& lengths) {
  std::size_t i = 0;
  for (;;) {
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i == line.size()) return true;
    const std::size_t start = bytes.size();
    while (i < line.size() && !is_blank(line[i])) {
      const char c = line[i];
      if (c == '"' || c == '\'') {
        ++i;
        if (!quoted_piece(line, i, c, bytes)) return false;
        break;
      }
      bytes.push_back(c);
      ++i;
    }
    lengths.push_back(bytes.size() - start);
  }
}

void RequestParser::restart() noexcept {
  position_ = 0;
  left_ = 0;
  bulk_length_ = -1;
  missing_ = 0;
  pending_.clear();
}

RequestParser::Step RequestParser::fail(std::string text) {
  error_ = std::move(text);
  return Step::broken;
}

RequestParser::Step RequestParser::next(std::string_view input, const RequestLimits& limits, bool authenticated,
                                        Arguments& arguments) {
  if (input.empty()) return Step::incomplete;
  was_inline_ = input[0] != '*';
  return was_inline_ ? inline_request(input, limits, arguments) : multibulk(input, limits, authenticated, arguments);
}

inline RequestParser::Step RequestParser::read_bulk_length(const char*& p, const char* end, const RequestLimits& limits,
                                                           bool authenticated) {
  std::int64_t length = 0;
  const char* behind = short_length(p, end, length);
  const char* stop = behind != nullptr ? behind - 2 : p < end ? line_end(p, end) : nullptr;
  if (stop == nullptr) {
    const bool too_long = static_cast<std::size_t>(end - p) > limits.max_inline_length;
    return too_long ? fail("Protocol error: too big bulk count string") : Step::incomplete;
  }
  if (*p != '$') return fail(std::string("Protocol error: expected '$', got '") + *p + "'");
  if ((behind == nullptr && !read_length(p + 1, stop, length)) || length < 0 || length > limits.max_bulk_length) {
    return fail("Protocol error: invalid bulk length");
  }
  if (length > kUnauthenticatedMaxBulkLength && !authenticated) {
    return fail("Protocol error: unauthenticated bulk length");
  }
  p = stop + 2;
  bulk_length_ = length;
  return Step::complete;
}

RequestParser::Step RequestParser::multibulk(std::string_view input, const RequestLimits& limits, bool authenticated,
                                             Arguments& arguments) {
  const char* const begin = input.data();
  const char* const end = begin + input.size();
  const char* p = begin + position_;
  const std::size_t first = arguments.size();

  if (left_ == 0) {
    std::int64_t count = 0;
    const char* behind = short_length(p, end, count);
    const char* stop = behind != nullptr ? behind - 2 : line_end(p, end);
    if (stop == nullptr) {
      if (input.size() > limits.max_inline_length) return fail("Protocol error: too big mbulk count string");
      return Step::incomplete;
    }
    if ((behind == nullptr && !read_length(p + 1, stop, count)) || count > limits.max_arguments) {
      return fail("Protocol error: invalid multibulk length");
    }
    if (count > kUnauthenticatedMaxArguments && !authenticated) {
      return fail("Protocol error: unauthenticated multibulk length");
    }
    p = stop + 2;
    if (count <= 0) {
      consumed_ = static_cast<std::size_t>(p - begin);
      return Step::complete;
    }
    left_ = count;
  } else {
    for (const auto& [offset, length] : pending_) arguments.emplace_back(begin + offset, length);
    pending_.clear();
  }

  const auto wait_for_more = [&] {
    position_ = static_cast<std::size_t>(p - begin);
    for (std::size_t i = first; i < arguments.size(); ++i) {
      pending_.emplace_back(static_cast<std::size_t>(arguments[i].data() - begin), arguments[i].size());
    }
    arguments.resize(first);
    return Step::incomplete;
  };

  while (left_ > 0) {
    if (bulk_length_ < 0) {
      const Step step = read_bulk_length(p, end, limits, authenticated);
      if (step != Step::complete) return step == Step::incomplete ? wait_for_more() : step;
    }
    const auto needed = static_cast<std::size_t>(bulk_length_) + 2;
    if (static_cast<std::size_t>(end - p) < needed) {
      missing_ = needed - static_cast<std::size_t>(end - p);
      return wait_for_more();
    }
    arguments.emplace_back(p, static_cast<std::size_t>(bulk_length_));
    p += needed;
    bulk_length_ = -1;
    --left_;
  }
  consumed_ = static_cast<std::size_t>(p - begin);
  position_ = 0;
  missing_ = 0;
  return Step::complete;
}

RequestParser::Step RequestParser::inline_request(std::string_view input, const RequestLimits& limits,
                                                  Arguments& arguments) {
  // Redis looks for the end of the line in a C string: behind a NUL there is none, however many lines may follow.
  const std::size_t newline = input.find('\n', position_);
  const std::size_t nul = input.substr(0, newline).find('\0', position_);
  if (newline == std::string_view::npos || nul != std::string_view::npos) {
    if (input.size() > limits.max_inline_length) return fail("Protocol error: too big inline request");
    position_ = std::min(nul, input.size());
    return Step::incomplete;
  }
  restart();
  consumed_ = newline + 1;
  std::string_view line = input.substr(0, newline);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::vector<std::size_t> lengths;
  inline_bytes_.clear();
  if (!split_words(line, inline_bytes_, lengths)) return fail("Protocol error: unbalanced quotes in request");
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    arguments.emplace_back(inline_bytes_.data() + at, length);
    at += length;
  }
  return Step::complete;
}

}  // namespace fairlane::protocol
