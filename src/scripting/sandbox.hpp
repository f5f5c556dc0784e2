#pragma once
#include "scripting/lua.hpp"
namespace fairlane::scripting {
void open_sandbox(lua_State* lua);
void seal(lua_State* lua);
void set_global(lua_State* lua, const char* name);
void reset_random(lua_State* lua);
}  // namespace fairlane::scripting
