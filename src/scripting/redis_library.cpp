// redis_library.cpp - the table `redis`: calling commands, replies, the log.
#include <cmath>
#include <cstdio>

#include "fairlane/base/number.hpp"
#include "fairlane/base/sha1.hpp"
#include "fairlane/command/version.hpp"
#include "scripting/environment.hpp"

namespace fairlane::scripting {
namespace {

Environment& environment_of(lua_State* lua) {
  return *static_cast<Environment*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return {text, size};
}

int raise(lua_State* lua, std::string_view text) {
  push_error(lua, text);
  return lua_error(lua);
}

/// A number as the command gets it: as many digits as tell it from every other.
void replace_by_text(lua_State* lua, int index) {
  const double value = lua_tonumber(lua, index);
  constexpr double kExact = 1e17;
  if (value == std::floor(value) && std::abs(value) < kExact && !(value == 0 && std::signbit(value))) {
    const base::NumberText text(static_cast<std::int64_t>(value));
    lua_pushlstring(lua, text.view().data(), text.view().size());
  } else {
    char text[64];
    const int size = std::snprintf(text, sizeof(text), "%.17g", value);
    lua_pushlstring(lua, text, static_cast<std::size_t>(size));
  }
  lua_replace(lua, index);
}

/// The arguments as words, which live as long as the arguments do. Empty when one is neither text nor number.
std::span<const std::string_view> words_of(lua_State* lua, std::vector<std::string_view>& words) {
  const int count = lua_gettop(lua);
  words.clear();
  for (int i = 1; i <= count; ++i) {
    const int type = lua_type(lua, i);
    if (type == LUA_TNUMBER) {
      replace_by_text(lua, i);
    } else if (type != LUA_TSTRING) {
      return {};
    }
    words.push_back(text_at(lua, i));
  }
  return words;
}

constexpr std::string_view kNoArguments = "ERR Please specify at least one argument for this redis lib call";
constexpr std::string_view kBadArguments = "ERR Lua redis lib command arguments must be strings or integers";

int fail_call(lua_State* lua, std::string_view text, bool raises) {
  push_error(lua, text);
  return raises ? lua_error(lua) : 1;
}

template <bool raises>
int call(lua_State* lua) {
  Environment& environment = environment_of(lua);
  if (lua_gettop(lua) == 0) return fail_call(lua, kNoArguments, raises);
  const auto words = words_of(lua, environment.words());
  if (words.empty()) return fail_call(lua, kBadArguments, raises);
  const std::string_view reply = environment.server().call(words);
  push_reply(lua, reply, environment.server().version());
  return raises && reply[0] == '-' ? lua_error(lua) : 1;
}

int sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
  const std::string digest = base::sha1_hex(text_at(lua, 1));
  lua_pushlstring(lua, digest.data(), digest.size());
  return 1;
}

int error_reply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    push_error(lua, "ERR wrong number or type of arguments");
    return 1;
  }
  std::string_view text = text_at(lua, 1);
  if (text.starts_with('-')) text.remove_prefix(1);
  push_error(lua, text);
  return 1;
}

int status_reply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    push_error(lua, "ERR wrong number or type of arguments");
    return 1;
  }
  lua_newtable(lua);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

int log(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count < 2) return raise(lua, "ERR redis.log() requires two arguments or more.");
  if (lua_isnumber(lua, 1) == 0) return raise(lua, "ERR First argument must be a number (log level).");
  const double level = lua_tonumber(lua, 1);
  if (!(level >= 0 && level < 4)) return raise(lua, "ERR Invalid debug level.");
  std::string line;
  for (int i = 2; i <= count; ++i) {
    if (lua_isstring(lua, i) == 0) continue;
    if (!line.empty()) line += ' ';
    line.append(text_at(lua, i));
  }
  environment_of(lua).server().log(static_cast<base::Log::Level>(static_cast<int>(level)), line);
  return 0;
}

int setresp(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR redis.setresp() requires one argument.");
  const double version = lua_tonumber(lua, 1);
  if (version != 2 && version != 3) return raise(lua, "ERR RESP version must be 2 or 3.");
  environment_of(lua).server().set_version(version == 3 ? protocol::Version::resp3 : protocol::Version::resp2);
  return 0;
}

/// Nothing is replicated.
int set_repl(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR redis.set_repl() requires two arguments.");
  const double flags = lua_tonumber(lua, 1);
  if (!(flags >= 0 && flags < 4)) {
    return raise(lua, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  }
  return 0;
}

int replicate_commands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

/// There is no debugger.
int breakpoint(lua_State* lua) {
  lua_pushboolean(lua, 0);
  return 1;
}
int debug(lua_State*) { return 0; }

int acl_check_cmd(lua_State* lua) {
  Environment& environment = environment_of(lua);
  if (lua_gettop(lua) == 0) return raise(lua, kNoArguments);
  const auto words = words_of(lua, environment.words());
  if (words.empty()) return raise(lua, kBadArguments);
  const std::optional<bool> may = environment.server().may_call(words);
  if (!may) return raise(lua, "ERR Invalid command passed to redis.acl_check_cmd()");
  lua_pushboolean(lua, *may ? 1 : 0);
  return 1;
}

struct Constant {
  const char* name;
  int value;
};
constexpr Constant kLevels[] = {{"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2}, {"LOG_WARNING", 3}};
constexpr Constant kReplication[] = {
    {"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3}};

struct Named {
  const char* name;
  lua_CFunction function;
};
constexpr Named kShared[] = {
    {"call", call<true>},         {"pcall", call<false>},         {"sha1hex", sha1hex},
    {"error_reply", error_reply}, {"status_reply", status_reply}, {"log", log},
    {"setresp", setresp},         {"set_repl", set_repl},         {"acl_check_cmd", acl_check_cmd}};
constexpr Named kScriptsOnly[] = {
    {"replicate_commands", replicate_commands}, {"breakpoint", breakpoint}, {"debug", debug}};
constexpr Named kLoading[] = {{"log", log}};

void set_constants(lua_State* lua, std::span<const Constant> constants) {
  for (const Constant& one : constants) {
    lua_pushinteger(lua, one.value);
    lua_setfield(lua, -2, one.name);
  }
}

void set_functions(lua_State* lua, Environment& environment, std::span<const Named> functions) {
  for (const Named& one : functions) {
    lua_pushlightuserdata(lua, &environment);
    lua_pushcclosure(lua, one.function, 1);
    lua_setfield(lua, -2, one.name);
  }
}

void set_version_facts(lua_State* lua) {
  lua_pushlstring(lua, command::kRedisVersion.data(), command::kRedisVersion.size());
  lua_setfield(lua, -2, "REDIS_VERSION");
  lua_pushinteger(lua, command::kRedisVersionNumber);
  lua_setfield(lua, -2, "REDIS_VERSION_NUM");
}

}  // namespace

void push_redis_library(lua_State* lua, Environment& environment, Environment::Purpose purpose) {
  lua_newtable(lua);
  set_functions(lua, environment, kShared);
  if (purpose == Environment::Purpose::scripts) set_functions(lua, environment, kScriptsOnly);
  set_constants(lua, kLevels);
  set_constants(lua, kReplication);
  set_version_facts(lua);
}

void push_loading_library(lua_State* lua, Environment& environment) {
  lua_newtable(lua);
  set_functions(lua, environment, kLoading);
  set_constants(lua, kLevels);
  set_version_facts(lua);
}

}  // namespace fairlane::scripting
