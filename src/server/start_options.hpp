#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/settings.hpp"

namespace fairlane::server {

/// What the command line and the configuration file decide before anything runs.
struct StartOptions {
  command::Settings settings;
  command::Options options{settings};
  command::Catalog catalog;                     ///< commands may be renamed
  std::vector<std::vector<std::string>> users;  ///< declared in the configuration file: name and rules
  std::string config_file;                      ///< absolute; empty: none
  std::string executable;                       ///< absolute
  bool read_anything = false;                   ///< there was a file, standard input or a directive
  std::vector<std::string> companion;           ///< a command to run beside the server, which ends with it; empty: none
};

/// Why the server cannot start; the text goes to standard error.
class StartFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fairlane::server
