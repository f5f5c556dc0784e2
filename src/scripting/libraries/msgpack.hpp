#pragma once

#include "scripting/lua.hpp"

namespace fairlane::scripting {

int msgpack_pack(lua_State* lua);
int msgpack_unpack(lua_State* lua);
int msgpack_unpack_one(lua_State* lua);
int msgpack_unpack_limit(lua_State* lua);

}  // namespace fairlane::scripting
