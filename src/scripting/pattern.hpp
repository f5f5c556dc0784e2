#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "scripting/state.hpp"

namespace fairlane::scripting {

/// Matches Lua 5.1's patterns (reference manual, section 5.4.1). Unlike the stock matcher it can be stopped, since some
/// patterns take longer than any script may, and it does not go as deep as a long pattern asks for. A NUL ends a
/// pattern. Raises Lua errors: malformed patterns, too many captures, patterns that are too complex.
class Pattern {
 public:
  /// The texts outlive it.
  Pattern(lua_State* lua, std::string_view subject, std::string_view pattern) noexcept
      : lua_(lua), state_(LuaState::of(lua)), subject_(subject), pattern_(pattern.substr(0, pattern.find('\0'))) {}

  /// Tries to match at exactly this place of the subject. Returns the end of the match, or kNone.
  std::size_t match_at(std::size_t place);
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Of the last match.
  int captures() const noexcept { return level_; }
  /// Pushes a capture: text or a position. Without any in the pattern the first is the whole match.
  void push_capture(int index, std::size_t begin, std::size_t end);
  /// Pushes all captures, the whole match when there are none and it is asked for. Returns how many.
  int push_captures(std::size_t begin, std::size_t end, bool whole_if_none);

 private:
  static constexpr int kMostCaptures = LUA_MAXCAPTURES;
  static constexpr std::size_t kOpen = static_cast<std::size_t>(-2);
  static constexpr std::size_t kPosition = static_cast<std::size_t>(-3);
  struct Capture {
    std::size_t begin;
    std::size_t size;
  };

  std::size_t match(std::size_t s, std::size_t p);
  std::size_t end_of_class(std::size_t p);
  bool single(std::size_t s, std::size_t p, std::size_t end) const noexcept;
  bool in_set(unsigned char c, std::size_t p, std::size_t end) const noexcept;
  bool in_class(unsigned char c, unsigned char letter) const noexcept;
  std::size_t match_most(std::size_t s, std::size_t p, std::size_t end);
  std::size_t match_least(std::size_t s, std::size_t p, std::size_t end);
  std::size_t match_optional(std::size_t s, std::size_t p, std::size_t end);
  std::size_t open_capture(std::size_t s, std::size_t p, std::size_t kind);
  std::size_t close_capture(std::size_t s, std::size_t p);
  std::size_t match_balanced(std::size_t s, std::size_t p);
  std::size_t match_back_reference(std::size_t s, unsigned char digit);
  bool at_frontier(std::size_t s, std::size_t p, std::size_t end) const noexcept;
  /// No instruction of the virtual machine counts these.
  void count_step() { state_.count_work(lua_, 1); }

  lua_State* lua_;
  LuaState& state_;
  std::string_view subject_;
  std::string_view pattern_;
  std::array<Capture, kMostCaptures> captures_;
  int level_ = 0;
  int depth_ = 0;
};

}  // namespace fairlane::scripting
