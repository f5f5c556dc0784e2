#include "scripting/sandbox.hpp"

#include <array>

#include "scripting/state.hpp"

namespace fairlane::scripting {
namespace {

/// Keys of the registry and of the metatables of guards: their addresses are the names.
constexpr char kTrueTable = 0;
constexpr char kTrueGlobals = 0;

void* key(const char& name) noexcept { return const_cast<char*>(&name); }

void open_stock(lua_State* lua, lua_CFunction open, const char* name) {
  lua_pushcfunction(lua, open);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
}

void remove_globals(lua_State* lua) {
  for (const char* name : {"dofile", "getfenv", "loadfile", "newproxy", "print", "setfenv"}) {
    lua_pushnil(lua);
    lua_setglobal(lua, name);
  }
}

struct Text {
  std::string_view rest;
  bool begun = false;
};

/// A blank comes first, so that text which begins like compiled code is read as text.
const char* read_text(lua_State*, void* data, std::size_t* size) {
  auto& text = *static_cast<Text*>(data);
  if (!text.begun) {
    text.begun = true;
    *size = 1;
    return " ";
  }
  *size = text.rest.size();
  const char* bytes = text.rest.data();
  text.rest = {};
  return *size == 0 ? nullptr : bytes;
}

}  // namespace

int load_text(lua_State* lua, std::string_view text, const char* chunk) {
  // The collector must not run over what a parser has half built.
  lua_gc(lua, LUA_GCSTOP, 0);
  Text source{text};
  const int result = lua_load(lua, read_text, &source, chunk);
  lua_gc(lua, LUA_GCRESTART, 0);
  return result;
}

void open_sandbox(lua_State* lua) {
  open_stock(lua, luaopen_base, "");
  open_stock(lua, luaopen_table, LUA_TABLIBNAME);
  open_stock(lua, luaopen_string, LUA_STRLIBNAME);
  open_stock(lua, luaopen_math, LUA_MATHLIBNAME);
  remove_globals(lua);
  open_base_functions(lua);
  open_coroutines(lua);
  open_string_functions(lua);
  open_table_functions(lua);
  open_random_numbers(lua);
}

int refuse_change(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

int refuse_unknown_global(lua_State* lua) {
  if (lua_gettop(lua) != 2) return luaL_error(lua, "Wrong number of arguments to luaProtectedTableError");
  if (lua_isstring(lua, 2) == 0) {
    return luaL_error(lua, "Second argument to luaProtectedTableError must be a string or number");
  }
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'", lua_tostring(lua, 2));
}

void guard_table(lua_State* lua) {
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, refuse_change);
  lua_setfield(lua, -2, "__newindex");
  lua_pushlightuserdata(lua, key(kTrueTable));
  lua_pushvalue(lua, -4);
  lua_rawset(lua, -3);
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

bool push_guarded(lua_State* lua, int index) {
  if (!lua_istable(lua, index) || lua_getmetatable(lua, index) == 0) return false;
  lua_pushlightuserdata(lua, key(kTrueTable));
  lua_rawget(lua, -2);
  lua_remove(lua, -2);
  if (!lua_isnil(lua, -1)) return true;
  lua_pop(lua, 1);
  return false;
}

namespace {

/// Guards every table that is a global, but for `_G` itself.
void guard_libraries(lua_State* lua, int globals) {
  constexpr std::size_t kMost = 32;
  std::array<const char*, kMost> names{};
  std::size_t count = 0;
  for (lua_pushnil(lua); lua_next(lua, globals) != 0; lua_pop(lua, 1)) {
    if (lua_istable(lua, -1) && lua_rawequal(lua, -1, globals) == 0 && count < kMost) {
      names[count++] = lua_tostring(lua, -2);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    lua_getfield(lua, globals, names[i]);
    guard_table(lua);
    lua_setfield(lua, globals, names[i]);
  }
}

/// Lets getmetatable() show a metatable, below the top of the stack, to be looked at only: a guard of nothing but the
/// __index at the top, which is popped. What is shown must be guarded itself.
void guard_metatable(lua_State* lua) {
  lua_newtable(lua);
  lua_insert(lua, -2);
  lua_setfield(lua, -2, "__index");
  guard_table(lua);
  lua_setfield(lua, -2, "__metatable");
}

/// Strings themselves find their methods in the true table, without a detour.
void guard_string_metatable(lua_State* lua, int globals) {
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, globals, "string");
  guard_metatable(lua);
  lua_pop(lua, 2);
}

void refuse_unknown_globals(lua_State* lua, int globals) {
  lua_newtable(lua);
  lua_pushcfunction(lua, refuse_unknown_global);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, refuse_unknown_global);
  guard_metatable(lua);
  lua_setmetatable(lua, globals);
}

}  // namespace

void seal(lua_State* lua) {
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  const int globals = lua_gettop(lua);
  guard_libraries(lua, globals);
  guard_string_metatable(lua, globals);
  refuse_unknown_globals(lua, globals);
  lua_pushlightuserdata(lua, key(kTrueGlobals));
  lua_pushvalue(lua, globals);
  lua_rawset(lua, LUA_REGISTRYINDEX);
  guard_table(lua);
  lua_pushlightuserdata(lua, key(kTrueGlobals));
  lua_rawget(lua, LUA_REGISTRYINDEX);
  lua_pushvalue(lua, -2);
  lua_setfield(lua, -2, "_G");
  lua_pop(lua, 1);
  // Code that is loaded from now on sees the guard.
  lua_replace(lua, LUA_GLOBALSINDEX);
}

void set_global(lua_State* lua, const char* name) {
  lua_pushlightuserdata(lua, key(kTrueGlobals));
  lua_rawget(lua, LUA_REGISTRYINDEX);
  lua_insert(lua, -2);
  lua_pushstring(lua, name);
  lua_insert(lua, -2);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
