#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scripting/lua.hpp"

namespace fairlane::scripting {

/// Asked now and then while Lua code runs: every kWatchedInstructions instructions of the virtual machine, and by
/// library functions every so many steps of work that no instruction counts (matching patterns, building long strings).
class Watch {
 public:
  /// Returns, or ends the script by raising a Lua error.
  virtual void check(lua_State* lua) = 0;

 protected:
  ~Watch() = default;
};

/// One Lua state with its memory counted and limited. An allocation past the limit raises Lua's "not enough memory".
class LuaState {
 public:
  explicit LuaState(std::size_t memory_limit);
  ~LuaState();
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  lua_State* get() const noexcept { return lua_; }
  operator lua_State*() const noexcept { return lua_; }

  /// Bytes that the state holds.
  std::size_t memory() const noexcept { return memory_; }
  /// What holds already stays, also above the limit.
  void set_memory_limit(std::size_t bytes) noexcept { limit_ = bytes; }
  std::size_t memory_limit() const noexcept { return limit_; }

  /// Who is asked while code runs; null: nobody. Not owned.
  void set_watch(Watch* watch) noexcept;
  Watch* watch() const noexcept { return watch_; }

  /// Ends what runs with an error that no pcall of the script can hold back.
  [[noreturn]] void stop(lua_State* lua, std::string_view error);

  /// Coroutines that are resumed inside one another.
  int& resumed() noexcept { return resumed_; }
  /// Is so much of the process' stack in use that no other coroutine may begin? Lua counts calls in C for each
  /// coroutine anew, so many coroutines of many calls would use all of it.
  bool stack_is_deep() const noexcept;
  /// The state of the random numbers.
  std::uint64_t& random() noexcept { return random_; }

  /// The object behind any thread (coroutine) of its Lua state.
  static LuaState& of(lua_State* lua) noexcept;

 private:
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  static void on_count(lua_State* lua, lua_Debug* event);

  std::size_t memory_ = 0;
  std::size_t limit_;
  Watch* watch_ = nullptr;
  int resumed_ = 0;
  std::uintptr_t stack_begin_ = 0;  // where the process' stack stood when the watch was set
  std::uint64_t random_ = 0x1234ABCD330E;  // as Redis begins
  std::string stopped_by_;                 // the error that ends what runs; empty when it goes on
  lua_State* lua_ = nullptr;
};

}  // namespace fairlane::scripting
