#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/spec.hpp"

/// The arguments of a command as a tree, read from the syntax line of its declaration.
namespace fairlane::command {

struct Argument {
  enum class Type : std::uint8_t { string, integer, number, key, pattern, unix_time, pure_token, one_of, block };

  std::string name;
  Type type = Type::string;
  std::string token;  ///< the literal word before it; of a pure token the word itself
  int key_spec = -1;  ///< for a key: which specification of the command finds it
  bool optional = false;
  bool multiple = false;
  bool token_repeats = false;       ///< multiple, and each time with its token
  std::vector<Argument> arguments;  ///< of a block or an alternative

  bool operator==(const Argument&) const = default;
};

std::string_view type_name(Argument::Type type) noexcept;

/// The arguments behind the command's name, with keys attributed to the specifications. `error` says what is wrong with
/// the line, when something is.
std::vector<Argument> arguments_of(const Spec& spec, std::string& error);

/// The line as people read it: without the types.
std::string readable_syntax(std::string_view syntax);

}  // namespace fairlane::command
