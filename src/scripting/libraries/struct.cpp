// struct.cpp - values to binary structures and back.
#include <bit>
#include <cctype>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "scripting/libraries.hpp"
#include "scripting/libraries/text_builder.hpp"

namespace fairlane::scripting {
namespace {

constexpr int kMostBytes = 32;  ///< of an integer
constexpr int kLargestAlignment = 8;

/// Reads a format: `>` and `<` set the order of bytes, `![n]` the alignment; the rest are items.
class Format {
 public:
  Format(lua_State* lua, int argument) : lua_(lua) {
    std::size_t size = 0;
    const char* text = luaL_checklstring(lua, argument, &size);
    // A NUL is the end.
    rest_ = std::string_view(text, ::strnlen(text, size));
  }

  struct Item {
    char kind;
    int size;  ///< bytes; 0 where the value decides
  };

  /// The next item; false at the end.
  bool next(Item& item) {
    while (next_option(item)) {
      if (!control(item.kind)) return true;
    }
    return false;
  }

  /// The next item, or an option of size 0 that control() is to be given; false at the end.
  bool next_option(Item& item) {
    if (rest_.empty()) return false;
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    item = {kind, size_of(kind)};
    return true;
  }

  /// Takes what changes how the items behind it are read; false when it is an item.
  bool control(char kind) {
    switch (kind) {
      case ' ':
        return true;
      case '>':
        little_ = false;
        return true;
      case '<':
        little_ = true;
        return true;
      case '!':
        alignment_ = number(kLargestAlignment);
        if (alignment_ <= 0 || (alignment_ & (alignment_ - 1)) != 0) {
          luaL_error(lua_, "alignment %d is not a power of 2", alignment_);
        }
        return true;
      default:
        return false;
    }
  }

  bool little() const noexcept { return little_; }

  /// Bytes to skip at `place` so that an item of this size is aligned.
  std::size_t padding(std::size_t place, const Item& item) const noexcept {
    if (alignment_ == 1 || item.size == 0 || item.kind == 'c') return 0;
    const int size = item.size > alignment_ ? alignment_ : item.size;
    const auto mask = static_cast<std::size_t>(size) - 1;
    return (static_cast<std::size_t>(size) - (place & mask)) & mask;
  }

  [[noreturn]] void refuse(char kind) {
    luaL_argerror(lua_, 1, lua_pushfstring(lua_, "invalid format option '%c'", kind));
    std::abort();
  }

 private:
  int number(int otherwise) {
    if (rest_.empty() || std::isdigit(static_cast<unsigned char>(rest_.front())) == 0) return otherwise;
    std::int64_t value = 0;
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
      value = value * 10 + (rest_.front() - '0');
      if (value > INT_MAX) luaL_error(lua_, "integral size overflow");
      rest_.remove_prefix(1);
    }
    return static_cast<int>(value);
  }

  int size_of(char kind) {
    switch (kind) {
      case 'b':
      case 'B':
      case 'x':
        return 1;
      case 'h':
      case 'H':
        return sizeof(short);
      case 'l':
      case 'L':
        return sizeof(long);
      case 'T':
        return sizeof(std::size_t);
      case 'f':
        return sizeof(float);
      case 'd':
        return sizeof(double);
      case 'c':
        return number(1);
      case 'i':
      case 'I': {
        const int size = number(sizeof(int));
        if (size > kMostBytes) luaL_error(lua_, "integral size %d is larger than limit of %d", size, kMostBytes);
        return size;
      }
      default:
        return 0;  // 's', and what is no item
    }
  }

  lua_State* lua_;
  std::string_view rest_;
  bool little_ = true;
  int alignment_ = 1;
};

/// From or to the order of bytes of the format, if that is not the machine's.
template <class Number>
Number ordered(Number value, bool little) noexcept {
  if (little == (std::endian::native == std::endian::little)) return value;
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof(Number));
  for (std::size_t i = 0; i < sizeof(Number) / 2; ++i) std::swap(bytes[i], bytes[sizeof(Number) - 1 - i]);
  std::memcpy(&value, bytes, sizeof(Number));
  return value;
}

