// reply_reader.cpp - the value that a script gets for a reply.
#include <cstdint>

#include "fairlane/base/assert.hpp"
#include "fairlane/base/number.hpp"
#include "scripting/environment.hpp"

namespace fairlane::scripting {
namespace {

/// Reads one reply after another. The bytes come from our own Reply, so they are well formed.
class ReplyReader {
 public:
  ReplyReader(lua_State* lua, std::string_view bytes, bool has_nil) noexcept
      : lua_(lua), at_(bytes.data()), has_nil_(has_nil) {}

  /// Pushes one value.
  void push() {
    luaL_checkstack(lua_, 6, "reply is nested too deep");
    switch (*at_++) {
      case ':':
        return lua_pushnumber(lua_, static_cast<double>(number()));
      case '$':
        return push_bulk();
      case '*':
        return push_array();
      case '+':
        return push_field("ok", line());
      case '-':
        return push_failure();
      case '_':
        line();
        return lua_pushnil(lua_);
      case '#':
        return lua_pushboolean(lua_, line() == "t" ? 1 : 0);
      case ',':
        return push_double();
      case '(':
        return push_field("big_number", line());
      case '=':
        return push_verbatim();
      case '%':
        return push_map();
      case '~':
        return push_set();
      default:
        FAIRLANE_ASSERT(at_ == nullptr);  // a kind that Reply does not write
    }
  }

 private:
  std::string_view line() noexcept {
    const char* begin = at_;
    while (*at_ != '\r') ++at_;
    const std::string_view text(begin, static_cast<std::size_t>(at_ - begin));
    at_ += 2;
    return text;
  }
  std::int64_t number() noexcept {
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    std::uint64_t value = 0;
    while (*at_ != '\r') value = value * 10 + static_cast<std::uint64_t>(*at_++ - '0');
    at_ += 2;
    return static_cast<std::int64_t>(negative ? 0 - value : value);
  }
  std::string_view bytes(std::size_t size) noexcept {
    const std::string_view text(at_, size);
    at_ += size + 2;
    return text;
  }

  void push_text(std::string_view text) { lua_pushlstring(lua_, text.data(), text.size()); }
  /// {name = text}
  void push_field(const char* name, std::string_view text) {
    lua_createtable(lua_, 0, 1);
    push_text(text);
    lua_setfield(lua_, -2, name);
  }
  void push_bulk() {
    const std::int64_t size = number();
    if (size < 0) return lua_pushboolean(lua_, 0);
    push_text(bytes(static_cast<std::size_t>(size)));
  }
  void push_array() {
    const std::int64_t size = number();
    if (size < 0) return lua_pushboolean(lua_, 0);
    // How long a table with holes is said to be depends on how it has grown.
    lua_createtable(lua_, has_nil_ ? 0 : static_cast<int>(size), 0);
    for (int i = 1; i <= size; ++i) {
      push();
      lua_rawseti(lua_, -2, i);
    }
  }
  /// The command that failed has counted it.
  void push_failure() {
    push_error(lua_, line());
    lua_pushboolean(lua_, 1);
    lua_setfield(lua_, -2, "ignore_error_stats_update");
  }
  void push_double() {
    const double value = base::parse_double(line()).value_or(0);
    lua_createtable(lua_, 0, 1);
    lua_pushnumber(lua_, value);
    lua_setfield(lua_, -2, "double");
  }
  void push_verbatim() {
    const std::string_view text = bytes(static_cast<std::size_t>(number()));
    constexpr std::size_t kFormat = 3;
    lua_createtable(lua_, 0, 1);
    lua_createtable(lua_, 0, 2);
    push_text(text.substr(kFormat + 1));
    lua_setfield(lua_, -2, "string");
    push_text(text.substr(0, kFormat));
    lua_setfield(lua_, -2, "format");
    lua_setfield(lua_, -2, "verbatim_string");
  }
  void push_map() {
    const std::int64_t pairs = number();
    lua_createtable(lua_, 0, 1);
    lua_createtable(lua_, 0, static_cast<int>(pairs));
    for (std::int64_t i = 0; i < pairs; ++i) {
      push();
      push();
      lua_rawset(lua_, -3);
    }
    lua_setfield(lua_, -2, "map");
  }
  void push_set() {
    const std::int64_t size = number();
    lua_createtable(lua_, 0, 1);
    lua_createtable(lua_, 0, static_cast<int>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      push();
      lua_pushboolean(lua_, 1);
      lua_rawset(lua_, -3);
    }
    lua_setfield(lua_, -2, "set");
  }

  lua_State* lua_;
  const char* at_;
  bool has_nil_;  // RESP3's null is nil
};

}  // namespace

void push_reply(lua_State* lua, std::string_view reply, protocol::Version version) {
  ReplyReader(lua, reply, version == protocol::Version::resp3).push();
}

}  // namespace fairlane::scripting
