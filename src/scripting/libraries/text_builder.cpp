#include "scripting/libraries/text_builder.hpp"

#include <algorithm>

#include "scripting/state.hpp"

namespace fairlane::scripting {

void TextBuilder::enlarge(std::size_t bytes) {
  void* owner = nullptr;
  const lua_Alloc allocate = lua_getallocf(lua_, &owner);
  const bool grown = data_ != first_;
  const std::size_t capacity = std::max(capacity_ * 2, size_ + bytes);
  char* larger = static_cast<char*>(allocate(owner, grown ? data_ : nullptr, grown ? capacity_ : 0, capacity));
  if (larger == nullptr) {
    lua_pushliteral(lua_, "not enough memory");
    lua_error(lua_);
  }
  if (!grown) std::memcpy(larger, first_, size_);
  data_ = larger;
  capacity_ = capacity;
}

void TextBuilder::release() noexcept {
  void* owner = nullptr;
  const lua_Alloc allocate = lua_getallocf(lua_, &owner);
  allocate(owner, data_, capacity_, 0);
}

void WorkMeter::look() {
  Watch* watch = LuaState::of(lua_).watch();
  if (watch != nullptr) watch->check(lua_);
}

}  // namespace fairlane::scripting
