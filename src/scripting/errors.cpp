// errors.cpp - errors as tables {err = "CODE text", source, line}, and back.
#include "scripting/environment.hpp"
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

/// A field as text up to its first NUL, as Redis reads it, when it is text or a number; otherwise what stands in for
/// it.
std::string text_field(lua_State* lua, const char* name, const char* otherwise) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  std::string copy(lua_isstring(lua, -1) != 0 ? lua_tostring(lua, -1) : otherwise);
  lua_pop(lua, 1);
  return copy;
}

bool true_field(lua_State* lua, const char* name) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  const bool is = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  return is;
}

/// The function that raised the error: the first of Lua's own, for an error that one of ours raised.
bool raised_by(lua_State* lua, lua_Debug& where) {
  bool found = lua_getstack(lua, 1, &where) != 0 && lua_getinfo(lua, "nSl", &where) != 0;
  if (found && std::string_view(where.what) == "C") {
    found = lua_getstack(lua, 2, &where) != 0 && lua_getinfo(lua, "nSl", &where) != 0;
  }
  return found;
}

/// A guarded table cannot take the place of the error. Redis' handler fails there, and names itself.
void push_handler_failure(lua_State* lua) {
  lua_newtable(lua);
  lua_pushliteral(lua, "ERR err_handler_def:10: Attempt to modify a readonly table");
  lua_setfield(lua, -2, "err");
  lua_pushliteral(lua, "@err_handler_def");
  lua_setfield(lua, -2, "source");
  lua_pushinteger(lua, 10);
  lua_setfield(lua, -2, "line");
}

}  // namespace

void push_error(lua_State* lua, std::string_view text) {
  text = text.substr(0, text.find('\0'));
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  lua_newtable(lua);
  lua_pushstring(lua, "err");
  if (text.find(' ') == std::string_view::npos) {
    lua_pushstring(lua, "ERR ");
    lua_pushlstring(lua, text.data(), text.size());
    lua_concat(lua, 2);
  } else {
    lua_pushlstring(lua, text.data(), text.size());
  }
  lua_rawset(lua, -3);
}

int error_handler(lua_State* lua) {
  lua_settop(lua, 1);
  if (push_guarded(lua, 1)) {
    push_handler_failure(lua);
    return 1;
  }
  if (!lua_istable(lua, 1)) {
    lua_pushstring(lua, "ERR ");
    lua_getglobal(lua, "tostring");
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 1);
    lua_concat(lua, 2);
    lua_newtable(lua);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "err");
    lua_replace(lua, 1);
  }
  lua_Debug where;
  if (raised_by(lua, where)) {
    lua_pushstring(lua, where.source);
    lua_setfield(lua, 1, "source");
    lua_pushinteger(lua, where.currentline);
    lua_setfield(lua, 1, "line");
  }
  return 1;
}

ScriptError read_error(lua_State* lua) {
  ScriptError error;
  if (lua_istable(lua, -1)) {
    // Without a text Redis ends itself.
    error.text = text_field(lua, "err", "ERR unknown error");
    error.source = text_field(lua, "source", "");
    error.line = text_field(lua, "line", "");
    error.counted = true_field(lua, "ignore_error_stats_update");
  } else {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, -1, &size);
    error.text = "ERR Error running script, ";
    error.text.append(text != nullptr ? std::string_view(text, size) : std::string_view("execution failure"));
  }
  return error;
}

}  // namespace fairlane::scripting
