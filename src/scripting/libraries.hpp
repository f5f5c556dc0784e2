#pragma once
#include "scripting/lua.hpp"
namespace fairlane::scripting {
void open_json(lua_State* lua);
void open_msgpack(lua_State* lua);
void open_struct(lua_State* lua);
void open_bit(lua_State* lua);
}  // namespace fairlane::scripting
