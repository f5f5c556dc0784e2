#include "scripting/environment.hpp"

#include <algorithm>

#include "scripting/libraries.hpp"
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

/// See UnexpectedError.

[[noreturn]] int throw_on(lua_State*) { throw UnexpectedError(); }

void open_library(lua_State* lua, const char* name, void (*open)(lua_State*)) {
  open(lua);
  lua_setglobal(lua, name);
}

}  // namespace

Environment::Environment(Purpose purpose) : lua_(SIZE_MAX) {
  lua_State* lua = lua_;
  open_sandbox(lua);
  open_library(lua, "cjson", open_json);
  open_library(lua, "cmsgpack", open_msgpack);
  open_library(lua, "struct", open_struct);
  open_library(lua, "bit", open_bit);
  push_redis_library(lua, *this, purpose);
  lua_setglobal(lua, "redis");
  if (purpose == Purpose::scripts) {
    lua_pushcfunction(lua, error_handler);
    lua_setglobal(lua, "__redis__err__handler");
  }
  seal(lua);
  lua_settop(lua, 0);
  lua_atpanic(lua, throw_on);
}

Environment::Use::Use(Environment& environment, command::ScriptServer& server) : environment_(environment) {
  environment.server_ = &server;
  environment.lua_.set_watch(&environment);
}

Environment::Use::~Use() {
  environment_.lua_.set_watch(nullptr);
  environment_.server_ = nullptr;
  lua_settop(environment_.lua_, 0);
  environment_.tidy();
}

void Environment::tidy() {
  constexpr std::size_t kMore = std::size_t{16} * 1024 * 1024;
  // Lua refuses to pass the limit without looking for garbage first.
  if (lua_.memory() < std::min(2 * kept_ + kMore, lua_.memory_limit() / 2)) [[likely]]
    return;
  lua_gc(lua_, LUA_GCCOLLECT, 0);
  kept_ = lua_.memory();
}

void Environment::check(lua_State* lua) {
  const std::string_view error = server_->interrupt();
  if (!error.empty()) lua_.stop(lua, error);
}

int Environment::compile(std::string_view text, const char* chunk, std::string& error) {
  lua_State* lua = lua_;
  int failed = load_text(lua, text, chunk);
  if (failed == LUA_ERRMEM) {
    lua_pop(lua, 1);
    lua_gc(lua, LUA_GCCOLLECT, 0);
    failed = load_text(lua, text, chunk);
  }
  if (failed == 0) return luaL_ref(lua, LUA_REGISTRYINDEX);
  std::size_t size = 0;
  const char* message = lua_tolstring(lua, -1, &size);
  error.assign(message != nullptr ? std::string_view(message, size) : std::string_view("no reason given"));
  lua_pop(lua, 1);
  return LUA_NOREF;
}

}  // namespace fairlane::scripting
