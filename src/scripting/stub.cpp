#include "scripting/libraries.hpp"
namespace fairlane::scripting {
void open_msgpack(lua_State* lua) { lua_newtable(lua); }
void open_struct(lua_State* lua) { lua_newtable(lua); }
void open_bit(lua_State* lua) { lua_newtable(lua); }
}  // namespace fairlane::scripting
