// table_library.cpp - functions on tables that must know guarded ones, or take long where Lua's own cannot be stopped.
#include "scripting/sandbox.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {
namespace {

/// How many elements the table at index 1 has.
int size_of(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  return static_cast<int>(lua_objlen(lua, 1));
}

/// Before one look at each of so many elements.
void count_elements(lua_State* lua, long long count) {
  if (count > 0) LuaState::of(lua).count_work(lua, static_cast<std::size_t>(count));
}

/// Raises the error of a guarded table, without the place of the call.
void refuse_guarded(lua_State* lua) {
  if (!push_guarded(lua, 1)) return;
  lua_pushliteral(lua, "Attempt to modify a readonly table");
  lua_error(lua);
}

int insert(lua_State* lua) {
  const long long end = static_cast<long long>(size_of(lua)) + 1;
  switch (lua_gettop(lua)) {
    case 2:
      refuse_guarded(lua);
      lua_rawseti(lua, 1, static_cast<int>(end));
      return 0;
    case 3: {
      const int position = luaL_checkint(lua, 2);
      refuse_guarded(lua);
      count_elements(lua, end - position);
      for (long long i = end; i > position; --i) {
        lua_rawgeti(lua, 1, static_cast<int>(i - 1));
        lua_rawseti(lua, 1, static_cast<int>(i));
      }
      lua_rawseti(lua, 1, position);
      return 0;
    }
    default:
      return luaL_error(lua, "wrong number of arguments to 'insert'");
  }
}

int remove(lua_State* lua) {
  const int end = size_of(lua);
  const int position = luaL_optint(lua, 2, end);
  if (position < 1 || position > end) return 0;
  count_elements(lua, end - position);
  lua_rawgeti(lua, 1, position);
  for (int i = position; i < end; ++i) {
    lua_rawgeti(lua, 1, i + 1);
    lua_rawseti(lua, 1, i);
  }
  lua_pushnil(lua);
  lua_rawseti(lua, 1, end);
  return 1;
}

int foreach (lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checktype(lua, 2, LUA_TFUNCTION);
  if (push_guarded(lua, 1)) lua_replace(lua, 1);
  for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 2)) {
    count_elements(lua, 1);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -3);
    lua_pushvalue(lua, -3);
    lua_call(lua, 2, 1);
    if (!lua_isnil(lua, -1)) return 1;
  }
  return 0;
}

int foreachi(lua_State* lua) {
  const int end = size_of(lua);
  luaL_checktype(lua, 2, LUA_TFUNCTION);
  for (int i = 1; i <= end; ++i) {
    count_elements(lua, 1);
    lua_pushvalue(lua, 2);
    lua_pushinteger(lua, i);
    lua_rawgeti(lua, 1, i);
    lua_call(lua, 2, 1);
    if (!lua_isnil(lua, -1)) return 1;
    lua_pop(lua, 1);
  }
  return 0;
}

int maxn(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_Number most = 0;
  for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
    count_elements(lua, 1);
    if (lua_type(lua, -2) == LUA_TNUMBER && lua_tonumber(lua, -2) > most) most = lua_tonumber(lua, -2);
  }
  lua_pushnumber(lua, most);
  return 1;
}

/// Lua's own, which takes memory for all but empty elements. Its upvalue.
int concat(lua_State* lua) {
  if (lua_istable(lua, 1)) count_elements(lua, size_of(lua));
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

int compare(lua_State* lua) {
  count_elements(lua, 1);
  lua_pushboolean(lua, lua_lessthan(lua, 1, 2));
  return 1;
}

/// Its upvalue is a comparison that counts no instructions.
int compare_by(lua_State* lua) {
  count_elements(lua, 1);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, 2, 1);
  return 1;
}

/// Lua's own, its upvalue. It takes a number of comparisons that is quadratic for some elements, and for any if these
/// are inconsistent. Those of a function of Lua are counted already; the plain ones would take twice as long if they
/// were, and are not where even the most of them take less than a second.
int sort(lua_State* lua) {
  constexpr int kMany = 10000;
  const int size = size_of(lua);
  count_elements(lua, size);
  lua_settop(lua, 2);
  if (lua_iscfunction(lua, 2) != 0) {
    lua_pushcclosure(lua, compare_by, 1);
  } else if (lua_isnil(lua, 2) && size >= kMany) {
    lua_pushcfunction(lua, compare);
    lua_replace(lua, 2);
  }
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

/// Puts a function around one of the library at the top of the stack.
void wrap(lua_State* lua, const char* name, lua_CFunction function) {
  lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, function, 1);
  lua_setfield(lua, -2, name);
}

}  // namespace

void open_table_functions(lua_State* lua) {
  lua_getglobal(lua, "table");
  constexpr luaL_Reg kFunctions[] = {
      {"insert", insert}, {"remove", remove}, {"foreach", foreach}, {"foreachi", foreachi}, {"maxn", maxn}};
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  wrap(lua, "concat", concat);
  wrap(lua, "sort", sort);
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
