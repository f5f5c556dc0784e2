#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/script_engine.hpp"

namespace fairlane::command {

/// The words of a line, apart by blanks; quotes as on redis-cli's command line. False when they do not match.
bool split_words(std::string_view line, std::vector<std::string>& words);

/// What the first line of a script says: "#!lua flags=no-writes,allow-oom".
struct ScriptHeader {
  bool present = false;
  ScriptFlag flags = ScriptFlag::none;
};
/// Returns an error, or nothing.
std::string read_script_header(std::string_view text, ScriptHeader& header);

/// Reads the name out of a library's first line: "#!lua name=mylib". Returns an error, or nothing.
std::string read_library_header(std::string_view text, std::string& name);

}  // namespace fairlane::command
