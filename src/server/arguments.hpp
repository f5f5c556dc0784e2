#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fairlane::server {

/// The words of a command line as a configuration: a file first, then standard input, then directives.
///
/// The first argument is the file's name unless it begins with '-'; an argument "-" at either end stands for standard
/// input. An argument that begins with "--" opens a directive, and the arguments behind it are its values; one that
/// holds blanks ("--save 900 1") is a whole directive.
///
/// Throws StartFailure when redis-server would test the machine instead of serving.
struct Arguments {
  std::string file;
  bool standard_input = false;
  std::string directives;     ///< one a line
  std::string defaults = {};  ///< the same, of no command line: everything else overrules them
};

Arguments parse_arguments(std::span<const std::string_view> words);

}  // namespace fairlane::server
