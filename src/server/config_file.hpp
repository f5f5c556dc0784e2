#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/arguments.hpp"
#include "server/start_options.hpp"

namespace fairlane::server {

/// Reads defaults, file, standard input and directives in this order, so that what comes later wins. Throws
/// StartFailure.
void load_configuration(const Arguments& arguments, StartOptions& start);

/// CONFIG REWRITE: brings the file in line with the options and the lines that declare the users, and keeps its
/// comments and its order. Returns what went wrong, or nothing.
std::string rewrite_configuration(const std::string& path, const command::Options& options,
                                  std::span<const std::string> users);

/// A configuration file with every option, its meaning and its initial value.
std::string print_configuration();

/// One or more lines that set an option to its present value.
std::string directive_of(const command::Option& option, const std::string& text);

}  // namespace fairlane::server
