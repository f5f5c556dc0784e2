// coroutine_library.cpp - resuming, no deeper than the stack of the process allows.
#include "scripting/sandbox.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {
namespace {

/// Each resume inside another takes a piece of the process' stack, which Lua 5.1 does not count.
constexpr int kDeepest = 180;

class Depth {
 public:
  explicit Depth(lua_State* lua) : depth_(LuaState::of(lua).resumed()) { ++depth_; }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  bool too_deep() const noexcept { return depth_ > kDeepest; }

 private:
  int& depth_;
};

/// Resumes with the arguments at the top of the stack. The number of results, or -1 with an error at the top.
int resume_with(lua_State* lua, lua_State* thread, int arguments) {
  const Depth depth(lua);
  if (depth.too_deep() || LuaState::of(lua).stack_is_deep()) {
    lua_pushliteral(lua, "C stack overflow");
    return -1;
  }
  if (lua_checkstack(thread, arguments) == 0) luaL_error(lua, "too many arguments to resume");
  const bool suspended = lua_status(thread) == LUA_YIELD;
  lua_Debug frame;
  const bool running = lua_status(thread) == 0 && lua_getstack(thread, 0, &frame) > 0;
  if (running || lua == thread) {
    lua_pushfstring(lua, "cannot resume %s coroutine", lua == thread ? "running" : "non-suspended");
    return -1;
  }
  if (!suspended && (lua_status(thread) != 0 || lua_gettop(thread) == 0)) {
    lua_pushliteral(lua, "cannot resume dead coroutine");
    return -1;
  }
  lua_xmove(lua, thread, arguments);
  const int status = lua_resume(thread, arguments);
  if (status != 0 && status != LUA_YIELD) {
    lua_xmove(thread, lua, 1);
    return -1;
  }
  const int results = lua_gettop(thread);
  if (lua_checkstack(lua, results + 1) == 0) luaL_error(lua, "too many results to resume");
  lua_xmove(thread, lua, results);
  return results;
}

int resume(lua_State* lua) {
  lua_State* thread = lua_tothread(lua, 1);
  luaL_argcheck(lua, thread != nullptr, 1, "coroutine expected");
  const int results = resume_with(lua, thread, lua_gettop(lua) - 1);
  lua_pushboolean(lua, results >= 0 ? 1 : 0);
  const int given = results >= 0 ? results : 1;
  lua_insert(lua, -(given + 1));
  return given + 1;
}

/// An error passes through, with the place of the caller before a text.
int resume_wrapped(lua_State* lua) {
  lua_State* thread = lua_tothread(lua, lua_upvalueindex(1));
  const int results = resume_with(lua, thread, lua_gettop(lua));
  if (results >= 0) return results;
  if (lua_isstring(lua, -1) != 0) {
    luaL_where(lua, 1);
    lua_insert(lua, -2);
    lua_concat(lua, 2);
  }
  return lua_error(lua);
}

int create(lua_State* lua) {
  luaL_argcheck(lua, lua_isfunction(lua, 1) && lua_iscfunction(lua, 1) == 0, 1, "Lua function expected");
  lua_State* thread = lua_newthread(lua);
  lua_pushvalue(lua, 1);
  lua_xmove(lua, thread, 1);
  return 1;
}

int wrap(lua_State* lua) {
  create(lua);
  lua_pushcclosure(lua, resume_wrapped, 1);
  return 1;
}

}  // namespace

/// status, yield and running are Lua's own.
void open_coroutines(lua_State* lua) {
  lua_getglobal(lua, "coroutine");
  constexpr luaL_Reg kFunctions[] = {{"create", create}, {"resume", resume}, {"wrap", wrap}};
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
