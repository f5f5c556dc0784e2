#include <array>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fairlane/base/number.hpp"
#include "scripting/libraries/json.hpp"
#include "scripting/libraries/text_builder.hpp"
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

constexpr std::size_t kNumberRoom = 64;

/// The letter behind the backslash for each character; 0 when it needs none.
constexpr std::array<char, 256> escapes() noexcept {
  std::array<char, 256> letters{};
  for (std::size_t c = 0; c < 0x20; ++c) letters[c] = 'u';
  letters[0x7f] = 'u';
  letters['\b'] = 'b';
  letters['\t'] = 't';
  letters['\n'] = 'n';
  letters['\f'] = 'f';
  letters['\r'] = 'r';
  for (const char c : {'"', '\\', '/'}) letters[static_cast<unsigned char>(c)] = c;
  return letters;
}
constexpr std::array<char, 256> kEscapes = escapes();

class Encoder {
 public:
  explicit Encoder(lua_State* lua) : lua_(lua), settings_(json_settings(lua)), out_(lua), work_(lua) {}

  /// The value at the top of the stack; what is there afterwards is to be popped.
  void add_value(int depth) {
    work_.step();
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        return add_string(-1);
      case LUA_TNUMBER:
        return add_number(-1);
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
  [[noreturn]] void fail(const char* reason, int index = -1) {
    luaL_error(lua_, "Cannot serialise %s: %s", luaL_typename(lua_, index), reason);
    std::abort();
  }

  /// The string at this index of the stack.
  void add_string(int index) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua_, index, &size);
    char* p = out_.room(size + 2);
    *p++ = '"';
    out_.grow_by(1);
    for (const char* end = text + size; text != end;) {
      const char* plain = text;
      while (text != end && kEscapes[static_cast<unsigned char>(*text)] == 0) *p++ = *text++;
      out_.grow_by(static_cast<std::size_t>(text - plain));
      if (text == end) break;
      add_escape(static_cast<unsigned char>(*text++));
      p = out_.room(static_cast<std::size_t>(end - text) + 1);
    }
    out_.append('"');
  }

  void add_escape(unsigned char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const char letter = kEscapes[c];
    if (letter == 'u') {
      const char text[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15U]};
      return out_.append({text, sizeof text});
    }
    out_.append('\\');
    out_.append(letter);
  }

  /// The number at this index of the stack.
  void add_number(int index) {
    const double value = lua_tonumber(lua_, index);
    if (std::isfinite(value)) return add_digits(value);
    if (settings_.encode_invalid == InvalidNumbers::refuse) fail("must not be NaN or Inf", index);
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

  /// The largest index of a table that is an array, whose keys are all positive integers; none above 0 for others.
  int array_size() {
    int largest = 0;
    int count = 0;
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      const double key = lua_type(lua_, -2) == LUA_TNUMBER ? lua_tonumber(lua_, -2) : 0;
      if (!(key >= 1) || std::floor(key) != key) {
        lua_pop(lua_, 2);
        return -1;
      }
      // Redis converts an index beyond 32 bits to the smallest number, which the next index replaces.
      if (key > largest) largest = key <= INT_MAX ? static_cast<int>(key) : INT_MIN;
      ++count;
      work_.step();
    }
    const auto dense = static_cast<int>(static_cast<unsigned>(count) * static_cast<unsigned>(settings_.sparse_ratio));
    const bool sparse = settings_.sparse_ratio > 0 && largest > dense && largest > settings_.sparse_safe;
    if (!sparse) return largest;
    if (!settings_.convert_sparse) fail("excessively sparse array");
    return -1;
  }

  static constexpr int kSlots = 3;  // Redis asks for so many, which decides how deep tables may be

  void add_table(int depth) {
    // Lua's stack ends before the process' does, whatever a script sets.
    if (depth > settings_.encode_depth || lua_checkstack(lua_, kSlots) == 0) {
      luaL_error(lua_, "Cannot serialise, excessive nesting (%d)", depth);
    }
    if (push_guarded(lua_, -1)) lua_replace(lua_, -2);
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
      add_string(-2);
    } else if (type == LUA_TNUMBER) {
      out_.append('"');
      add_number(-2);
      out_.append('"');
    } else {
      fail("table key must be a number or string", -2);
    }
    out_.append(':');
  }

  lua_State* lua_;
  const JsonSettings& settings_;
  TextBuilder out_;
  WorkMeter work_;
};

}  // namespace

int json_encode(lua_State* lua) {
  luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
  Encoder encoder(lua);
  encoder.add_value(0);
  encoder.push();
  return 1;
}

}  // namespace fairlane::scripting
