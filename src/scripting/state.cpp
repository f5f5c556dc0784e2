#include "scripting/state.hpp"

#include <cstdlib>
#include <new>

namespace fairlane::scripting {
namespace {

/// Instructions of the virtual machine between two looks at the watch: about a millisecond.
constexpr int kWatchedInstructions = 100000;

/// Of the process' stack, which has 8 MB: the calls inside the last coroutine, 200 at most of up to 9 KB (gsub), and a
/// pattern that is matched there take a few more.
constexpr std::uintptr_t kDeepStack = std::uintptr_t{1} * 1024 * 1024;

/// Not the address of a variable: a sanitizer may keep variables elsewhere.
std::uintptr_t stack_address() noexcept { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

}  // namespace

LuaState::LuaState(std::size_t memory_limit) : limit_(memory_limit), lua_(lua_newstate(allocate, this)) {
  if (lua_ == nullptr) throw std::bad_alloc();
}

LuaState::~LuaState() { lua_close(lua_); }

LuaState& LuaState::of(lua_State* lua) noexcept {
  void* self = nullptr;
  lua_getallocf(lua, &self);
  return *static_cast<LuaState*>(self);
}

void* LuaState::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  auto& state = *static_cast<LuaState*>(self);
  if (new_size == 0) {
    std::free(block);
    state.memory_ -= old_size;
    return nullptr;
  }
  // Lua counts on shrinking to succeed.
  if (new_size > old_size && state.memory_ - old_size + new_size > state.limit_) return nullptr;
  void* moved = std::realloc(block, new_size);
  if (moved == nullptr) return nullptr;
  state.memory_ = state.memory_ - old_size + new_size;
  return moved;
}

/// A coroutine inherits the hook of the thread that makes it.
void LuaState::set_watch(Watch* watch) noexcept {
  watch_ = watch;
  stopped_by_.clear();
  resumed_ = 0;
  stack_begin_ = stack_address();
  lua_sethook(lua_, watch != nullptr ? on_count : nullptr, LUA_MASKCOUNT, kWatchedInstructions);
}

bool LuaState::stack_is_deep() const noexcept {
  const std::uintptr_t now = stack_address();
  return now < stack_begin_ && stack_begin_ - now > kDeepStack;
}

void LuaState::on_count(lua_State* lua, lua_Debug*) {
  LuaState& state = of(lua);
  if (!state.stopped_by_.empty()) state.stop(lua, state.stopped_by_);
  if (state.watch_ != nullptr) state.watch_->check(lua);
}

void LuaState::stop(lua_State* lua, std::string_view error) {
  if (stopped_by_.empty()) stopped_by_ = error;
  // The script may catch the error; then its next instruction raises it again.
  lua_sethook(lua, on_count, LUA_MASKCOUNT, 1);
  lua_sethook(lua_, on_count, LUA_MASKCOUNT, 1);
  lua_newtable(lua);
  lua_pushlstring(lua, stopped_by_.data(), stopped_by_.size());
  lua_setfield(lua, -2, "err");
  lua_error(lua);
  std::abort();
}

}  // namespace fairlane::scripting
