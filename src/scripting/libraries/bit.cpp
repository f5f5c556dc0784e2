// bit.cpp - operations on the bits of 32-bit integers.
#include <bit>
#include <cstdint>

#include "scripting/libraries.hpp"

namespace fairlane::scripting {
namespace {

/// The lower 32 bits of the nearest integer: adding this constant leaves them in the lower half of the double.
std::uint32_t argument(lua_State* lua, int index) {
  constexpr double kShift = 6755399441055744.0;  // 2^52 + 2^51
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(luaL_checknumber(lua, index) + kShift));
}

int give(lua_State* lua, std::uint32_t value) {
  lua_pushnumber(lua, static_cast<std::int32_t>(value));
  return 1;
}

int tobit(lua_State* lua) { return give(lua, argument(lua, 1)); }
int bnot(lua_State* lua) { return give(lua, ~argument(lua, 1)); }

template <class Combine>
int combine(lua_State* lua, Combine with) {
  std::uint32_t value = argument(lua, 1);
  for (int i = lua_gettop(lua); i > 1; --i) value = with(value, argument(lua, i));
  return give(lua, value);
}
int band(lua_State* lua) {
  return combine(lua, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
int bor(lua_State* lua) {
  return combine(lua, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
int bxor(lua_State* lua) {
  return combine(lua, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

/// Only the lower five bits of a distance count.
int distance(lua_State* lua) { return static_cast<int>(argument(lua, 2) & 31U); }

int lshift(lua_State* lua) {
  const std::uint32_t value = argument(lua, 1);
  return give(lua, value << distance(lua));
}
int rshift(lua_State* lua) {
  const std::uint32_t value = argument(lua, 1);
  return give(lua, value >> distance(lua));
}
int arshift(lua_State* lua) {
  const auto value = static_cast<std::int32_t>(argument(lua, 1));
  return give(lua, static_cast<std::uint32_t>(value >> distance(lua)));
}
int rol(lua_State* lua) {
  const std::uint32_t value = argument(lua, 1);
  return give(lua, std::rotl(value, distance(lua)));
}
int ror(lua_State* lua) {
  const std::uint32_t value = argument(lua, 1);
  return give(lua, std::rotr(value, distance(lua)));
}

int bswap(lua_State* lua) {
  const std::uint32_t value = argument(lua, 1);
  return give(lua, value >> 24 | (value >> 8 & 0xff00U) | (value & 0xff00U) << 8 | value << 24);
}

/// So many digits, at most eight; a negative number asks for capitals.
int tohex(lua_State* lua) {
  const std::uint32_t value = argument(lua, 1);
  const auto wanted = lua_isnone(lua, 2) ? 8 : static_cast<std::int32_t>(argument(lua, 2));
  const char* digits = wanted < 0 ? "0123456789ABCDEF" : "0123456789abcdef";
  const std::int64_t size = wanted < 0 ? -std::int64_t{wanted} : wanted;
  const int count = size > 8 ? 8 : static_cast<int>(size);
  char text[8];
  for (int i = 0; i < count; ++i) text[count - 1 - i] = digits[value >> (4 * i) & 15U];
  lua_pushlstring(lua, text, static_cast<std::size_t>(count));
  return 1;
}

}  // namespace

void open_bit(lua_State* lua) {
  constexpr luaL_Reg kFunctions[] = {{"tobit", tobit}, {"bnot", bnot},     {"band", band},     {"bor", bor},
                                     {"bxor", bxor},   {"lshift", lshift}, {"rshift", rshift}, {"arshift", arshift},
                                     {"rol", rol},     {"ror", ror},       {"bswap", bswap},   {"tohex", tohex}};
  lua_newtable(lua);
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
}

}  // namespace fairlane::scripting
