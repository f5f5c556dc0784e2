// base_library.cpp - global functions that look through guards, or are safer than Lua's own.
#include <climits>
#include <string>

#include "scripting/sandbox.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {
namespace {

/// Text that loads; longer than any script.
constexpr std::size_t kLongestChunk = std::size_t{64} * 1024 * 1024;

/// From a function of ours, without the place where it was called.
int refuse(lua_State* lua) {
  lua_pushliteral(lua, "Attempt to modify a readonly table");
  return lua_error(lua);
}

/// Puts the true table in the place of a guarded argument.
void look_through(lua_State* lua, int argument) {
  if (push_guarded(lua, argument)) lua_replace(lua, argument);
}

int next(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  look_through(lua, 1);
  lua_settop(lua, 2);
  if (lua_next(lua, 1) != 0) return 2;
  lua_pushnil(lua);
  return 1;
}

/// The table itself is passed on, not what is behind it: a script must not get hold of that.
int pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_pushvalue(lua, 1);
  lua_pushnil(lua);
  return 3;
}

int rawget(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  look_through(lua, 1);
  lua_settop(lua, 2);
  lua_rawget(lua, 1);
  return 1;
}

int rawset(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  luaL_checkany(lua, 3);
  if (push_guarded(lua, 1)) return refuse(lua);
  lua_settop(lua, 3);
  lua_rawset(lua, 1);
  return 1;
}

int getmetatable(lua_State* lua) {
  luaL_checkany(lua, 1);
  look_through(lua, 1);
  if (lua_getmetatable(lua, 1) == 0) {
    lua_pushnil(lua);
    return 1;
  }
  luaL_getmetafield(lua, 1, "__metatable");
  return 1;
}

int setmetatable(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const int type = lua_type(lua, 2);
  luaL_argcheck(lua, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
  if (push_guarded(lua, 1)) return refuse(lua);
  if (luaL_getmetafield(lua, 1, "__metatable") != 0) luaL_error(lua, "cannot change a protected metatable");
  lua_settop(lua, 2);
  lua_setmetatable(lua, 1);
  return 1;
}

/// What an error carries is taken out of its table when it is text, and follows it otherwise, as in Redis.
int pcall(lua_State* lua) {
  if (lua_gettop(lua) == 0) {
    lua_pushboolean(lua, 0);
    lua_pushliteral(lua, "attempt to call a boolean value");
    return 2;
  }
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0) == 0) return lua_gettop(lua);
  LuaState::of(lua).raise_if_stopped(lua);
  lua_pushboolean(lua, 0);
  lua_replace(lua, 1);
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    if (lua_isstring(lua, -1) != 0) lua_replace(lua, -2);
  }
  return lua_gettop(lua);
}

/// Calls the script's handler, its upvalue. Not for the error that ends the script: a handler of that one would run
/// inside the hook, where no instruction is counted.
int handle_error(lua_State* lua) {
  if (LuaState::of(lua).stopped()) return 1;
  lua_settop(lua, 1);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, 1, 1);
  return 1;
}

int xpcall(lua_State* lua) {
  luaL_checkany(lua, 2);
  lua_settop(lua, 2);
  if (lua_isfunction(lua, 2)) lua_pushcclosure(lua, handle_error, 1);
  lua_insert(lua, 1);
  const int failed = lua_pcall(lua, 0, LUA_MULTRET, 1);
  if (failed != 0) LuaState::of(lua).raise_if_stopped(lua);
  lua_pushboolean(lua, failed == 0 ? 1 : 0);
  lua_replace(lua, 1);
  return lua_gettop(lua);
}

int unpack(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const long long first = luaL_optint(lua, 2, 1);
  const long long last = lua_isnoneornil(lua, 3) ? static_cast<long long>(lua_objlen(lua, 1)) : luaL_checkint(lua, 3);
  if (first > last) return 0;
  const long long count = last - first + 1;
  if (count >= INT_MAX || lua_checkstack(lua, static_cast<int>(count)) == 0) {
    return luaL_error(lua, "too many results to unpack");
  }
  LuaState::of(lua).count_work(lua, static_cast<std::size_t>(count));
  for (long long i = first; i <= last; ++i) lua_rawgeti(lua, 1, static_cast<int>(i));
  return static_cast<int>(count);
}

