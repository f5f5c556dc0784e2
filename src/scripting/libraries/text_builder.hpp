#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "scripting/lua.hpp"

namespace fairlane::scripting {

/// Text that grows in memory of the Lua state, so that the state's limit holds for it: a user datum at a fixed place of
/// the stack, replaced by a larger one when it is full.
class TextBuilder {
 public:
  /// Pushes the user datum.
  explicit TextBuilder(lua_State* lua) : lua_(lua), data_(static_cast<char*>(lua_newuserdata(lua, kFirst))) {
    place_ = lua_gettop(lua);
  }

  void append(std::string_view text) {
    char* to = room(text.size());
    std::memcpy(to, text.data(), text.size());
    size_ += text.size();
  }
  void append(char c) {
    *room(1) = c;
    ++size_;
  }
  /// Room for so many bytes at the end; write there, then call grow_by().
  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) enlarge(bytes);
    return data_ + size_;
  }
  void grow_by(std::size_t bytes) noexcept { size_ += bytes; }
  void truncate(std::size_t size) noexcept { size_ = size; }
  std::size_t size() const noexcept { return size_; }
  std::string_view view() const noexcept { return {data_, size_}; }
  void push() { lua_pushlstring(lua_, data_, size_); }

 private:
  static constexpr std::size_t kFirst = 512;

  void enlarge(std::size_t bytes) {
    std::size_t wanted = capacity_ * 2;
    if (wanted < size_ + bytes) wanted = size_ + bytes;
    luaL_checkstack(lua_, 1, "too deep");
    char* larger = static_cast<char*>(lua_newuserdata(lua_, wanted));
    std::memcpy(larger, data_, size_);
    lua_replace(lua_, place_);
    data_ = larger;
    capacity_ = wanted;
  }

  lua_State* lua_;
  char* data_;
  int place_ = 0;
  std::size_t size_ = 0;
  std::size_t capacity_ = kFirst;
};

/// To be called for each step of work that no instruction counts.
class WorkMeter {
 public:
  explicit WorkMeter(lua_State* lua) noexcept : lua_(lua) {}
  void step() {
    if (++steps_ % 65536 == 0) look();
  }

 private:
  void look();
  lua_State* lua_;
  unsigned steps_ = 0;
};

}  // namespace fairlane::scripting
