#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/base/memory_use.hpp"
#include "fairlane/command/reference.hpp"
#include "fairlane/command/version.hpp"
#include "server/arguments.hpp"
#include "server/cli/cli.hpp"
#include "server/config_file.hpp"
#include "server/container.hpp"
#include "server/environment.hpp"
#include "server/process.hpp"
#include "server/program.hpp"
#include "server/server.hpp"
#include "server/start_options.hpp"

static_assert(fairlane::command::kFairlaneVersion == FAIRLANE_VERSION, "the version of the build is another one");

namespace {

namespace server = fairlane::server;
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
  app.add_subcommand("cli", "A client like redis-cli: fairlane-server cli --help.");
  app.add_subcommand("run", "Run a command beside a server of its own: fairlane-server run [OPTION...] -- COMMAND.");
  app.add_subcommand("health", "Ask the server that is the first process of this container whether it serves.");
  app.add_option("file")->description("Configuration file, in the syntax of redis.conf; - is standard input.");
  for (const auto& section : fairlane::command::option_sections()) {
    for (const Option& option : section.options) {
      if (has(option.flags, OptionFlag::hidden) && !has(option.flags, OptionFlag::launch)) continue;
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

using Words = std::span<const std::string_view>;

int serve(Words words, std::string_view more_defaults = {}, std::span<const std::string_view> companion = {}) {
  if (!words.empty() && print_and_leave(words[0])) return 0;
  server::StartOptions start;
  start.executable = server::executable_path("fairlane-server");
  start.companion.assign(companion.begin(), companion.end());
  server::Arguments arguments = server::parse_arguments(words);
  arguments.defaults = server::directives_of_environment().append(more_defaults);
  load_configuration(arguments, start);
  fairlane::base::Log log;
  return run(start, log);
}

/// fairlane-server run [OPTION...] -- COMMAND...
int run_beside(Words words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end() || dashes + 1 == words.end()) {
    throw server::StartFailure("Usage: fairlane-server run [OPTION...] -- COMMAND [WORD...]");
  }
  constexpr std::string_view kDefaults = "port 0\nbind 127.0.0.1\nsave \"\"\nlogfile /dev/null\nexit-with-parent yes\n";
  return serve(Words(words.begin(), dashes), kDefaults, Words(dashes + 1, words.end()));
}

int start_container(Words words) {
  const auto meant_for_server = server::server_words(words);
  if (!meant_for_server) {
    const int wrong = server::become(std::vector<std::string>(words.begin(), words.end()));
    throw server::StartFailure("Cannot run " + std::string(words[0]) + ": " + std::strerror(wrong));
  }
  server::settle_in();
  return serve(std::vector<std::string_view>(meant_for_server->begin(), meant_for_server->end()));
}

int run_program(std::string_view name, Words words) {
  if (server::is_client_name(name)) return server::cli::run(words);
  if (server::is_entry_name(name)) return start_container(words);
  // For redis-server a first word is always a file.
  const bool subcommand = !words.empty() && name.ends_with("fairlane-server") && server::is_subcommand(words[0]);
  if (!subcommand) return serve(words);
  if (words[0] == "cli") return server::cli::run(words.subspan(1));
  if (words[0] == "run") return run_beside(words.subspan(1));
  return server::check_health();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    return run_program(argv[0], words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
