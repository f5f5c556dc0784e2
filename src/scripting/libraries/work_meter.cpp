#include "scripting/libraries/text_builder.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {

void WorkMeter::look() {
  Watch* watch = LuaState::of(lua_).watch();
  if (watch != nullptr) watch->check(lua_);
}

}  // namespace fairlane::scripting
