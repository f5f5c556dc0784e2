#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fairlane/base/number.hpp"
#include "scripting/libraries/json.hpp"
#include "scripting/libraries/text_builder.hpp"

namespace fairlane::scripting {
namespace {

constexpr std::size_t kNumberRoom = 64;

class Encoder {
 public:
  explicit Encoder(lua_State* lua) : lua_(lua), settings_(json_settings(lua)), out_(lua), work_(lua) {}

  /// The value at the top of the stack, which stays there.
  void add_value(int depth) {
    work_.step();
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        return add_string();
      case LUA_TNUMBER:
        return add_number();
      case LUA_TBOOLEAN:
        return out_.append(lua_toboolean(lua_, -1) != 0 ? "true" : "false");
      case LUA_TTABLE:
        return add_table(depth + 1);
      case LUA_TNIL:
        return out_.append("null");
      case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(lua_, -1) == nullptr) return out_.append("null");
        [[fallthrough]];
      default:
        fail("type not supported");
    }
  }
  void push() { out_.push(); }

 private:
  /// Of the value at the top of the stack.
  [[noreturn]] void fail(const char* reason) {
    luaL_error(lua_, "Cannot serialise %s: %s", luaL_typename(lua_, -1), reason);
    std::abort();
  }

  void add_string() {
    constexpr std::string_view kHex = "0123456789abcdef";
    std::size_t size = 0;
    const char* text = lua_tolstring(lua_, -1, &size);
    constexpr std::size_t kLongestEscape = 6;
    char* begin = out_.room(size * kLongestEscape + 2);
    char* p = begin;
    *p++ = '"';
    for (std::size_t i = 0; i < size; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      const char letter = escape_of(c);
      if (letter == 0) {
        *p++ = static_cast<char>(c);
      } else {
        *p++ = '\\';
        *p++ = letter;
        if (letter != 'u') continue;
        *p++ = '0';
        *p++ = '0';
        *p++ = kHex[c >> 4];
        *p++ = kHex[c & 15U];
      }
    }
    *p++ = '"';
    out_.grow_by(static_cast<std::size_t>(p - begin));
  }

  /// The letter behind the backslash; 0 when the character needs none.
  static char escape_of(unsigned char c) noexcept {
    if (c >= 0x20 && c != '"' && c != '\\' && c != '/' && c != 0x7f) return 0;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        return static_cast<char>(c);
      case '\b':
        return 'b';
      case '\t':
        return 't';
      case '\n':
        return 'n';
      case '\f':
        return 'f';
      case '\r':
        return 'r';
      default:
        return 'u';
    }
  }

  void add_number() {
    const double value = lua_tonumber(lua_, -1);
    if (std::isfinite(value)) return add_digits(value);
    if (settings_.encode_invalid == InvalidNumbers::refuse) fail("must not be NaN or Inf");
    if (settings_.encode_invalid == InvalidNumbers::null) return out_.append("null");
    out_.append(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
  }

  void add_digits(double value) {
    constexpr double kShort = 1e14;  // as many digits as the usual precision
    if (settings_.precision == 14 && value == std::floor(value) && std::abs(value) < kShort &&
        !(value == 0 && std::signbit(value))) {
      return out_.append(base::NumberText(static_cast<std::int64_t>(value)).view());
    }
    char* to = out_.room(kNumberRoom);
    out_.grow_by(static_cast<std::size_t>(std::snprintf(to, kNumberRoom, "%.*g", settings_.precision, value)));
  }

  /// The size of a table that is an array, whose keys are all positive integers; -1 when it is none.
  int array_size() {
    double largest = 0;
    int count = 0;
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      const double key = lua_type(lua_, -2) == LUA_TNUMBER ? lua_tonumber(lua_, -2) : 0;
      if (!(key >= 1) || std::floor(key) != key) {
        lua_pop(lua_, 2);
        return -1;
      }
      if (key > largest) largest = key;
      ++count;
      work_.step();
    }
    const bool sparse = settings_.sparse_ratio > 0 && largest > static_cast<double>(count) * settings_.sparse_ratio &&
                        largest > settings_.sparse_safe;
    if (sparse) {
      if (!settings_.convert_sparse) fail("excessively sparse array");
      return -1;
    }
    if (largest > INT_MAX) fail("excessively sparse array");
    return static_cast<int>(largest);
  }

  void add_table(int depth) {
    if (depth > settings_.encode_depth || lua_checkstack(lua_, 4) == 0 || depth > kDeepest) {
      luaL_error(lua_, "Cannot serialise, excessive nesting (%d)", depth);
    }
    const int size = array_size();
    size > 0 ? add_array(size, depth) : add_object(depth);
  }

  void add_array(int size, int depth) {
    out_.append('[');
    for (int i = 1; i <= size; ++i) {
      if (i > 1) out_.append(',');
      lua_rawgeti(lua_, -1, i);
      add_value(depth);
      lua_pop(lua_, 1);
    }
    out_.append(']');
  }

  void add_object(int depth) {
    out_.append('{');
    bool first = true;
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      if (!first) out_.append(',');
      first = false;
      add_key();
      add_value(depth);
    }
    out_.append('}');
  }

  /// Below the value at the top of the stack.
  void add_key() {
    const int type = lua_type(lua_, -2);
    if (type == LUA_TSTRING) {
      lua_pushvalue(lua_, -2);
      add_string();
      lua_pop(lua_, 1);
    } else if (type == LUA_TNUMBER) {
      lua_pushvalue(lua_, -2);
      out_.append('"');
      add_number();
      out_.append('"');
      lua_pop(lua_, 1);
    } else {
      fail_key();
    }
    out_.append(':');
  }
  void fail_key() {
    luaL_error(lua_, "Cannot serialise %s: table key must be a number or string", luaL_typename(lua_, -2));
  }

  /// Whatever a script sets, the process' stack is finite.
  static constexpr int kDeepest = 4000;

  lua_State* lua_;
  const JsonSettings& settings_;
  TextBuilder out_;
  WorkMeter work_;
};

}  // namespace

int json_encode(lua_State* lua) {
  luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
  Encoder encoder(lua);
  lua_pushvalue(lua, 1);
  encoder.add_value(0);
  encoder.push();
  return 1;
}

}  // namespace fairlane::scripting