void append_integer(TextBuilder& out, double number, int size, bool little) {
  constexpr double kBeyond = 9223372036854775808.0;
  std::uint64_t value = 0;
  if (number >= -kBeyond && number < kBeyond) {
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  } else if (number >= kBeyond && number < 2 * kBeyond) {
    value = static_cast<std::uint64_t>(number);
  } else {
    value = number > 0 ? 0 : std::uint64_t{1} << 63;
  }
  char bytes[kMostBytes];
  for (int i = 0; i < size; ++i) {
    bytes[little ? i : size - 1 - i] = static_cast<char>(value & 0xffU);
    value >>= 8;
  }
  out.append({bytes, static_cast<std::size_t>(size)});
}

double read_integer(const char* bytes, int size, bool little, bool with_sign) noexcept {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[little ? size - 1 - i : i]);
  }
  if (!with_sign) return static_cast<double>(value);
  const std::uint64_t sign = ~std::uint64_t{0} << (static_cast<unsigned>(size * 8 - 1) & 63U);
  if ((value & sign) != 0) value |= sign;
  return static_cast<double>(static_cast<std::int64_t>(value));
}

template <class Number>
void append_float(TextBuilder& out, double number, bool little) {
  const Number value = ordered(static_cast<Number>(number), little);
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof(Number));
  out.append({bytes, sizeof(Number)});
}

template <class Number>
double read_float(const char* bytes, bool little) noexcept {
  Number value;
  std::memcpy(&value, bytes, sizeof(Number));
  return static_cast<double>(ordered(value, little));
}

constexpr bool integral(char kind) noexcept {
  switch (kind) {
    case 'b':
    case 'B':
    case 'h':
    case 'H':
    case 'l':
    case 'L':
    case 'T':
    case 'i':
    case 'I':
      return true;
    default:
      return false;
  }
}
constexpr bool is_signed(char kind) noexcept { return kind >= 'a'; }

void append_text(lua_State* lua, TextBuilder& out, int argument, const Format::Item& item) {
  std::size_t length = 0;
  const char* text = luaL_checklstring(lua, argument, &length);
  const std::size_t size = item.size == 0 ? length : static_cast<std::size_t>(item.size);
  // Redis counts one further here.
  luaL_argcheck(lua, length >= size, argument + 1, "string too short");
  out.append({text, size});
  if (item.kind == 's') out.append('\0');
}

int pack(lua_State* lua) {
  Format format(lua, 1);
  lua_pushnil(lua);  // what is missing is named so
  TextBuilder out(lua);
  const int last = lua_gettop(lua) - 1;
  WorkMeter work(lua);
  int argument = 2;
  Format::Item item{};
  while (format.next(item)) {
    work.step();
    for (std::size_t padding = format.padding(out.size(), item); padding > 0; --padding) out.append('\0');
    if (item.kind == 'x') {
      out.append('\0');
      continue;
    }
    const int from = argument <= last ? argument : last + 1;
    if (integral(item.kind)) {
      append_integer(out, luaL_checknumber(lua, from), item.size, format.little());
    } else if (item.kind == 'f') {
      append_float<float>(out, luaL_checknumber(lua, from), format.little());
    } else if (item.kind == 'd') {
      append_float<double>(out, luaL_checknumber(lua, from), format.little());
    } else if (item.kind == 'c' || item.kind == 's') {
      append_text(lua, out, from, item);
    } else {
      format.refuse(item.kind);
    }
    ++argument;
  }
  out.push();
  return 1;
}

/// The values at the top of the stack that unpack() has read, and where it is.
class Unpacker {
 public:
  Unpacker(lua_State* lua, std::string_view data, std::size_t place) noexcept : lua_(lua), data_(data), place_(place) {}

