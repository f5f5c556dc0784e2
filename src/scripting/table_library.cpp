// table_library.cpp - functions on tables that must know guarded ones.
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

int insert(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  if (push_guarded(lua, 1)) {
    lua_pushliteral(lua, "Attempt to modify a readonly table");
    return lua_error(lua);
  }
  int end = static_cast<int>(lua_objlen(lua, 1)) + 1;
  switch (lua_gettop(lua)) {
    case 2:
      lua_rawseti(lua, 1, end);
      return 0;
    case 3: {
      const int position = luaL_checkint(lua, 2);
      if (position > end) end = position;
      for (int i = end; i > position; --i) {
        lua_rawgeti(lua, 1, i - 1);
        lua_rawseti(lua, 1, i);
      }
      lua_rawseti(lua, 1, position);
      return 0;
    }
    default:
      return luaL_error(lua, "wrong number of arguments to 'insert'");
  }
}

int foreach (lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checktype(lua, 2, LUA_TFUNCTION);
  if (push_guarded(lua, 1)) lua_replace(lua, 1);
  for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 2)) {
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -3);
    lua_pushvalue(lua, -3);
    lua_call(lua, 2, 1);
    if (!lua_isnil(lua, -1)) return 1;
  }
  return 0;
}

}  // namespace

void open_table_functions(lua_State* lua) {
  lua_getglobal(lua, "table");
  constexpr luaL_Reg kFunctions[] = {{"insert", insert}, {"foreach", foreach}};
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
