#include "scripting/pattern.hpp"

#include <cctype>

namespace fairlane::scripting {
namespace {

constexpr char kEscape = '%';
/// Of matches inside one another, each of which takes a piece of the process' stack.
constexpr int kDeepest = 6000;

unsigned char byte(char c) noexcept { return static_cast<unsigned char>(c); }

}  // namespace

std::size_t Pattern::match_at(std::size_t place) {
  level_ = 0;
  depth_ = 0;
  return match(place, 0);
}

/// Where the single character class that begins at `p` ends.
std::size_t Pattern::end_of_class(std::size_t p) {
  const char c = pattern_[p++];
  if (c == kEscape) {
    if (p == pattern_.size()) luaL_error(lua_, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  if (c != '[') return p;
  if (p < pattern_.size() && pattern_[p] == '^') ++p;
  do {  // a ']' that comes first stands for itself
    if (p == pattern_.size()) luaL_error(lua_, "malformed pattern (missing ']')");
    if (pattern_[p++] == kEscape && p < pattern_.size()) ++p;
  } while (p == pattern_.size() || pattern_[p] != ']');
  return p + 1;
}

bool Pattern::in_class(unsigned char c, unsigned char letter) const noexcept {
  bool is = false;
  switch (std::tolower(letter)) {
    case 'a':
      is = std::isalpha(c) != 0;
      break;
    case 'c':
      is = std::iscntrl(c) != 0;
      break;
    case 'd':
      is = std::isdigit(c) != 0;
      break;
    case 'l':
      is = std::islower(c) != 0;
      break;
    case 'p':
      is = std::ispunct(c) != 0;
      break;
    case 's':
      is = std::isspace(c) != 0;
      break;
    case 'u':
      is = std::isupper(c) != 0;
      break;
    case 'w':
      is = std::isalnum(c) != 0;
      break;
    case 'x':
      is = std::isxdigit(c) != 0;
      break;
    case 'z':
      is = c == 0;
      break;
    default:
      return letter == c;
  }
  return std::isupper(letter) != 0 ? !is : is;
}

/// The set from its '[' to its ']', which is at `end`.
bool Pattern::in_set(unsigned char c, std::size_t p, std::size_t end) const noexcept {
  bool found = true;
  if (pattern_[p + 1] == '^') {
    found = false;
    ++p;
  }
  while (++p < end) {
    if (pattern_[p] == kEscape) {
      if (in_class(c, byte(pattern_[++p]))) return found;
    } else if (pattern_[p + 1] == '-' && p + 2 < end) {
      p += 2;
      if (byte(pattern_[p - 2]) <= c && c <= byte(pattern_[p])) return found;
    } else if (byte(pattern_[p]) == c) {
      return found;
    }
  }
  return !found;
}

/// Does the character at `s` belong to the class from `p` to `end`?
bool Pattern::single(std::size_t s, std::size_t p, std::size_t end) const noexcept {
  if (s >= subject_.size()) return false;
  const unsigned char c = byte(subject_[s]);
  switch (pattern_[p]) {
    case '.':
      return true;
    case kEscape:
      return in_class(c, byte(pattern_[p + 1]));
    case '[':
      return in_set(c, p, end - 1);
    default:
      return byte(pattern_[p]) == c;
  }
}

std::size_t Pattern::match_most(std::size_t s, std::size_t p, std::size_t end) {
  std::size_t count = 0;
  while (single(s + count, p, end)) {
    ++count;
    count_step();
  }
  for (;;) {
    const std::size_t found = match(s + count, end + 1);
    if (found != kNone) return found;
    if (count-- == 0) return kNone;
  }
}

std::size_t Pattern::match_least(std::size_t s, std::size_t p, std::size_t end) {
  for (;; ++s) {
    const std::size_t found = match(s, end + 1);
    if (found != kNone) return found;
    if (!single(s, p, end)) return kNone;
    count_step();
  }
}

std::size_t Pattern::open_capture(std::size_t s, std::size_t p, std::size_t kind) {
  if (level_ >= kMostCaptures) luaL_error(lua_, "too many captures");
  captures_[static_cast<std::size_t>(level_++)] = {s, kind};
  const std::size_t found = match(s, p);
  if (found == kNone) --level_;
  return found;
}

std::size_t Pattern::close_capture(std::size_t s, std::size_t p) {
  int which = level_ - 1;
  while (which >= 0 && captures_[static_cast<std::size_t>(which)].size != kOpen) --which;
  if (which < 0) luaL_error(lua_, "invalid pattern capture");
  Capture& capture = captures_[static_cast<std::size_t>(which)];
  capture.size = s - capture.begin;
  const std::size_t found = match(s, p);
  if (found == kNone) capture.size = kOpen;
  return found;
}

/// `%bxy`: from an x to the y that balances it.
std::size_t Pattern::match_balanced(std::size_t s, std::size_t p) {
  if (p + 1 >= pattern_.size()) luaL_error(lua_, "unbalanced pattern");
  if (s >= subject_.size() || subject_[s] != pattern_[p]) return kNone;
  const char open = pattern_[p];
  const char close = pattern_[p + 1];
  std::size_t depth = 1;
  while (++s < subject_.size()) {
    count_step();
    if (subject_[s] == close) {
      if (--depth == 0) return s + 1;
    } else if (subject_[s] == open) {
      ++depth;
    }
  }
  return kNone;
}

std::size_t Pattern::match_back_reference(std::size_t s, unsigned char digit) {
  const int which = digit - '1';
  if (which < 0 || which >= level_ || captures_[static_cast<std::size_t>(which)].size == kOpen) {
    luaL_error(lua_, "invalid capture index");
  }
  const Capture& capture = captures_[static_cast<std::size_t>(which)];
  // A place is no text that could come again.
  if (capture.size == kPosition) return kNone;
  const std::string_view text = subject_.substr(capture.begin, capture.size);
  return subject_.substr(s).starts_with(text) ? s + text.size() : kNone;
}

/// `%f[set]`: between a character outside of the set and one inside; the ends of the subject count as NUL.
bool Pattern::at_frontier(std::size_t s, std::size_t p, std::size_t end) const noexcept {
  const unsigned char before = s == 0 ? 0 : byte(subject_[s - 1]);
  const unsigned char here = s < subject_.size() ? byte(subject_[s]) : 0;
  return !in_set(before, p, end - 1) && in_set(here, p, end - 1);
}

std::size_t Pattern::match(std::size_t s, std::size_t p) {
  if (++depth_ > kDeepest) luaL_error(lua_, "pattern too complex");
  std::size_t found = kNone;
  for (;;) {
    count_step();
    if (p == pattern_.size()) {
      found = s;
      break;
    }
    const char c = pattern_[p];
    if (c == '(') {
      const bool position = p + 1 < pattern_.size() && pattern_[p + 1] == ')';
      found = position ? open_capture(s, p + 2, kPosition) : open_capture(s, p + 1, kOpen);
      break;
    }
    if (c == ')') {
      found = close_capture(s, p + 1);
      break;
    }
    if (c == '$' && p + 1 == pattern_.size()) {
      found = s == subject_.size() ? s : kNone;
      break;
    }
    if (c == kEscape && p + 1 < pattern_.size()) {
      const char kind = pattern_[p + 1];
      if (kind == 'b') {
        s = match_balanced(s, p + 2);
        p += 4;
        if (s == kNone) break;
        continue;
      }
      if (kind == 'f') {
        p += 2;
        if (p >= pattern_.size() || pattern_[p] != '[') luaL_error(lua_, "missing '[' after '%%f' in pattern");
        const std::size_t end = end_of_class(p);
        if (!at_frontier(s, p, end)) break;
        p = end;
        continue;
      }
      if (std::isdigit(byte(kind)) != 0) {
        s = match_back_reference(s, byte(kind));
        p += 2;
        if (s == kNone) break;
        continue;
      }
    }
    const std::size_t end = end_of_class(p);
    const char repeat = end < pattern_.size() ? pattern_[end] : '\0';
    if (repeat == '*') {
      found = match_most(s, p, end);
      break;
    }
    if (repeat == '+') {
      found = single(s, p, end) ? match_most(s + 1, p, end) : kNone;
      break;
    }
    if (repeat == '-') {
      found = match_least(s, p, end);
      break;
    }
    if (repeat == '?') {
      if (single(s, p, end)) {
        found = match(s + 1, end + 1);
        if (found != kNone) break;
      }
      p = end + 1;
      continue;
    }
    if (!single(s, p, end)) break;
    ++s;
    p = end;
  }
  --depth_;
  return found;
}

void Pattern::push_capture(int index, std::size_t begin, std::size_t end) {
  if (index >= level_) {
    if (index != 0) luaL_error(lua_, "invalid capture index");
    lua_pushlstring(lua_, subject_.data() + begin, end - begin);
    return;
  }
  const Capture& capture = captures_[static_cast<std::size_t>(index)];
  if (capture.size == kOpen) luaL_error(lua_, "unfinished capture");
  if (capture.size == kPosition) {
    lua_pushinteger(lua_, static_cast<lua_Integer>(capture.begin) + 1);
  } else {
    lua_pushlstring(lua_, subject_.data() + capture.begin, capture.size);
  }
}

int Pattern::push_captures(std::size_t begin, std::size_t end, bool whole_if_none) {
  const int count = level_ == 0 && whole_if_none ? 1 : level_;
  luaL_checkstack(lua_, count, "too many captures");
  for (int i = 0; i < count; ++i) push_capture(i, begin, end);
  return count;
}

}  // namespace fairlane::scripting
