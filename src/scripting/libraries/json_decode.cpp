#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "scripting/libraries/json.hpp"
#include "scripting/libraries/text_builder.hpp"

namespace fairlane::scripting {
namespace {

enum class Token : std::uint8_t {
  object_begin,
  object_end,
  array_begin,
  array_end,
  string,
  number,
  boolean,
  null,
  colon,
  comma,
  end,
  error,
};

const char* name_of(Token token) noexcept {
  static constexpr const char* kNames[] = {"T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END",
                                           "T_STRING",    "T_NUMBER",  "T_BOOLEAN",   "T_NULL",
                                           "T_COLON",     "T_COMMA",   "T_END",       "T_ERROR"};
  return kNames[static_cast<std::size_t>(token)];
}

/// Reads text that ends with a NUL, as Lua's strings do; a NUL within is the end as well.
class Decoder {
 public:
  Decoder(lua_State* lua, std::string_view text)
      : lua_(lua), settings_(json_settings(lua)), begin_(text.data()), at_(text.data()), text_(lua), work_(lua) {}

  /// Pushes the value of the whole text.
  void decode() {
    next();
    push_value();
    next();
    if (token_ != Token::end) expected("the end");
  }

 private:
  [[noreturn]] void expected(const char* what) {
    const char* found = token_ == Token::error ? fault_ : name_of(token_);
    luaL_error(lua_, "Expected %s but found %s at character %d", what, found, static_cast<int>(token_at_ - begin_) + 1);
    std::abort();
  }

  void fault(const char* what, const char* where) noexcept {
    token_ = Token::error;
    fault_ = what;
    token_at_ = where;
  }

  bool take_word(std::string_view word) noexcept {
    if (std::strncmp(at_, word.data(), word.size()) != 0) return false;
    at_ += word.size();
    return true;
  }

  void take(Token token) noexcept {
    token_ = token;
    ++at_;
  }

  void next() {
    work_.step();
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') ++at_;
    token_at_ = at_;
    switch (*at_) {
      case '{':
        return take(Token::object_begin);
      case '}':
        return take(Token::object_end);
      case '[':
        return take(Token::array_begin);
      case ']':
        return take(Token::array_end);
      case ',':
        return take(Token::comma);
      case ':':
        return take(Token::colon);
      case '"':
        return read_string();
      case '\0':
        token_ = Token::end;
        return;
      default:
        return read_word();
    }
  }

  void read_word() {
    const bool digit = std::isdigit(static_cast<unsigned char>(*at_)) != 0;
    if (digit || *at_ == '-') {
      if (settings_.decode_invalid == InvalidNumbers::refuse && invalid_number()) {
        return fault("invalid number", at_);
      }
      return read_number();
    }
    if (take_word("true")) {
      token_ = Token::boolean;
      truth_ = true;
    } else if (take_word("false")) {
      token_ = Token::boolean;
      truth_ = false;
    } else if (take_word("null")) {
      token_ = Token::null;
    } else if (settings_.decode_invalid != InvalidNumbers::refuse && invalid_number()) {
      read_number();
    } else {
      fault("invalid token", at_);
    }
  }

  /// What strtod() reads and JSON does not know: hexadecimal numbers, leading zeros, infinities, no numbers.
  bool invalid_number() const noexcept {
    const char* p = at_;
    if (*p == '+') return true;
    if (*p == '-') ++p;
    if (*p == '0') return (p[1] | 0x20) == 'x' || std::isdigit(static_cast<unsigned char>(p[1])) != 0;
    if (*p <= '9') return false;
    return same_letters(p, "inf") || same_letters(p, "nan");
  }
  static bool same_letters(const char* p, std::string_view word) noexcept {
    for (const char c : word) {
      if ((*p++ | 0x20) != c) return false;
    }
    return true;
  }

  /// A plain integer that a double holds exactly: most numbers are.
  bool read_integer() noexcept {
    constexpr int kExact = 15;  // digits
    const char* p = at_;
    const bool negative = *p == '-';
    if (negative) ++p;
    const char* first = p;
    std::int64_t value = 0;
    while (*p >= '0' && *p <= '9' && p - first <= kExact) value = value * 10 + (*p++ - '0');
    const bool more = *p == '.' || (*p | 0x20) == 'e' || (*p | 0x20) == 'x';
    if (p == first || p - first > kExact || more || (negative && value == 0)) return false;
    number_ = static_cast<double>(negative ? -value : value);
    token_ = Token::number;
    at_ = p;
    return true;
  }

  void read_number() {
    if (read_integer()) return;
    char* end = nullptr;
    number_ = std::strtod(at_, &end);
    if (end == at_) return fault("invalid number", at_);
    token_ = Token::number;
    at_ = end;
  }

  void push_string() { lua_pushlstring(lua_, string_.data(), string_.size()); }

  static const char* skip_plain(const char* p) noexcept {
    while (*p != '"' && *p != '\\' && *p != '\0') ++p;
    return p;
  }

  void read_string() {
    const char* plain = at_ + 1;
    const char* p = skip_plain(plain);
    if (*p == '\\') return read_escaped(plain, p);
    if (*p == '\0') return fault("unexpected end of string", p);
    string_ = {plain, static_cast<std::size_t>(p - plain)};
    at_ = p + 1;
    token_ = Token::string;
  }

