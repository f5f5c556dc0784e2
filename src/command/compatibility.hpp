#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "fairlane/command/catalog.hpp"

/// How the commands stand beside those of redis-server 7.0. What is not said here is the same.
namespace fairlane::command {

/// A command by its full name, such as "client|list", and in what it is otherwise, or why it is not there.
struct Remark {
  std::string_view command;
  std::string_view text;
};

/// Commands that both know and that do something else here, by name.
std::span<const Remark> differences();
/// Commands of redis-server 7.0 that are not known here, by name.
std::span<const Remark> absences();

/// Is the command one that redis-server 7.0 does not have?
bool is_newer(const Command& command) noexcept;

}  // namespace fairlane::command
