#pragma once

#include "scripting/lua.hpp"

namespace fairlane::scripting {

enum class InvalidNumbers : unsigned char { refuse, accept, null };

/// What a script may adjust. Lives in a user datum that the functions of one library table share.
struct JsonSettings {
  int encode_depth = 1000;
  int decode_depth = 1000;
  int precision = 14;  ///< digits
  bool keep_buffer = true;
  bool convert_sparse = false;  ///< sparse arrays become objects; otherwise they are refused
  int sparse_ratio = 2;         ///< an array is sparse when its largest index is more than so many times its size,
  int sparse_safe = 10;         ///< and larger than this
  InvalidNumbers encode_invalid = InvalidNumbers::refuse;
  InvalidNumbers decode_invalid = InvalidNumbers::accept;
};

/// The settings behind a function of the library.
inline JsonSettings& json_settings(lua_State* lua) {
  return *static_cast<JsonSettings*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

int json_encode(lua_State* lua);
int json_decode(lua_State* lua);

}  // namespace fairlane::scripting
