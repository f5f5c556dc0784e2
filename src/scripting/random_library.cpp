// random_library.cpp - math.random as Redis has it: the same numbers on every machine.
#include <cmath>
#include <cstdint>

#include "scripting/sandbox.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {
namespace {

/// The generator of lrand48 (POSIX): 48 bits, of which the upper 31 are the number.
std::uint32_t next_number(std::uint64_t& state) noexcept {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;
  state = (state * 0x5DEECE66DU + 0xBU) & kMask;
  return static_cast<std::uint32_t>(state >> 17);
}

int random(lua_State* lua) {
  constexpr std::uint32_t kMost = 0x7fffffff;
  const double part = static_cast<double>(next_number(LuaState::of(lua).random()) % kMost) / kMost;
  switch (lua_gettop(lua)) {
    case 0:
      lua_pushnumber(lua, part);
      return 1;
    case 1: {
      const int high = luaL_checkint(lua, 1);
      luaL_argcheck(lua, high >= 1, 1, "interval is empty");
      lua_pushnumber(lua, std::floor(part * high) + 1);
      return 1;
    }
    case 2: {
      const int low = luaL_checkint(lua, 1);
      const int high = luaL_checkint(lua, 2);
      luaL_argcheck(lua, low <= high, 2, "interval is empty");
      // The width overflows as in Redis.
      const auto width = static_cast<int>(static_cast<unsigned>(high) - static_cast<unsigned>(low) + 1U);
      lua_pushnumber(lua, std::floor(part * width) + low);
      return 1;
    }
    default:
      return luaL_error(lua, "wrong number of arguments");
  }
}

int randomseed(lua_State* lua) {
  LuaState::of(lua).random() =
      static_cast<std::uint64_t>(static_cast<std::uint32_t>(luaL_checkint(lua, 1))) << 16 | 0x330EU;
  return 0;
}

}  // namespace

void open_random_numbers(lua_State* lua) {
  lua_getglobal(lua, "math");
  constexpr luaL_Reg kFunctions[] = {{"random", random}, {"randomseed", randomseed}};
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
