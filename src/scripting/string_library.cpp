// string_library.cpp - functions on strings that match patterns, or take long where Lua's own cannot be stopped.
#include <cctype>
#include <cstring>
#include <string_view>

#include "scripting/libraries/text_builder.hpp"
#include "scripting/pattern.hpp"
#include "scripting/sandbox.hpp"
#include "scripting/state.hpp"

namespace fairlane::scripting {
namespace {

std::string_view check_text(lua_State* lua, int argument) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, argument, &size);
  return {text, size};
}

/// The place that an index means, which counts from 1, or from the end when negative.
std::size_t start_of(lua_Integer index, std::size_t size) noexcept {
  const auto length = static_cast<lua_Integer>(size);
  if (index < 0) index += length + 1;
  if (index < 1) return 0;
  return static_cast<std::size_t>(index - 1 > length ? length : index - 1);
}

/// Up to a NUL, where a pattern ends. Without any the text is searched for as a whole.
bool has_specials(std::string_view pattern) noexcept {
  return pattern.substr(0, pattern.find('\0')).find_first_of("^$*+?.([%-") != std::string_view::npos;
}

/// Like std::string_view::find, which takes hours for some texts, but can be stopped.
std::size_t find_text(lua_State* lua, std::string_view subject, std::string_view text, std::size_t at) {
  constexpr std::size_t kBytesInStep = 16;
  if (text.empty()) return at;
  LuaState& state = LuaState::of(lua);
  while (subject.size() - at >= text.size()) {
    const std::size_t places = subject.size() - at - text.size() + 1;
    const void* found = std::memchr(subject.data() + at, text.front(), places);
    if (found == nullptr) {
      state.count_work(lua, places / kBytesInStep);
      break;
    }
    const auto place = static_cast<std::size_t>(static_cast<const char*>(found) - subject.data());
    state.count_work(lua, (place - at + text.size()) / kBytesInStep + 1);
    if (std::memcmp(subject.data() + place, text.data(), text.size()) == 0) return place;
    at = place + 1;
  }
  return std::string_view::npos;
}

template <bool find>
int search(lua_State* lua) {
  const std::string_view subject = check_text(lua, 1);
  std::string_view pattern = check_text(lua, 2);
  std::size_t at = start_of(luaL_optinteger(lua, 3, 1), subject.size());
  if (find && (lua_toboolean(lua, 4) != 0 || !has_specials(pattern))) {
    const std::size_t place = find_text(lua, subject, pattern, at);
    if (place == std::string_view::npos) {
      lua_pushnil(lua);
      return 1;
    }
    lua_pushinteger(lua, static_cast<lua_Integer>(place) + 1);
    lua_pushinteger(lua, static_cast<lua_Integer>(place + pattern.size()));
    return 2;
  }
  const bool anchored = pattern.starts_with('^');
  if (anchored) pattern.remove_prefix(1);
  Pattern matcher(lua, subject, pattern);
  do {
    const std::size_t end = matcher.match_at(at);
    if (end == Pattern::kNone) continue;
    if (!find) return matcher.push_captures(at, end, true);
    lua_pushinteger(lua, static_cast<lua_Integer>(at) + 1);
    lua_pushinteger(lua, static_cast<lua_Integer>(end));
    return matcher.push_captures(at, end, false) + 2;
  } while (at++ < subject.size() && !anchored);
  lua_pushnil(lua);
  return 1;
}

/// Its upvalues: the subject, the pattern, and where to go on.
int next_match(lua_State* lua) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, lua_upvalueindex(1), &size);
  const std::string_view subject(text, size);
  text = lua_tolstring(lua, lua_upvalueindex(2), &size);
  Pattern matcher(lua, subject, {text, size});
  for (auto at = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(3))); at <= subject.size(); ++at) {
    const std::size_t end = matcher.match_at(at);
    if (end == Pattern::kNone) continue;
    lua_pushinteger(lua, static_cast<lua_Integer>(end == at ? end + 1 : end));
    lua_replace(lua, lua_upvalueindex(3));
    return matcher.push_captures(at, end, true);
  }
  return 0;
}

int gmatch(lua_State* lua) {
  check_text(lua, 1);
  check_text(lua, 2);
  lua_settop(lua, 2);
  lua_pushinteger(lua, 0);
  lua_pushcclosure(lua, next_match, 3);
  return 1;
}