  /// A string whose first backslash is at `p`.
  void read_escaped(const char* plain, const char* p) {
    text_.clear();
    for (;;) {
      text_.append({plain, static_cast<std::size_t>(p - plain)});
      if (*p == '"') break;
      if (*p == '\0') return fault("unexpected end of string", p);
      if (!read_escape(p)) return;
      plain = p;
      p = skip_plain(p);
    }
    string_ = text_.view();
    at_ = p + 1;
    token_ = Token::string;
  }

  bool read_escape(const char*& p) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char letter = p[1];
    if (letter == 'u') return read_unicode(p);
    const std::size_t which = letter == '\0' ? std::string_view::npos : kLetters.find(letter);
    if (which == std::string_view::npos) {
      fault("invalid escape code", p);
      return false;
    }
    text_.append(kMeant[which]);
    p += 2;
    return true;
  }

  /// Four hexadecimal digits; -1 when they are not there.
  static int hex4(const char* p) noexcept {
    int value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = p[i];
      if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return -1;
      value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
  }

  /// `\uXXXX`, two of them for a character beyond 16 bits.
  bool read_unicode(const char*& p) {
    constexpr const char* kFault = "invalid unicode escape code";
    int code = hex4(p + 2);
    std::size_t size = 6;
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (surrogate) {
      const int low = code < 0xDC00 && p[6] == '\\' && p[7] == 'u' ? hex4(p + 8) : -1;
      code = low >= 0xDC00 && low < 0xE000 ? ((code - 0xD800) << 10) + (low - 0xDC00) + 0x10000 : -1;
      size = 12;
    }
    if (code < 0) {
      fault(kFault, p);
      return false;
    }
    append_utf8(static_cast<unsigned>(code));
    p += size;
    return true;
  }

  void append_utf8(unsigned code) {
    const auto rest = [&](int shift) { text_.append(static_cast<char>(0x80U | ((code >> shift) & 0x3FU))); };
    if (code < 0x80) {
      text_.append(static_cast<char>(code));
    } else if (code < 0x800) {
      text_.append(static_cast<char>(0xC0U | code >> 6));
      rest(0);
    } else if (code < 0x10000) {
      text_.append(static_cast<char>(0xE0U | code >> 12));
      rest(6);
      rest(0);
    } else {
      text_.append(static_cast<char>(0xF0U | code >> 18));
      rest(12);
      rest(6);
      rest(0);
    }
  }

  /// The value that begins with the current token.
  void push_value() {
    switch (token_) {
      case Token::string:
        return push_string();
      case Token::number:
        return lua_pushnumber(lua_, number_);
      case Token::boolean:
        return lua_pushboolean(lua_, truth_ ? 1 : 0);
      case Token::null:
        return lua_pushlightuserdata(lua_, nullptr);
      case Token::object_begin:
        return push_object();
      case Token::array_begin:
        return push_array();
      default:
        expected("value");
    }
  }

  /// A table and what is pushed above it. Lua's stack ends before the process' does, whatever a script sets.
  void go_deeper(int slots) {
    ++depth_;
    if (depth_ <= settings_.decode_depth && lua_checkstack(lua_, slots) != 0) return;
    luaL_error(lua_, "Found too many nested data structures (%d) at character %d", depth_,
               static_cast<int>(at_ - begin_));
  }

  void push_object() {
    go_deeper(3);
    lua_newtable(lua_);
    next();
    if (token_ != Token::object_end) {
      for (;;) {
        if (token_ != Token::string) expected("object key string");
        push_string();
        next();
        if (token_ != Token::colon) expected("colon");
        next();
        push_value();
        lua_rawset(lua_, -3);
        next();
        if (token_ == Token::object_end) break;
        if (token_ != Token::comma) expected("comma or object end");
        next();
      }
    }
    --depth_;
  }

  void push_array() {
    go_deeper(2);
    lua_newtable(lua_);
    next();
    if (token_ != Token::array_end) {
      for (int i = 1;; ++i) {
        push_value();
        lua_rawseti(lua_, -2, i);
        next();
        if (token_ == Token::array_end) break;
        if (token_ != Token::comma) expected("comma or array end");
        next();
      }
    }
    --depth_;
  }

  lua_State* lua_;
  const JsonSettings& settings_;
  const char* begin_;
  const char* at_;
  Token token_ = Token::end;
  const char* token_at_ = nullptr;
  const char* fault_ = nullptr;
  double number_ = 0;
  bool truth_ = false;
  int depth_ = 0;
  std::string_view string_;  // that was read last, in the input or in text_
  TextBuilder text_;
  WorkMeter work_;
};

}  // namespace

int json_decode(lua_State* lua) {
  luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  if (size >= 2 && (text[0] == '\0' || text[1] == '\0')) {
    return luaL_error(lua, "JSON parser does not support UTF-16 or UTF-32");
  }
  Decoder decoder(lua, {text, size});
  decoder.decode();
  return 1;
}

}  // namespace fairlane::scripting
