#include "fairlane/scripting/lua_engine.hpp"

#include <optional>

#include "fairlane/command/settings.hpp"
#include "scripting/environment.hpp"
#include "scripting/library_loader.hpp"
#include "scripting/sandbox.hpp"

namespace fairlane::scripting {
namespace {

constexpr const char* kScriptChunk = "@user_script";

void push_table(lua_State* lua, std::span<const std::string_view> words) {
  lua_createtable(lua, static_cast<int>(words.size()), 0);
  int index = 0;
  for (const std::string_view word : words) {
    lua_pushlstring(lua, word.data(), word.size());
    lua_rawseti(lua, -2, ++index);
  }
}

/// The error at the top of the stack as the script's reply.
void write_error(lua_State* lua, command::ScriptEngine::Run& run) {
  const ScriptError error = read_error(lua);
  std::string text = error.text;
  if (!error.source.empty() && !error.line.empty()) {
    text.append(" script: ").append(run.name).append(", on ").append(error.source).append(":").append(error.line);
    text.append(".");
  }
  run.reply.error(text);
  if (!error.counted) run.server.note_error(text);
}

}  // namespace

struct LuaEngine::State {
  explicit State(const command::Settings& the_settings) : settings(the_settings) {}

  /// Made when the first script comes: a server without any needs no memory for them.
  Environment& scripts() {
    if (!script_environment) script_environment.emplace(Environment::Purpose::scripts);
    return *script_environment;
  }
  Environment& functions() {
    if (!function_environment) {
      function_environment.emplace(Environment::Purpose::functions);
      loader.emplace(*function_environment);
    }
    return *function_environment;
  }
  std::size_t limit() const noexcept {
    return settings.script_memory_limit == 0 ? SIZE_MAX : settings.script_memory_limit;
  }

  const command::Settings& settings;
  std::optional<Environment> script_environment;
  std::optional<Environment> function_environment;
  std::optional<LibraryLoader> loader;
};

LuaEngine::LuaEngine(const command::Settings& settings) : state_(std::make_unique<State>(settings)) {}
LuaEngine::~LuaEngine() = default;

command::ScriptEngine::Compiled LuaEngine::compile(std::string_view text) {
  // The end of the first line stays, so that lines are counted as they stand.
  if (text.starts_with("#!")) text.remove_prefix(std::min(text.find('\n'), text.size()));
  Compiled compiled;
  Environment& environment = state_->scripts();
  environment.lua().set_memory_limit(state_->limit());
  compiled.code = environment.compile(text, kScriptChunk, compiled.error);
  return compiled;
}

void LuaEngine::forget(Code code) {
  if (state_->script_environment) luaL_unref(state_->script_environment->lua(), LUA_REGISTRYINDEX, code);
}

void LuaEngine::forget_scripts() { state_->script_environment.reset(); }

std::string LuaEngine::load_library(std::string_view text, command::ScriptServer& server,
                                    std::vector<Function>& functions) {
  Environment& environment = state_->functions();
  environment.lua().set_memory_limit(state_->limit());
  const Environment::Use use(environment, server);
  return state_->loader->load(text, functions);
}

void LuaEngine::forget_function(Code code) {
  if (state_->function_environment) luaL_unref(state_->function_environment->lua(), LUA_REGISTRYINDEX, code);
}

void LuaEngine::forget_functions() {
  state_->loader.reset();
  state_->function_environment.reset();
}

void LuaEngine::run(Code code, Run& run) {
  Environment& environment = state_->scripts();
  run_in(environment, run, [&](lua_State* lua) {
    push_table(lua, run.keys);
    set_global(lua, "KEYS");
    push_table(lua, run.arguments);
    set_global(lua, "ARGV");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, code);
    return 0;
  });
}

void LuaEngine::run_function(Code code, Run& run) {
  Environment& environment = state_->functions();
  run_in(environment, run, [&](lua_State* lua) {
    lua_rawgeti(lua, LUA_REGISTRYINDEX, code);
    push_table(lua, run.keys);
    push_table(lua, run.arguments);
    return 2;
  });
}

/// `prepare` pushes what is to be called with its arguments, and returns how many these are.
template <class Prepare>
void LuaEngine::run_in(Environment& environment, Run& run, Prepare prepare) {
  environment.lua().set_memory_limit(state_->limit());
  const Environment::Use use(environment, run.server);
  lua_State* lua = environment.lua();
  const std::size_t mark = run.reply.buffer().size();
  try {
    lua_pushcfunction(lua, error_handler);
    const int arguments = prepare(lua);
    if (lua_pcall(lua, arguments, 1, 1) != 0) {
      write_error(lua, run);
    } else {
      write_value(lua, run.server, run.reply);
    }
  } catch (const UnexpectedError&) {
    run.reply.buffer().truncate(mark);
    run.reply.error("ERR Error running script, not enough memory");
    run.server.note_error("ERR Error running script, not enough memory");
  }
}

std::size_t LuaEngine::script_memory() const {
  return state_->script_environment ? state_->script_environment->lua().memory() : 0;
}
std::size_t LuaEngine::function_memory() const {
  return state_->function_environment ? state_->function_environment->lua().memory() : 0;
}

}  // namespace fairlane::scripting