  void read(Format& format, Format::Item item) {
    place_ += format.padding(place_, item);
    need(item.size);
    luaL_checkstack(lua_, 2, "too many results");
    if (format.control(item.kind)) return;
    const char* bytes = data_.data() + place_;
    if (item.kind == 'x') {
      place_ += 1;
      return;
    }
    if (integral(item.kind)) {
      lua_pushnumber(lua_, read_integer(bytes, item.size, format.little(), is_signed(item.kind)));
    } else if (item.kind == 'f') {
      lua_pushnumber(lua_, read_float<float>(bytes, format.little()));
    } else if (item.kind == 'd') {
      lua_pushnumber(lua_, read_float<double>(bytes, format.little()));
    } else if (item.kind == 'c') {
      if (item.size == 0) item.size = take_size();
      lua_pushlstring(lua_, bytes, static_cast<std::size_t>(item.size));
    } else if (item.kind == 's') {
      item.size = push_terminated() + 1;
    } else {
      format.refuse(item.kind);
    }
    ++results_;
    place_ += static_cast<std::size_t>(item.size);
  }

  int results() const noexcept { return results_; }
  std::size_t place() const noexcept { return place_; }

 private:
  void need(int size) {
    const bool enough = place_ <= data_.size() && static_cast<std::size_t>(size) <= data_.size() - place_;
    luaL_argcheck(lua_, enough, 2, "data string too short");
  }
  /// `c0` is as long as the number before it says, which is no result of its own.
  int take_size() {
    if (results_ == 0 || lua_isnumber(lua_, -1) == 0) luaL_error(lua_, "format 'c0' needs a previous size");
    double size = lua_tonumber(lua_, -1);
    lua_pop(lua_, 1);
    --results_;
    // What 64 bits do not hold becomes 0 in Redis.
    constexpr double kBeyond = 18446744073709551616.0;
    if (size >= kBeyond || (size < 0 && size > -1)) size = 0;
    luaL_argcheck(lua_, size >= 0 && size <= INT_MAX, 2, "data string too short");
    need(static_cast<int>(size));
    return static_cast<int>(size);
  }
  int push_terminated() {
    const std::size_t end = data_.find('\0', place_);
    if (end == std::string_view::npos) luaL_error(lua_, "unfinished string in data");
    lua_pushlstring(lua_, data_.data() + place_, end - place_);
    return static_cast<int>(end - place_);
  }

  lua_State* lua_;
  std::string_view data_;
  std::size_t place_;
  int results_ = 0;
};

int unpack(lua_State* lua) {
  Format format(lua, 1);
  std::size_t size = 0;
  const char* data = luaL_checklstring(lua, 2, &size);
  const lua_Integer first = luaL_optinteger(lua, 3, 1);
  luaL_argcheck(lua, first != 0, 3, "offset must be 1 or greater");
  // A negative one lies beyond any data. Redis notices that at the first option, even when it reads nothing.
  Unpacker unpacker(lua, {data, size}, static_cast<std::size_t>(first) - 1);
  WorkMeter work(lua);
  Format::Item item{};
  while (format.next_option(item)) {
    work.step();
    unpacker.read(format, item);
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(unpacker.place() + 1));
  return unpacker.results() + 1;
}

int size(lua_State* lua) {
  Format format(lua, 1);
  WorkMeter work(lua);
  std::size_t place = 0;
  Format::Item item{};
  while (format.next(item)) {
    work.step();
    place += format.padding(place, item);
    if (item.kind == 's') luaL_argerror(lua, 1, "option 's' has no fixed size");
    if (item.kind == 'c' && item.size == 0) luaL_argerror(lua, 1, "option 'c0' has no fixed size");
    // Letters and digits that mean nothing take no room, as in Redis.
    if (std::isalnum(static_cast<unsigned char>(item.kind)) == 0) format.refuse(item.kind);
    place += static_cast<std::size_t>(item.size);
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(place));
  return 1;
}

}  // namespace

void open_struct(lua_State* lua) {
  constexpr luaL_Reg kFunctions[] = {{"pack", pack}, {"unpack", unpack}, {"size", size}};
  lua_newtable(lua);
  for (const luaL_Reg& one : kFunctions) {
    lua_pushcfunction(lua, one.func);
    lua_setfield(lua, -2, one.name);
  }
}

}  // namespace fairlane::scripting