int give_loaded(lua_State* lua, int result) {
  if (result == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

int loadstring(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  const char* chunk = luaL_optstring(lua, 2, text);
  if (size > kLongestChunk) return luaL_error(lua, "chunk is too long");
  LuaState::of(lua).count_work(lua, size);
  return give_loaded(lua, load_text(lua, {text, size}, chunk));
}

/// What load() is given, piece by piece. A blank comes first, so that text which begins like compiled code is text.
struct Pieces {
  std::string text = " ";
  bool collected = false;
};

/// Collects all pieces before the parser begins: the function that gives them must not run beside it, nor may the
/// collector. It is called within the protected call that parses, so that its errors are handled as Lua's own.
const char* read_pieces(lua_State* lua, void* data, std::size_t* size) {
  auto& pieces = *static_cast<Pieces*>(data);
  *size = 0;
  if (pieces.collected) return nullptr;
  luaL_checkstack(lua, 2, "too many nested functions");
  for (;;) {
    lua_pushvalue(lua, 1);
    lua_call(lua, 0, 1);
    if (lua_isnil(lua, -1)) break;
    std::size_t piece_size = 0;
    const char* piece = lua_tolstring(lua, -1, &piece_size);
    if (piece == nullptr) luaL_error(lua, "reader function must return a string");
    if (piece_size == 0) break;
    if (pieces.text.size() + piece_size > kLongestChunk) luaL_error(lua, "chunk is too long");
    LuaState::of(lua).count_work(lua, piece_size);
    pieces.text.append(piece, piece_size);
    lua_pop(lua, 1);
  }
  lua_pop(lua, 1);
  pieces.collected = true;
  lua_gc(lua, LUA_GCSTOP, 0);
  *size = pieces.text.size();
  return pieces.text.data();
}

int load(lua_State* lua) {
  const char* chunk = luaL_optstring(lua, 2, "=(load)");
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  lua_settop(lua, 2);
  Pieces pieces;
  const int failed = lua_load(lua, read_pieces, &pieces, chunk);
  if (pieces.collected) lua_gc(lua, LUA_GCRESTART, 0);
  if (failed != 0) LuaState::of(lua).raise_if_stopped(lua);
  return give_loaded(lua, failed);
}

/// A script has no say in when the collector works for others; what it asks for is answered.
int collectgarbage(lua_State* lua) {
  static constexpr const char* kOptions[] = {"stop", "restart",  "collect",    "count",
                                             "step", "setpause", "setstepmul", nullptr};
  enum { stop, restart, collect, count, step, set_pause, set_step_multiplier };
  const int option = luaL_checkoption(lua, 1, "collect", kOptions);
  const int value = luaL_optint(lua, 2, 0);
  constexpr std::size_t kBytesInStep = 16;
  if (option == collect || option == step) {
    LuaState& state = LuaState::of(lua);
    state.count_work(lua, state.memory() / kBytesInStep);
  }
  switch (option) {
    case count:
      lua_pushnumber(lua, lua_gc(lua, LUA_GCCOUNT, 0) + lua_gc(lua, LUA_GCCOUNTB, 0) / 1024.0);
      return 1;
    case step:
      lua_pushboolean(lua, lua_gc(lua, LUA_GCSTEP, value));
      return 1;
    case collect:
      lua_pushnumber(lua, lua_gc(lua, LUA_GCCOLLECT, 0));
      return 1;
    case set_pause:
    case set_step_multiplier:
      lua_pushnumber(lua, 200);
      return 1;
    default:
      lua_pushnumber(lua, 0);
      return 1;
  }
}

}  // namespace

void open_base_functions(lua_State* lua) {
  constexpr luaL_Reg kFunctions[] = {{"next", next},
                                     {"rawget", rawget},
                                     {"rawset", rawset},
                                     {"getmetatable", getmetatable},
                                     {"setmetatable", setmetatable},
                                     {"pcall", pcall},
                                     {"xpcall", xpcall},
                                     {"unpack", unpack},
                                     {"loadstring", loadstring},
                                     {"load", load},
                                     {"collectgarbage", collectgarbage}};
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setglobal(lua, one.name);
  }
  lua_pushcfunction(lua, next);
  lua_pushcclosure(lua, pairs, 1);
  lua_setglobal(lua, "pairs");
}

}  // namespace fairlane::scripting
