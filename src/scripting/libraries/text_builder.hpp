#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "scripting/lua.hpp"

namespace fairlane::scripting {

/// Text that grows. Short text lies in the object itself; longer text is taken from the allocator of the Lua state, so
/// that the state counts it and its limit holds, and is given back when the object ends, also by a Lua error. Needs no
/// slot of Lua's stack. What exceeds the limit raises Lua's "not enough memory".
class TextBuilder {
 public:
  explicit TextBuilder(lua_State* lua) noexcept : lua_(lua), data_(first_) {}
  ~TextBuilder() {
    if (data_ != first_) release();
  }
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder& operator=(const TextBuilder&) = delete;

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
  void clear() noexcept { size_ = 0; }
  std::size_t size() const noexcept { return size_; }
  std::string_view view() const noexcept { return {data_, size_}; }
  void push() { lua_pushlstring(lua_, data_, size_); }

 private:
  static constexpr std::size_t kFirst = 1024;

  void enlarge(std::size_t bytes);
  void release() noexcept;

  lua_State* lua_;
  char* data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kFirst;
  char first_[kFirst];
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
