#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scripting/environment.hpp"

namespace fairlane::scripting {

/// Runs the code of libraries, which may do little more than register functions. All libraries share one table of
/// globals, which cannot be written to.
class LibraryLoader {
 public:
  explicit LibraryLoader(Environment& environment);

  /// Returns an error, or nothing; then the functions stand in the registry. The environment is in use.
  std::string load(std::string_view text, std::vector<command::ScriptEngine::Function>& functions);

 private:
  void point_globals_at(int table);
  static int register_function(lua_State* lua);
  void add(lua_State* lua);
  void read_positional(lua_State* lua, command::ScriptEngine::Function& function);
  void read_named(lua_State* lua, command::ScriptEngine::Function& function);
  void read_field(lua_State* lua, std::string_view name, command::ScriptEngine::Function& function);
  void read_flags(lua_State* lua, command::ScriptEngine::Function& function);
  void give_up(std::vector<command::ScriptEngine::Function>& functions);

  Environment& environment_;
  int globals_ = LUA_NOREF;        // the table of globals that libraries see: empty, it looks names up elsewhere
  int while_loading_ = LUA_NOREF;  // where, while a library is loaded
  int at_run_ = LUA_NOREF;         // and later
  std::vector<command::ScriptEngine::Function>* functions_ = nullptr;  // registered by the one that is being loaded
};

}  // namespace fairlane::scripting