/// What gsub puts in the place of one match.
class Replacement {
 public:
  Replacement(lua_State* lua, std::string_view subject, Pattern& matcher) noexcept
      : lua_(lua), subject_(subject), matcher_(matcher), type_(lua_type(lua, 3)) {}

  void add(luaL_Buffer& out, std::size_t begin, std::size_t end) {
    if (type_ == LUA_TSTRING || type_ == LUA_TNUMBER) return add_text(out, begin, end);
    if (type_ == LUA_TTABLE) {
      matcher_.push_capture(0, begin, end);
      lua_gettable(lua_, 3);
    } else {
      lua_pushvalue(lua_, 3);
      lua_call(lua_, matcher_.push_captures(begin, end, true), 1);
    }
    if (lua_toboolean(lua_, -1) == 0) {
      lua_pop(lua_, 1);
      lua_pushlstring(lua_, subject_.data() + begin, end - begin);
    } else if (lua_isstring(lua_, -1) == 0) {
      luaL_error(lua_, "invalid replacement value (a %s)", luaL_typename(lua_, -1));
    }
    luaL_addvalue(&out);
  }

 private:
  /// `%0` is the whole match, `%1` the first capture.
  void add_text(luaL_Buffer& out, std::size_t begin, std::size_t end) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua_, 3, &size);
    for (std::size_t i = 0; i < size; ++i) {
      if (text[i] != '%') {
        luaL_addchar(&out, text[i]);
        continue;
      }
      // A NUL stands behind the text.
      const char c = text[++i];
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
        luaL_addchar(&out, c);
      } else if (c == '0') {
        luaL_addlstring(&out, subject_.data() + begin, end - begin);
      } else {
        matcher_.push_capture(c - '1', begin, end);
        luaL_addvalue(&out);
      }
    }
  }

  lua_State* lua_;
  std::string_view subject_;
  Pattern& matcher_;
  int type_;
};

int gsub(lua_State* lua) {
  const std::string_view subject = check_text(lua, 1);
  std::string_view pattern = check_text(lua, 2);
  const int type = lua_type(lua, 3);
  const auto most = luaL_optinteger(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
  luaL_argcheck(lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                "string/function/table expected");
  const bool anchored = pattern.starts_with('^');
  if (anchored) pattern.remove_prefix(1);
  Pattern matcher(lua, subject, pattern);
  Replacement replacement(lua, subject, matcher);
  luaL_Buffer out;
  luaL_buffinit(lua, &out);
  std::size_t at = 0;
  lua_Integer count = 0;
  while (count < most) {
    const std::size_t end = matcher.match_at(at);
    if (end != Pattern::kNone) {
      ++count;
      replacement.add(out, at, end);
    }
    if (end != Pattern::kNone && end > at) {
      at = end;
    } else if (at < subject.size()) {
      luaL_addchar(&out, subject[at]);
      ++at;
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&out, subject.data() + at, subject.size() - at);
  luaL_pushresult(&out);
  lua_pushinteger(lua, count);
  return 2;
}

/// Lua's own goes round as often as it is told, also for an empty text.
int rep(lua_State* lua) {
  const std::string_view text = check_text(lua, 1);
  const int count = luaL_checkint(lua, 2);
  TextBuilder out(lua);
  if (count > 0 && !text.empty()) {
    const std::size_t size = text.size() * static_cast<std::size_t>(count);
    char* to = out.room(size);
    std::memcpy(to, text.data(), text.size());
    for (std::size_t done = text.size(); done < size;) {
      const std::size_t part = done < size - done ? done : size - done;
      std::memcpy(to + done, to, part);
      done += part;
    }
    out.grow_by(size);
  }
  out.push();
  return 1;
}

}  // namespace

void open_string_functions(lua_State* lua) {
  lua_getglobal(lua, "string");
  constexpr luaL_Reg kFunctions[] = {
      {"find", search<true>}, {"match", search<false>}, {"gmatch", gmatch}, {"gsub", gsub}, {"rep", rep}};
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
  // Its old name: the same function to a script that compares them.
  lua_getfield(lua, -1, "gmatch");
  lua_setfield(lua, -2, "gfind");
  lua_pop(lua, 1);
}

}  // namespace fairlane::scripting
