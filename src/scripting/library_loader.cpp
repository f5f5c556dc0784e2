#include "scripting/library_loader.hpp"

#include <algorithm>

#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

using Function = command::ScriptEngine::Function;

constexpr const char* kChunk = "@user_function";

std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return {text, size};
}

int raise(lua_State* lua, std::string_view text) {
  push_error(lua, text);
  return lua_error(lua);
}

/// Makes the table at the top refuse names that it does not have.
void refuse_unknown(lua_State* lua) {
  lua_newtable(lua);
  lua_pushcfunction(lua, refuse_unknown_global);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
}

}  // namespace

LibraryLoader::LibraryLoader(Environment& environment) : environment_(environment) {
  lua_State* lua = environment_.lua();
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  at_run_ = luaL_ref(lua, LUA_REGISTRYINDEX);

  // {redis = {register_function, log, ...}}
  lua_newtable(lua);
  push_loading_library(lua, environment_);
  lua_pushlightuserdata(lua, this);
  lua_pushcclosure(lua, register_function, 1);
  lua_setfield(lua, -2, "register_function");
  refuse_unknown(lua);
  guard_table(lua);
  lua_setfield(lua, -2, "redis");
  refuse_unknown(lua);
  while_loading_ = luaL_ref(lua, LUA_REGISTRYINDEX);

  lua_newtable(lua);
  guard_table(lua);
  globals_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  point_globals_at(at_run_);
}

void LibraryLoader::point_globals_at(int table) {
  lua_State* lua = environment_.lua();
  lua_rawgeti(lua, LUA_REGISTRYINDEX, globals_);
  lua_getmetatable(lua, -1);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, table);
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 2);
}

std::string LibraryLoader::load(std::string_view text, std::vector<Function>& functions) {
  lua_State* lua = environment_.lua();
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  std::string error;
  const int code = environment_.compile(text, kChunk, error);
  if (!error.empty()) return "ERR Error compiling function: " + error;
  functions_ = &functions;
  point_globals_at(while_loading_);
  lua_pushcfunction(lua, error_handler);
  const int handler = lua_gettop(lua);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, code);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, globals_);
  lua_setfenv(lua, -2);
  const int failed = lua_pcall(lua, 0, 0, handler);
  point_globals_at(at_run_);
  functions_ = nullptr;
  luaL_unref(lua, LUA_REGISTRYINDEX, code);
  if (failed != 0) {
    error = "ERR Error registering functions: " + read_error(lua).text;
    give_up(functions);
  }
  return error;
}

void LibraryLoader::give_up(std::vector<Function>& functions) {
  for (const Function& function : functions) luaL_unref(environment_.lua(), LUA_REGISTRYINDEX, function.code);
  functions.clear();
}

int LibraryLoader::register_function(lua_State* lua) {
  static_cast<LibraryLoader*>(lua_touserdata(lua, lua_upvalueindex(1)))->add(lua);
  return 0;
}

/// The callback is left at the top of the stack by both forms.
void LibraryLoader::add(lua_State* lua) {
  if (functions_ == nullptr) raise(lua, "ERR redis.register_function can only be called on FUNCTION LOAD command");
  const int count = lua_gettop(lua);
  Function function;
  if (count == 0 || count > 2) raise(lua, "ERR wrong number of arguments to redis.register_function");
  count == 1 ? read_named(lua, function) : read_positional(lua, function);
  if (!command::good_library_name(function.name)) raise(lua, command::kBadLibraryName);
  const bool known = std::any_of(functions_->begin(), functions_->end(),
                                 [&](const Function& other) { return other.name == function.name; });
  if (known) raise(lua, "ERR Function already exists in the library");
  function.code = luaL_ref(lua, LUA_REGISTRYINDEX);
  functions_->push_back(std::move(function));
}

void LibraryLoader::read_positional(lua_State* lua, Function& function) {
  if (lua_isstring(lua, 1) == 0) raise(lua, "ERR first argument to redis.register_function must be a string");
  function.name = text_at(lua, 1);
  if (!lua_isfunction(lua, 2)) raise(lua, "ERR second argument to redis.register_function must be a function");
}

void LibraryLoader::read_named(lua_State* lua, Function& function) {
  if (!lua_istable(lua, 1)) {
    raise(lua,
          "ERR calling redis.register_function with a single argument is only applicable to Lua table (representing "
          "named arguments).");
  }
  lua_pushnil(lua);  // the callback's place
  for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
    if (lua_type(lua, -2) != LUA_TSTRING) raise(lua, "ERR unknown argument given to redis.register_function");
    read_field(lua, text_at(lua, -2), function);
  }
  if (function.name.empty()) raise(lua, "ERR redis.register_function must get a function name argument");
  if (lua_isnil(lua, 2)) raise(lua, "ERR redis.register_function must get a callback argument");
}

/// The value is at the top of the stack.
void LibraryLoader::read_field(lua_State* lua, std::string_view name, Function& function) {
  if (name == "function_name") {
    if (lua_isstring(lua, -1) == 0) {
      raise(lua, "ERR function_name argument given to redis.register_function must be a string");
    }
    lua_pushvalue(lua, -1);
    function.name = text_at(lua, -1);
    lua_pop(lua, 1);
  } else if (name == "description") {
    if (lua_isstring(lua, -1) == 0) {
      raise(lua, "ERR description argument given to redis.register_function must be a string");
    }
    function.description = text_at(lua, -1);
  } else if (name == "callback") {
    if (!lua_isfunction(lua, -1)) {
      raise(lua, "ERR callback argument given to redis.register_function must be a function");
    }
    lua_pushvalue(lua, -1);
    lua_replace(lua, 2);
  } else if (name == "flags") {
    if (!lua_istable(lua, -1)) {
      raise(lua, "ERR flags argument to redis.register_function must be a table representing function flags");
    }
    read_flags(lua, function);
  } else {
    raise(lua, "ERR unknown argument given to redis.register_function");
  }
}

void LibraryLoader::read_flags(lua_State* lua, Function& function) {
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) break;
    const auto flag = lua_isstring(lua, -1) != 0 ? command::script_flag(text_at(lua, -1)) : command::ScriptFlag::none;
    if (flag == command::ScriptFlag::none) raise(lua, "ERR unknown flag given");
    function.flags = function.flags | flag;
    lua_pop(lua, 1);
  }
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
