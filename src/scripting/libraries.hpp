#pragma once

#include "scripting/lua.hpp"

/// The libraries that Redis adds to Lua, written anew: each function pushes its table. They take any input without
/// reading beyond it, go no deeper than the stack allows, and take their memory from the Lua state, which limits it.
namespace fairlane::scripting {

/// JSON: encode, decode and what adjusts them. What a script sets there lasts, as in Redis.
void open_json(lua_State* lua);
/// MessagePack: pack, unpack, unpack_one, unpack_limit.
void open_msgpack(lua_State* lua);
/// Binary structures: pack, unpack, size.
void open_struct(lua_State* lua);
/// Operations on the bits of 32-bit integers.
void open_bit(lua_State* lua);

}  // namespace fairlane::scripting
