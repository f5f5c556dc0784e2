#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scripting/lua.hpp"

namespace fairlane::scripting {

/// Asked now and then while Lua code runs, about every millisecond: instructions of the virtual machine count, the work
/// that library functions do meanwhile (LuaState::count_work) and the memory that is taken.
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

  /// Counts work that no instruction counts, in steps of a few nanoseconds, and asks the watch when it is much. May
  /// raise the error that ends the script.
  void count_work(lua_State* lua, std::size_t steps) {
    work_ += steps;
    if (work_ >= kWorkBetweenLooks) [[unlikely]]
      look(lua);
  }

  /// Ends what runs with an error that no pcall of the script can hold back.
  [[noreturn]] void stop(lua_State* lua, std::string_view error);
  bool stopped() const noexcept { return !stopped_by_.empty(); }
  /// To be called where an error was caught: raises it again when it is the one that ends the script. What is caught is
  /// to be popped already.
  void raise_if_stopped(lua_State* lua) {
    if (stopped()) [[unlikely]]
      stop(lua, stopped_by_);
  }

  /// Bytes of the process' stack in use since the run began. Lua limits what one coroutine takes, but not the sum.
  std::size_t stack_in_use() const noexcept;

  /// A coroutine that is resumed; for as long as it runs.
  class Resumed {
   public:
    Resumed(LuaState& state, lua_State* coroutine) noexcept : state_(state), resumer_(state.running_) {
      state_.running_ = coroutine;
      ++state_.resumed_;
    }
    ~Resumed() {
      state_.running_ = resumer_;
      --state_.resumed_;
    }
    Resumed(const Resumed&) = delete;
    Resumed& operator=(const Resumed&) = delete;
    /// How many run inside one another, this one among them.
    int depth() const noexcept { return state_.resumed_; }

   private:
    LuaState& state_;
    lua_State* resumer_;
  };

  /// The state of the random numbers.
  std::uint64_t& random() noexcept { return random_; }

  /// The object behind any thread (coroutine) of its Lua state.
  static LuaState& of(lua_State* lua) noexcept;

 private:
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
  static void on_count(lua_State* lua, lua_Debug* event);
  void look(lua_State* lua);
  void note_taken(std::size_t bytes) noexcept;

  static constexpr std::size_t kWorkBetweenLooks = 100000;

  std::size_t memory_ = 0;
  std::size_t limit_;
  Watch* watch_ = nullptr;
  std::size_t work_ = 0;         // steps since the last look
  std::size_t taken_ = 0;        // bytes since a look was last asked for
  std::uint64_t looked_at_ = 0;  // ticks
  const char* stack_base_;
  int resumed_ = 0;
  lua_State* running_ = nullptr;           // the coroutine that runs, or the state itself
  std::uint64_t random_ = 0x1234ABCD330E;  // as Redis begins
  std::string stopped_by_;                 // the error that ends what runs; empty when it goes on
  lua_State* lua_ = nullptr;
};

}  // namespace fairlane::scripting
