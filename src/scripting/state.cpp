#include "scripting/state.hpp"

#include <cstdlib>
#include <new>

#include "fairlane/base/ticks.hpp"

namespace fairlane::scripting {
namespace {

/// Instructions of the virtual machine after which the time is looked at. They take some ten microseconds; but one can
/// take much longer, such as a comparison of long strings.
constexpr int kCountedInstructions = 4000;
/// About a millisecond.
constexpr std::uint64_t kTicksBetweenLooks = 3'000'000;
/// Memory that takes about a millisecond to be filled.
constexpr std::size_t kTakenBetweenLooks = std::size_t{4} << 20;

const char* stack_position() noexcept { return static_cast<const char*>(__builtin_frame_address(0)); }

}  // namespace

LuaState::LuaState(std::size_t memory_limit)
    : limit_(memory_limit), stack_base_(stack_position()), lua_(lua_newstate(allocate, this)) {
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
  if (new_size > old_size) state.note_taken(new_size - old_size);
  return moved;
}

/// A coroutine inherits the hook of the thread that makes it.
void LuaState::set_watch(Watch* watch) noexcept {
  watch_ = watch;
  stopped_by_.clear();
  resumed_ = 0;
  running_ = lua_;
  work_ = 0;
  taken_ = 0;
  looked_at_ = base::ticks();
  stack_base_ = stack_position();
  lua_sethook(lua_, watch != nullptr ? on_count : nullptr, LUA_MASKCOUNT, kCountedInstructions);
}

std::size_t LuaState::stack_in_use() const noexcept {
  const char* position = stack_position();
  return static_cast<std::size_t>(position < stack_base_ ? stack_base_ - position : position - stack_base_);
}

void LuaState::on_count(lua_State* lua, lua_Debug*) {
  LuaState& state = of(lua);
  state.raise_if_stopped(lua);
  if (lua_gethookcount(lua) != kCountedInstructions) lua_sethook(lua, on_count, LUA_MASKCOUNT, kCountedInstructions);
  if (base::ticks() - state.looked_at_ >= kTicksBetweenLooks) {
    state.look(lua);
  } else {
    state.count_work(lua, kCountedInstructions);
  }
}

void LuaState::look(lua_State* lua) {
  work_ = 0;
  raise_if_stopped(lua);
  if (watch_ != nullptr) watch_->check(lua);
  looked_at_ = base::ticks();
}

/// Inside of an allocation nobody can be asked: the next instruction does.
void LuaState::note_taken(std::size_t bytes) noexcept {
  taken_ += bytes;
  if (taken_ < kTakenBetweenLooks || watch_ == nullptr) return;
  taken_ = 0;
  lua_sethook(running_, on_count, LUA_MASKCOUNT, 1);
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
