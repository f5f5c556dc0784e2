// msgpack_pack.cpp - the table `cmsgpack`, and values to MessagePack.
#include <bit>
#include <cmath>
#include <cstdint>

#include "scripting/libraries.hpp"
#include "scripting/libraries/msgpack.hpp"
#include "scripting/libraries/text_builder.hpp"
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

/// Tables nested deeper are packed as nil, as Redis does.
constexpr int kMostNested = 16;

class Packer {
 public:
  explicit Packer(lua_State* lua) : lua_(lua), out_(lua), work_(lua) {}

  /// Packs the value at the top of the stack and pops it.
  void pack(int depth) {
    work_.step();
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        pack_string();
        break;
      case LUA_TBOOLEAN:
        put(lua_toboolean(lua_, -1) != 0 ? 0xc3 : 0xc2);
        break;
      case LUA_TNUMBER:
        pack_number();
        break;
      case LUA_TTABLE:
        depth == kMostNested ? put(0xc0) : pack_table(depth);
        break;
      default:
        put(0xc0);
    }
    lua_pop(lua_, 1);
  }
  void push() { out_.push(); }

 private:
  void put(unsigned byte) { out_.append(static_cast<char>(byte)); }
  /// A type's byte and a big-endian number of so many bytes.
  void put(unsigned type, std::uint64_t value, int bytes) {
    put(type);
    for (int i = bytes - 1; i >= 0; --i) put(static_cast<unsigned>(value >> (8 * i) & 0xffU));
  }

  void pack_string() {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua_, -1, &size);
    if (size < 32) {
      put(0xa0U | static_cast<unsigned>(size));
    } else if (size <= 0xff) {
      put(0xd9, size, 1);
    } else if (size <= 0xffff) {
      put(0xda, size, 2);
    } else {
      put(0xdb, size, 4);
    }
    out_.append({text, size});
  }

  void pack_number() {
    const double value = lua_tonumber(lua_, -1);
    constexpr double kBeyond = 9223372036854775808.0;
    if (value >= -kBeyond && value < kBeyond && std::floor(value) == value) {
      return pack_integer(static_cast<std::int64_t>(value));
    }
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) == value) {
      put(0xca, std::bit_cast<std::uint32_t>(narrow), 4);
    } else {
      put(0xcb, std::bit_cast<std::uint64_t>(value), 8);
    }
  }

  void pack_integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0) {
      if (value <= 127) return put(static_cast<unsigned>(value));
      if (value <= 0xff) return put(0xcc, bits, 1);
      if (value <= 0xffff) return put(0xcd, bits, 2);
      if (value <= 0xffffffffLL) return put(0xce, bits, 4);
      return put(0xcf, bits, 8);
    }
    if (value >= -32) return put(static_cast<unsigned>(bits & 0xffU));
    if (value >= -128) return put(0xd0, bits, 1);
    if (value >= -32768) return put(0xd1, bits, 2);
    if (value >= -2147483648LL) return put(0xd2, bits, 4);
    put(0xd3, bits, 8);
  }

  struct Shape {
    std::size_t pairs;
    bool array;  ///< its keys are 1 to `pairs`
  };
  Shape shape() {
    Shape shape{0, true};
    double largest = 0;
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      ++shape.pairs;
      work_.step();
      if (!shape.array) continue;
      const double key = lua_type(lua_, -2) == LUA_TNUMBER ? lua_tonumber(lua_, -2) : 0;
      shape.array = key >= 1 && std::floor(key) == key;
      if (key > largest) largest = key;
    }
    shape.array = shape.array && largest == static_cast<double>(shape.pairs);
    return shape;
  }

  void put_size(std::size_t size, unsigned small, unsigned medium) {
    if (size <= 15) {
      put(small | static_cast<unsigned>(size));
    } else if (size <= 0xffff) {
      put(medium, size, 2);
    } else {
      put(medium + 1, size, 4);
    }
  }

  void pack_table(int depth) {
    luaL_checkstack(lua_, 4, "in function mp_encode_lua_table");
    if (push_guarded(lua_, -1)) lua_replace(lua_, -2);
    const Shape found = shape();
    if (found.array) {
      put_size(found.pairs, 0x90, 0xdc);
      for (std::size_t i = 1; i <= found.pairs; ++i) {
        lua_rawgeti(lua_, -1, static_cast<int>(i));
        pack(depth + 1);
      }
      return;
    }
    put_size(found.pairs, 0x80, 0xde);
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0;) {
      lua_pushvalue(lua_, -2);
      pack(depth + 1);
      pack(depth + 1);
    }
  }

  lua_State* lua_;
  TextBuilder out_;
  WorkMeter work_;
};

}  // namespace

int msgpack_pack(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) return luaL_argerror(lua, 0, "MessagePack pack needs input.");
  // Redis asks for as many slots as there are arguments.
  if (lua_checkstack(lua, count) == 0) return luaL_argerror(lua, 0, "Too many arguments for MessagePack pack.");
  Packer packer(lua);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(lua, i);
    packer.pack(0);
  }
  packer.push();
  return 1;
}

void open_msgpack(lua_State* lua) {
  constexpr luaL_Reg kFunctions[] = {{"pack", msgpack_pack},
                                     {"unpack", msgpack_unpack},
                                     {"unpack_one", msgpack_unpack_one},
                                     {"unpack_limit", msgpack_unpack_limit}};
  constexpr const char* kFacts[][2] = {{"_NAME", "cmsgpack"},
                                       {"_VERSION", "lua-cmsgpack 0.4.0"},
                                       {"_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo"},
                                       {"_DESCRIPTION", "MessagePack C implementation for Lua"}};
  lua_newtable(lua);
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  // Scripts may look at these, so they are what Redis has.
  for (const auto& fact : kFacts) {
    lua_pushstring(lua, fact[1]);
    lua_setfield(lua, -2, fact[0]);
  }
}

}  // namespace fairlane::scripting
