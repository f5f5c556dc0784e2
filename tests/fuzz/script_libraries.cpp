#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fairlane/base/assert.hpp"
#include "fuzz/targets.hpp"
#include "scripting/libraries.hpp"
#include "scripting/state.hpp"

namespace fairlane::fuzz {
namespace {

using scripting::LuaState;

constexpr std::size_t kMemory = std::size_t{64} << 20;

/// Ends what goes on too long.
class PatientWatch final : public scripting::Watch {
 public:
  void check(lua_State* lua) override {
    constexpr int kPatience = 16;
    if (++looks_ < kPatience) return;
    lua_pushliteral(lua, "stopped");
    lua_error(lua);
  }

 private:
  int looks_ = 0;
};

/// Calls a function of the library at index 1 with what lies above `from`, which the results replace. False: an error,
/// which lies there then.
bool call(lua_State* lua, const char* function, int from) {
  lua_getfield(lua, 1, function);
  lua_insert(lua, from + 1);
  return lua_pcall(lua, lua_gettop(lua) - from - 1, LUA_MULTRET, 0) == 0;
}

void push(lua_State* lua, std::string_view text) { lua_pushlstring(lua, text.data(), text.size()); }

/// What was decoded can be decoded again when it can be encoded.
void json(lua_State* lua, std::string_view text) {
  scripting::open_json(lua);
  push(lua, text);
  if (!call(lua, "decode", 1) || !call(lua, "encode", 1)) return;
  FAIRLANE_ASSERT(lua_type(lua, -1) == LUA_TSTRING);
  lua_pushvalue(lua, -1);
  const bool decoded = call(lua, "decode", 2);
  FAIRLANE_ASSERT(decoded || std::string_view(lua_tostring(lua, -1)) == "stopped");
}

void msgpack(lua_State* lua, std::string_view bytes) {
  scripting::open_msgpack(lua);
  push(lua, bytes);
  if (!call(lua, "unpack", 1) || lua_gettop(lua) == 1) return;
  if (call(lua, "pack", 1)) call(lua, "unpack", 1);
}

/// The bytes up to the first NUL are the format.
void structure(lua_State* lua, std::string_view bytes) {
  scripting::open_struct(lua);
  const std::size_t end = bytes.find('\0');
  const std::string_view format = bytes.substr(0, end);
  push(lua, format);
  call(lua, "size", 1);
  lua_settop(lua, 1);
  push(lua, format);
  push(lua, end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1));
  if (!call(lua, "unpack", 1)) return;
  FAIRLANE_ASSERT(lua_isnumber(lua, -1) != 0);
  lua_pop(lua, 1);
  push(lua, format);
  lua_insert(lua, 2);
  call(lua, "pack", 1);
}

struct Input {
  unsigned library;
  std::string_view bytes;
};

int run(lua_State* lua) {
  const Input input = *static_cast<const Input*>(lua_touserdata(lua, 1));
  lua_settop(lua, 0);
  switch (input.library % 3) {
    case 0:
      json(lua, input.bytes);
      break;
    case 1:
      msgpack(lua, input.bytes);
      break;
    default:
      structure(lua, input.bytes);
  }
  return 0;
}

}  // namespace

void script_libraries(std::span<const std::uint8_t> input) {
  if (input.empty()) return;
  LuaState lua(kMemory);
  PatientWatch watch;
  lua.set_watch(&watch);
  Input given{input[0], {reinterpret_cast<const char*>(input.data()) + 1, input.size() - 1}};
  lua_cpcall(lua, run, &given);
  FAIRLANE_ASSERT(lua.memory() <= kMemory);
}

}  // namespace fairlane::fuzz
