#include "unit/scripting/vectors.hpp"

#include <gtest/gtest.h>

#include "scripting/libraries.hpp"
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

constexpr std::string_view kHex =
    "local function hex(s) return (s:gsub('.', function(c) return string.format('%02x', c:byte()) end)) end return ";

int open_all(lua_State* lua) {
  const bool guarded = lua_toboolean(lua, 1) != 0;
  guarded ? open_sandbox(lua) : luaL_openlibs(lua);
  const auto add = [&](const char* name, void (*open)(lua_State*)) {
    open(lua);
    lua_setglobal(lua, name);
  };
  add("cjson", open_json);
  add("cmsgpack", open_msgpack);
  add("struct", open_struct);
  add("bit", open_bit);
  if (guarded) seal(lua);
  return 0;
}

/// What tostring() gives.
std::string text_at(lua_State* lua, int index) {
  lua_getglobal(lua, "tostring");
  lua_pushvalue(lua, index);
  lua_call(lua, 1, 1);
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, -1, &size);
  const std::string result(text, size);
  lua_pop(lua, 1);
  return result;
}

}  // namespace

Interpreter::Interpreter(std::size_t memory_limit, Globals globals) : lua_(memory_limit) {
  lua_pushcfunction(lua_, open_all);
  lua_pushboolean(lua_, globals == Globals::guarded ? 1 : 0);
  EXPECT_EQ(lua_pcall(lua_, 1, 0, 0), 0);
}

std::string Interpreter::evaluate(std::string_view expression) {
  const std::string chunk = std::string(kHex).append(expression);
  lua_settop(lua_, 0);
  const bool failed =
      luaL_loadbuffer(lua_, chunk.data(), chunk.size(), "@user_script") != 0 || lua_pcall(lua_, 0, LUA_MULTRET, 0) != 0;
  std::string result = failed ? "error: " : "";
  const int count = lua_gettop(lua_);
  luaL_checkstack(lua_, 3, nullptr);
  for (int i = 1; i <= count; ++i) {
    if (i > 1) result += ' ';
    result += text_at(lua_, i);
  }
  lua_settop(lua_, 0);
  return result;
}

std::size_t Interpreter::memory_in_use() {
  // Each collection halves the buffer in which Lua joins texts.
  constexpr int kEnough = 16;
  for (int i = 0; i < kEnough; ++i) lua_gc(lua_, LUA_GCCOLLECT, 0);
  return lua_.memory();
}

void check(const std::vector<Vector>& vectors, Globals globals) {
  Interpreter interpreter(Interpreter::kPlenty, globals);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(interpreter.evaluate(vector.expression), vector.result) << vector.expression;
  }
}

void StoppingWatch::check(lua_State* lua) {
  lua_pushliteral(lua, "stopped");
  lua_error(lua);
}

}  // namespace fairlane::scripting
