#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/script_engine.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {

/// An error that no protected call expects: memory ran out while a run was prepared or answered. Thrown out of Lua.
struct UnexpectedError {};

/// One Lua state with the guarded globals and the table `redis`: scripts have one, libraries of functions another.
class Environment final : public Watch {
 public:
  enum class Purpose : std::uint8_t { scripts, functions };
  /// No limit of memory holds yet: with one too low for the libraries there is nobody to catch the error.
  explicit Environment(Purpose purpose);

  LuaState& lua() noexcept { return lua_; }

  /// Compiles text, and keeps what it gives in the registry. Returns its reference, or LUA_NOREF with an error.
  int compile(std::string_view text, const char* chunk, std::string& error);

  /// The server is asked through this one while it lives.
  class Use {
   public:
    Use(Environment& environment, command::ScriptServer& server);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Environment& environment_;
  };

  /// Who serves the running script; only while one runs.
  command::ScriptServer& server() noexcept { return *server_; }

  void check(lua_State* lua) override;

  /// Frees what a script has left when that is much more than what the state held before.
  void tidy();

  /// The words of a call that is being made, kept to spare the allocation.
  std::vector<std::string_view>& words() noexcept { return words_; }

 private:
  command::ScriptServer* server_ = nullptr;
  std::vector<std::string_view> words_;
  std::size_t kept_ = 0;  // bytes, when it was last tidied
  LuaState lua_;
};

/// Pushes the table `redis` as scripts or functions see it.
void push_redis_library(lua_State* lua, Environment& environment, Environment::Purpose purpose);
/// What a library's own code sees of it while it is loaded, but for register_function.
void push_loading_library(lua_State* lua, Environment& environment);

/// A message handler for lua_pcall: makes a table {err, source, line} of any error.
int error_handler(lua_State* lua);

/// What went wrong, taken from the top of the stack: an error object or text.
struct ScriptError {
  std::string text;  ///< with its code
  std::string source;
  std::string line;
  bool counted = false;  ///< by the command that failed
};
ScriptError read_error(lua_State* lua);

/// Pushes an error object. A text without a code gets ERR.
void push_error(lua_State* lua, std::string_view text);

/// Pushes the value of a reply in RESP.
void push_reply(lua_State* lua, std::string_view reply, protocol::Version version);

/// Writes the value at the top of the stack as a reply and pops it.
void write_value(lua_State* lua, command::ScriptServer& server, protocol::Reply& reply);

}  // namespace fairlane::scripting
