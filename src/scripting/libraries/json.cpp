// json.cpp - the table `cjson` and the functions that adjust it.
#include "scripting/libraries/json.hpp"

#include <climits>
#include <new>

#include "scripting/libraries.hpp"

namespace fairlane::scripting {
namespace {

void check_count(lua_State* lua, int most) {
  if (lua_gettop(lua) > most) luaL_argerror(lua, most + 1, "found too many arguments");
  while (lua_gettop(lua) < most) lua_pushnil(lua);
}

void adjust_integer(lua_State* lua, int argument, int& setting, int low, int high) {
  if (!lua_isnil(lua, argument)) {
    // Redis cuts the number to 32 bits before it looks at the range.
    const auto value = static_cast<int>(luaL_checkinteger(lua, argument));
    if (value < low || value > high) {
      luaL_argerror(lua, 1, lua_pushfstring(lua, "expected integer between %d and %d", low, high));
    }
    setting = value;
  }
  lua_pushinteger(lua, setting);
}

void adjust_boolean(lua_State* lua, int argument, bool& setting) {
  static constexpr const char* kOptions[] = {"off", "on", nullptr};
  if (lua_isboolean(lua, argument)) {
    setting = lua_toboolean(lua, argument) != 0;
  } else if (!lua_isnil(lua, argument)) {
    setting = luaL_checkoption(lua, argument, nullptr, kOptions) != 0;
  }
  lua_pushboolean(lua, setting ? 1 : 0);
}

void adjust_invalid(lua_State* lua, InvalidNumbers& setting, bool with_null) {
  static constexpr const char* kOptions[] = {"off", "on", "null", nullptr};
  static constexpr const char* kTwo[] = {"off", "on", nullptr};
  if (lua_isboolean(lua, 1)) {
    setting = lua_toboolean(lua, 1) != 0 ? InvalidNumbers::accept : InvalidNumbers::refuse;
  } else if (!lua_isnil(lua, 1)) {
    setting = static_cast<InvalidNumbers>(luaL_checkoption(lua, 1, nullptr, with_null ? kOptions : kTwo));
  }
  if (setting == InvalidNumbers::null) {
    lua_pushstring(lua, "null");
  } else {
    lua_pushboolean(lua, setting == InvalidNumbers::accept ? 1 : 0);
  }
}

int encode_max_depth(lua_State* lua) {
  check_count(lua, 1);
  adjust_integer(lua, 1, json_settings(lua).encode_depth, 1, INT_MAX);
  return 1;
}
int decode_max_depth(lua_State* lua) {
  check_count(lua, 1);
  adjust_integer(lua, 1, json_settings(lua).decode_depth, 1, INT_MAX);
  return 1;
}
int encode_number_precision(lua_State* lua) {
  check_count(lua, 1);
  adjust_integer(lua, 1, json_settings(lua).precision, 1, 14);
  return 1;
}
int encode_keep_buffer(lua_State* lua) {
  check_count(lua, 1);
  adjust_boolean(lua, 1, json_settings(lua).keep_buffer);
  return 1;
}
int encode_sparse_array(lua_State* lua) {
  check_count(lua, 3);
  JsonSettings& settings = json_settings(lua);
  adjust_boolean(lua, 1, settings.convert_sparse);
  adjust_integer(lua, 2, settings.sparse_ratio, 0, INT_MAX);
  adjust_integer(lua, 3, settings.sparse_safe, 0, INT_MAX);
  return 3;
}
int encode_invalid_numbers(lua_State* lua) {
  check_count(lua, 1);
  adjust_invalid(lua, json_settings(lua).encode_invalid, true);
  return 1;
}
int decode_invalid_numbers(lua_State* lua) {
  check_count(lua, 1);
  adjust_invalid(lua, json_settings(lua).decode_invalid, false);
  return 1;
}

int make_new(lua_State* lua);

// In this order pairs() meets them as in Redis.
constexpr luaL_Reg kFunctions[] = {{"encode", json_encode},
                                   {"decode", json_decode},
                                   {"encode_sparse_array", encode_sparse_array},
                                   {"encode_max_depth", encode_max_depth},
                                   {"decode_max_depth", decode_max_depth},
                                   {"encode_number_precision", encode_number_precision},
                                   {"encode_keep_buffer", encode_keep_buffer},
                                   {"encode_invalid_numbers", encode_invalid_numbers},
                                   {"decode_invalid_numbers", decode_invalid_numbers},
                                   {"new", make_new}};

int make_new(lua_State* lua) {
  open_json(lua);
  return 1;
}

}  // namespace

void open_json(lua_State* lua) {
  lua_newtable(lua);
  new (lua_newuserdata(lua, sizeof(JsonSettings))) JsonSettings();
  for (const luaL_Reg& one : kFunctions) {
    lua_pushvalue(lua, -1);
    lua_pushcclosure(lua, one.func, 1);
    lua_setfield(lua, -3, one.name);
  }
  lua_pop(lua, 1);
  lua_pushlightuserdata(lua, nullptr);
  lua_setfield(lua, -2, "null");
  lua_pushstring(lua, "cjson");
  lua_setfield(lua, -2, "_NAME");
  lua_pushstring(lua, "2.1.0");
  lua_setfield(lua, -2, "_VERSION");
}

}  // namespace fairlane::scripting
