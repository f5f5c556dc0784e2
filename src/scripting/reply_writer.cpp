// reply_writer.cpp - the reply that a script's value becomes.
#include <cmath>
#include <cstdint>
#include <limits>

#include "scripting/environment.hpp"

namespace fairlane::scripting {
namespace {

/// As the processor cuts it: what does not fit is the least integer.
std::int64_t truncated(double value) noexcept {
  constexpr double kBeyond = 9223372036854775808.0;
  if (!(value >= -kBeyond && value < kBeyond)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

class ReplyWriter {
 public:
  ReplyWriter(lua_State* lua, command::ScriptServer& server, protocol::Reply& reply) noexcept
      : lua_(lua), server_(server), reply_(reply) {}

  /// Writes the value at the top of the stack and pops it.
  void write() {
    if (lua_checkstack(lua_, 4) == 0) {
      reply_.error("ERR reached lua stack limit");
      return lua_pop(lua_, 1);
    }
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING:
        reply_.bulk(text());
        break;
      case LUA_TBOOLEAN:
        write_boolean();
        break;
      case LUA_TNUMBER:
        reply_.integer(truncated(lua_tonumber(lua_, -1)));
        break;
      case LUA_TTABLE:
        write_table();
        break;
      default:
        reply_.null();
    }
    lua_pop(lua_, 1);
  }

 private:
  std::string_view text() const {
    std::size_t size = 0;
    const char* bytes = lua_tolstring(lua_, -1, &size);
    return {bytes, size};
  }

  void write_boolean() {
    const bool value = lua_toboolean(lua_, -1) != 0;
    if (server_.version() == protocol::Version::resp3) return reply_.boolean(value);
    value ? reply_.integer(1) : reply_.null();
  }

  /// Pushes a field of the table at the top; false, and nothing is pushed, when it is not of the type.
  bool push_field(const char* name, int type) {
    lua_pushstring(lua_, name);
    lua_rawget(lua_, -2);
    if (lua_type(lua_, -1) == type) return true;
    lua_pop(lua_, 1);
    return false;
  }

  /// A table that says what it is, by a field of this name; any other is an array.
  void write_table() {
    if (push_field("err", LUA_TSTRING)) return write_error();
    if (push_field("ok", LUA_TSTRING)) return write_line(&ReplyWriter::simple_text);
    if (push_field("double", LUA_TNUMBER)) {
      reply_.number(lua_tonumber(lua_, -1));
      return lua_pop(lua_, 1);
    }
    if (push_field("map", LUA_TTABLE)) return write_map();
    if (push_field("set", LUA_TTABLE)) return write_set();
    if (push_field("big_number", LUA_TSTRING)) return write_line(&ReplyWriter::big_number);
    if (push_field("verbatim_string", LUA_TTABLE)) {
      const bool written = write_verbatim();
      lua_pop(lua_, 1);
      if (written) return;
    }
    write_array();
  }

  void write_error() {
    lua_pop(lua_, 1);
    const ScriptError error = read_error(lua_);
    reply_.error(error.text);
    if (!error.counted) server_.note_error(error.text);
  }

  void write_line(void (ReplyWriter::*form)(std::string_view)) {
    line_.assign(text());
    for (char& c : line_) {
      if (c == '\r' || c == '\n') c = ' ';
    }
    (this->*form)(line_);
    lua_pop(lua_, 1);
  }
  /// Up to its first NUL, as Redis has it.
  void simple_text(std::string_view line) { reply_.simple(line.substr(0, line.find('\0'))); }
  void big_number(std::string_view line) { reply_.big_number(line); }

  std::size_t pairs() {
    std::size_t count = 0;
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) ++count;
    return count;
  }
  void write_map() {
    reply_.map(pairs());
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0;) {
      lua_pushvalue(lua_, -2);
      write();  // the key
      write();  // the value
    }
    lua_pop(lua_, 1);
  }
  /// The keys are the members, whatever they stand for.
  void write_set() {
    reply_.set(pairs());
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0;) {
      lua_pop(lua_, 1);
      lua_pushvalue(lua_, -1);
      write();
    }
    lua_pop(lua_, 1);
  }
  bool write_verbatim() {
    if (!push_field("string", LUA_TSTRING)) return false;
    const std::string_view string = text();
    lua_insert(lua_, -2);
    const bool good = push_field("format", LUA_TSTRING);
    if (good) {
      // Three letters, whatever is given.
      std::string format(text().substr(0, 3));
      format.resize(3, ' ');
      reply_.verbatim(format, string);
      lua_pop(lua_, 1);
    }
    lua_remove(lua_, -2);
    return good;
  }

  /// Ends at the first hole.
  void write_array() {
    int size = 0;
    for (;;) {
      lua_rawgeti(lua_, -1, size + 1);
      const bool hole = lua_isnil(lua_, -1);
      lua_pop(lua_, 1);
      if (hole) break;
      ++size;
    }
    reply_.array(static_cast<std::size_t>(size));
    for (int i = 1; i <= size; ++i) {
      lua_rawgeti(lua_, -1, i);
      write();
    }
  }

  lua_State* lua_;
  command::ScriptServer& server_;
  protocol::Reply& reply_;
  std::string line_;
};

}  // namespace

void write_value(lua_State* lua, command::ScriptServer& server, protocol::Reply& reply) {
  ReplyWriter(lua, server, reply).write();
}

}  // namespace fairlane::scripting
