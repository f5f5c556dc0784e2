// msgpack_unpack.cpp - MessagePack to values.
#include <bit>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scripting/libraries/msgpack.hpp"
#include "scripting/libraries/text_builder.hpp"

namespace fairlane::scripting {
namespace {

constexpr const char* kTooMany = "too many return values at once; use unpack_one or unpack_limit instead.";

/// Arrays and maps within one another end where Lua's stack ends, which is before the process' does. The slots that are
/// asked for are those of Redis, and so are the depths that can be read.
class Unpacker {
 public:
  Unpacker(lua_State* lua, std::string_view input) noexcept : lua_(lua), rest_(input), work_(lua) {}

  std::size_t left() const noexcept { return rest_.size(); }

  /// Pushes the next value.
  void push() {
    work_.step();
    const unsigned type = static_cast<unsigned>(number(1));
    luaL_checkstack(lua_, 1, kTooMany);
    if (type <= 0x7f) return lua_pushinteger(lua_, static_cast<lua_Integer>(type));
    if (type >= 0xe0) return lua_pushinteger(lua_, static_cast<lua_Integer>(type) - 256);
    if (type <= 0x8f) return push_map(type & 15U);
    if (type <= 0x9f) return push_array(type & 15U);
    if (type <= 0xbf) return push_text(type & 31U);
    push_long(type);
  }

 private:
  [[noreturn]] void fail(const char* text) {
    luaL_error(lua_, text);
    std::abort();
  }

  /// A big-endian number of so many bytes.
  std::uint64_t number(std::size_t bytes) {
    if (rest_.size() < bytes) fail("Missing bytes in input.");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(bytes);
    return value;
  }
  void push_signed(std::size_t bytes) {
    const int unused = 64 - static_cast<int>(bytes) * 8;
    const auto value = static_cast<std::int64_t>(number(bytes) << unused) >> unused;
    lua_pushnumber(lua_, static_cast<double>(value));
  }

  void push_long(unsigned type) {
    switch (type) {
      case 0xc0:
        return lua_pushnil(lua_);
      case 0xc2:
      case 0xc3:
        return lua_pushboolean(lua_, type == 0xc3 ? 1 : 0);
      case 0xca:
        return lua_pushnumber(lua_, std::bit_cast<float>(static_cast<std::uint32_t>(number(4))));
      case 0xcb:
        return lua_pushnumber(lua_, std::bit_cast<double>(number(8)));
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        // Redis takes the largest for negative ones.
        return lua_pushnumber(lua_,
                              static_cast<double>(static_cast<std::int64_t>(number(std::size_t{1} << (type - 0xcc)))));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return push_signed(std::size_t{1} << (type - 0xd0));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return push_text(number(std::size_t{1} << (type - 0xd9)));
      case 0xdc:
      case 0xdd:
        return push_array(number(type == 0xdc ? 2 : 4));
      case 0xde:
      case 0xdf:
        return push_map(number(type == 0xde ? 2 : 4));
      default:
        fail("Bad data format in input.");
    }
  }

  void push_text(std::uint64_t size) {
    if (rest_.size() < size) fail("Missing bytes in input.");
    lua_pushlstring(lua_, rest_.data(), static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
  }

  void push_array(std::uint64_t size) {
    luaL_checkstack(lua_, 2, "in function mp_decode_to_lua_array");
    lua_newtable(lua_);
    for (std::uint64_t i = 1; i <= size; ++i) {
      lua_pushnumber(lua_, static_cast<double>(i));
      push();
      lua_rawset(lua_, -3);
    }
  }
  void push_map(std::uint64_t size) {
    lua_newtable(lua_);
    for (std::uint64_t i = 0; i < size; ++i) {
      push();
      push();
      lua_settable(lua_, -3);
    }
  }

  lua_State* lua_;
  std::string_view rest_;
  WorkMeter work_;
};

/// At most `limit` values from `offset` on. Unless all are asked for, the offset of the rest comes first, -1 at the
/// end.
int unpack(lua_State* lua, lua_Integer limit, lua_Integer offset, bool all) {
  std::size_t size = 0;
  const char* bytes = luaL_checklstring(lua, 1, &size);
  if (offset < 0 || limit < 0) {
    // Redis names the length of the input here.
    return luaL_error(lua, "Invalid request to unpack with offset of %d and limit of %d.", static_cast<int>(offset),
                      static_cast<int>(size));
  }
  if (static_cast<std::size_t>(offset) > size) {
    return luaL_error(lua, "Start offset %d greater than input length %d.", static_cast<int>(offset),
                      static_cast<int>(size));
  }
  lua_settop(lua, 1);
  Unpacker unpacker(lua, std::string_view(bytes, size).substr(static_cast<std::size_t>(offset)));
  int count = 0;
  for (; unpacker.left() > 0 && (all || count < limit); ++count) {
    unpacker.push();
  }
  if (all) return count;
  luaL_checkstack(lua, 1, "in function mp_unpack_full");
  const auto next = static_cast<lua_Integer>(size - unpacker.left());
  lua_pushinteger(lua, unpacker.left() == 0 ? -1 : next);
  lua_insert(lua, 2);
  return count + 1;
}

}  // namespace

int msgpack_unpack(lua_State* lua) { return unpack(lua, 0, 0, true); }

int msgpack_unpack_one(lua_State* lua) {
  const lua_Integer offset = luaL_optinteger(lua, 2, 0);
  return unpack(lua, 1, offset, false);
}

int msgpack_unpack_limit(lua_State* lua) {
  const lua_Integer limit = luaL_checkinteger(lua, 2);
  const lua_Integer offset = luaL_optinteger(lua, 3, 0);
  return unpack(lua, limit, offset, limit == 0 && offset == 0);
}

}  // namespace fairlane::scripting
