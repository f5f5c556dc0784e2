#include "scripting/libraries.hpp"
#include "scripting/sandbox.hpp"
namespace fairlane::scripting {
void open_sandbox(lua_State* lua) { luaL_openlibs(lua); }
void seal(lua_State*) {}
void set_global(lua_State* lua, const char* name) { lua_setglobal(lua, name); }
void reset_random(lua_State*) {}
void open_json(lua_State* lua) { lua_newtable(lua); }
void open_msgpack(lua_State* lua) { lua_newtable(lua); }
void open_struct(lua_State* lua) { lua_newtable(lua); }
void open_bit(lua_State* lua) { lua_newtable(lua); }
}  // namespace fairlane::scripting
