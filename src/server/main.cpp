#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/memory_use.hpp"
#include "fairlane/command/reference.hpp"
#include "fairlane/command/version.hpp"
#include "server/arguments.hpp"
#include "server/config_file.hpp"
#include "server/process.hpp"
#include "server/server.hpp"
#include "server/start_options.hpp"

static_assert(fairlane::command::kFairlaneVersion == FAIRLANE_VERSION, "the version of the build is another one");

namespace {

using fairlane::command::Option;
using fairlane::command::OptionFlag;
using fairlane::command::OptionKind;

const char* kind_name(OptionKind kind) {
  switch (kind) {
    case OptionKind::integer:
      return "INTEGER";
    case OptionKind::memory:
    case OptionKind::memory_or_percent:
      return "MEMORY";
    case OptionKind::octal:
      return "OCTAL";
    case OptionKind::boolean:
      return "yes|no";
    case OptionKind::choice:
    case OptionKind::choices:
      return "WORD";
    case OptionKind::text:
    case OptionKind::words:
      break;
  }
  return "TEXT";
}

/// The help of every option of the table. The command line itself follows rules that redis.conf makes (arguments.hpp).
std::string help() {
  CLI::App app("A queue server that speaks the Redis protocol.", "fairlane-server");
  app.set_help_flag("-h,--help", "Print this help.");
  app.set_version_flag(
      "-v,--version", [] { return std::string(); }, "Print the version.");
  app.add_flag("--print-config")
      ->description("Print a configuration file with every option, its meaning and its initial value.");
  app.add_flag("--print-commands")->description("Print the reference of all commands in Markdown.");
  app.add_option("file")->description("Configuration file, in the syntax of redis.conf; - is standard input.");
  for (const auto& section : fairlane::command::option_sections()) {
    for (const Option& option : section.options) {
      if (has(option.flags, OptionFlag::hidden)) continue;
      app.add_option("--" + std::string(option.name))
          ->description(std::string(option.help))
          ->group(std::string(section.title))
          ->type_name(kind_name(option.kind))
          ->default_str(std::string(option.initial));
    }
  }
  return app.help();
}

std::string version() {
  const std::string redis(fairlane::command::kRedisVersion);
  const std::string own(fairlane::command::kFairlaneVersion);
  char build[17];
  std::snprintf(build, sizeof(build), "%016zx", std::hash<std::string>{}(own + __VERSION__));
  return "Redis server v=" + redis + " sha=00000000:0 malloc=" + fairlane::base::allocator_version() +
         " bits=64 build=" + build + "\nFairlane v=" + own + "\n";
}

bool print_and_leave(std::string_view argument) {
  std::string text;
  if (argument == "-v" || argument == "--version") {
    text = version();
  } else if (argument == "-h" || argument == "--help") {
    text = help();
  } else if (argument == "--print-config") {
    text = fairlane::server::print_configuration();
  } else if (argument == "--print-commands") {
    fairlane::command::print_reference(text);
  } else {
    return false;
  }
  std::fputs(text.c_str(), stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    if (!words.empty() && print_and_leave(words[0])) return 0;
    fairlane::server::StartOptions start;
    start.executable = fairlane::server::executable_path(argv[0]);
    load_configuration(fairlane::server::parse_arguments(words), start);
    fairlane::base::Log log;
    return run(start, log);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
