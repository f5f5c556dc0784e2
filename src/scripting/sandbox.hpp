#pragma once

#include <string_view>

#include "scripting/lua.hpp"

/// The globals that scripts see: those of Lua 5.1 that Redis leaves them, with own versions of what could crash, escape
/// or run without end.
///
/// Stock Lua has no read-only tables. A guarded table is therefore an empty one whose metatable reads from the true one
/// and refuses to be written to; next(), rawget() and the like look through it, rawset() and setmetatable() refuse it.
namespace fairlane::scripting {

/// Makes the globals. More can be added by lua_setglobal() until seal().
void open_sandbox(lua_State* lua);
/// Guards the globals and every library table among them.
void seal(lua_State* lua);
/// Pops a value and makes it a global, past the guard.
void set_global(lua_State* lua, const char* name);

/// Replaces the table at the top of the stack by a guard of it.
void guard_table(lua_State* lua);
/// Is the value a guarded table? Then pushes the true one.
bool push_guarded(lua_State* lua, int index);
/// Raises the error of whoever changes a guarded table.
int refuse_change(lua_State* lua);
/// A metamethod that raises the error of whoever reads a global that is not there.
int refuse_unknown_global(lua_State* lua);

/// Compiles text and pushes the function, or the error; never takes compiled code. Returns what lua_load() does.
int load_text(lua_State* lua, std::string_view text, const char* chunk);

/// Parts of the sandbox: each adds to the globals.
void open_base_functions(lua_State* lua);
void open_coroutines(lua_State* lua);
void open_string_functions(lua_State* lua);
void open_table_functions(lua_State* lua);
void open_random_numbers(lua_State* lua);

}  // namespace fairlane::scripting
