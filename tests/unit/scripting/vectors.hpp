#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scripting/state.hpp"

namespace fairlane::scripting {

/// What redis-server 7.0.15 answers to an expression: its values as text, or `error: ` and the text of the error.
struct Vector {
  std::string_view expression;
  std::string_view result;
};

/// What expressions find: Lua's own libraries, or the guarded globals of scripts.
enum class Globals : std::uint8_t { open, guarded };

/// Expects the same of the libraries here. The expressions may use hex(), which writes bytes as hexadecimal digits.
void check(const std::vector<Vector>& vectors, Globals globals = Globals::open);

/// A Lua state with the libraries under test.
class Interpreter {
 public:
  static constexpr std::size_t kPlenty = std::size_t{1} << 30;
  explicit Interpreter(std::size_t memory_limit = kPlenty, Globals globals = Globals::open);

  /// The values of an expression, as in a Vector.
  std::string evaluate(std::string_view expression);
  LuaState& state() noexcept { return lua_; }
  /// Bytes that the state holds when all garbage is collected.
  std::size_t memory_in_use();

 private:
  LuaState lua_;
};

/// Ends whatever asks it with the error `stopped`.
class StoppingWatch final : public Watch {
 public:
  void check(lua_State* lua) override;
};

}  // namespace fairlane::scripting
