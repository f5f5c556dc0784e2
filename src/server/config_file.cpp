#include "server/config_file.hpp"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

#include "fairlane/base/text_match.hpp"
#include "fairlane/command/version.hpp"
#include "server/files.hpp"
#include "server/words.hpp"

namespace fairlane::server {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kUser = "user";
constexpr int kDeepestInclude = 32;

std::string read_configuration(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (text) return *std::move(text);
  throw StartFailure("Fatal error, can't open config file '" + path + "': " + std::strerror(errno));
}

std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  char buffer[PATH_MAX];
  const char* directory = ::getcwd(buffer, sizeof(buffer));
  return directory == nullptr ? path : std::string(directory) + '/' + path;
}

/// Directives of former versions that nothing depends on any more.
bool is_forgotten(std::string_view name) noexcept {
  return name == "list-max-ziplist-entries" || name == "list-max-ziplist-value" || name == "lua-replicate-commands";
}

class Loader {
 public:
  explicit Loader(StartOptions& start) noexcept : start_(start) {}

  /// `source` names the text to whoever has to mend it.
  void load(std::string_view text, std::string_view source) {
    source_ = source;
    std::size_t line_number = 0;
    while (true) {
      const std::size_t end = text.find('\n');
      const std::string_view line = trimmed(text.substr(0, end));
      ++line_number;
      if (!line.empty() && line[0] != '#') {
        if (const std::string wrong = directive(line); !wrong.empty()) fail(line_number, line, wrong);
      }
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

 private:
  [[noreturn]] void fail(std::size_t line_number, std::string_view line, const std::string& wrong) const {
    throw StartFailure("\n*** FATAL CONFIG FILE ERROR (Fairlane " + std::string(command::kFairlaneVersion) +
                       ") ***\nReading the " + std::string(source_) + ", at line " + std::to_string(line_number) +
                       "\n>>> '" + std::string(line) + "'\n" + wrong);
  }

  std::string directive(std::string_view line) {
    const auto parts = split_words(line);
    if (!parts) return "Unbalanced quotes in configuration line";
    const std::string name = base::to_lower(parts->front());
    const Words values(parts->begin() + 1, parts->end());
    if (const command::Option* option = command::Options::find(name)) return start_.options.load(*option, values);
    if (is_forgotten(name) && values.size() == 1) return {};
    if (name == "include" && values.size() == 1) return include(std::string(values[0]));
    if (name == "rename-command" && values.size() == 2) return rename_command(values[0], values[1]);
    if (name == kUser && !values.empty()) {
      start_.users.emplace_back(parts->begin() + 1, parts->end());
      return {};
    }
    if (name == "loadmodule" && !values.empty()) return "Modules are not supported by Fairlane";
    if (name == "sentinel") return "sentinel directive while not in sentinel mode";
    return "Bad directive or wrong number of arguments";
  }

  std::string include(const std::string& pattern) {
    if (++depth_ > kDeepestInclude) return "Included files are nested too deeply";
    glob_t found{};
    if (pattern.find_first_of("*?[") != std::string::npos && ::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) load(read_configuration(found.gl_pathv[i]), source_);
      ::globfree(&found);
    } else if (pattern.find_first_of("*?[") == std::string::npos) {
      load(read_configuration(pattern), source_);
    }
    --depth_;
    return {};
  }

  std::string rename_command(std::string_view from, std::string_view to) {
    if (start_.catalog.find(from) == nullptr) return "No such command in rename-command";
    return start_.catalog.rename(from, to) ? "" : "Target command name already exists";
  }

  StartOptions& start_;
  std::string_view source_;
  int depth_ = 0;
};

/// Options whose words are pairs or longer groups are written one group a line.
std::size_t words_a_line(const command::Option& option) noexcept {
  if (option.name == "save") return 2;
  if (option.name == "client-output-buffer-limit") return 4;
  return SIZE_MAX;
}

}  // namespace

void load_configuration(const Arguments& arguments, StartOptions& start) {
  std::string text;
  if (!arguments.file.empty()) {
    start.config_file = absolute(arguments.file);
    text = read_configuration(start.config_file);
  }
  if (arguments.standard_input) text += read_all(STDIN_FILENO);
  if (!arguments.directives.empty()) text += '\n' + arguments.directives;
  start.read_anything = !arguments.file.empty() || arguments.standard_input || !arguments.directives.empty();
  Loader loader(start);
  loader.load(arguments.defaults, "environment");
  loader.load(text, "configuration file");
}

std::string directive_of(const command::Option& option, const std::string& text) {
  const std::string name(option.name);
  const bool several = option.kind == command::OptionKind::words || option.kind == command::OptionKind::choices;
  const auto words = several ? split_words(text).value_or(std::vector<std::string>{}) : std::vector{text};
  if (words.empty()) return name + " \"\"\n";
  const std::size_t group = words_a_line(option);
  std::string lines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % group == 0) lines += (i == 0 ? "" : "\n") + name;
    lines += ' ' + in_quotes_if_needed(words[i]);
  }
  return lines + '\n';
}

std::string rewrite_configuration(const std::string& path, const command::Options& options,
                                  std::span<const std::string> users) {
  const std::string old = read_file(path).value_or(std::string());
  constexpr std::string_view kSignature = "# Generated by CONFIG REWRITE";
  std::string text;
  std::vector<const command::Option*> written;
  const auto is_written = [&](const command::Option* option) {
    for (const command::Option* one : written) {
      if (one == option) return true;
    }
    return false;
  };
  bool signed_before = false;
  for (std::string_view rest = old; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto words = split_words(trimmed(line));
    signed_before = signed_before || trimmed(line) == kSignature;
    const command::Option* option =
        words && !words->empty() && !words->front().starts_with('#') ? command::Options::find(words->front()) : nullptr;
    if (words && !words->empty() && base::equal_ignoring_case(words->front(), kUser)) {
      // The present users take the lines of the former ones.
      if (users.empty()) continue;
      text.append(users.front()).append("\n");
      users = users.subspan(1);
    } else if (option == nullptr) {
      text.append(line).append("\n");
    } else if (!is_written(option)) {
      text += directive_of(*option, options.text(*option));
      written.push_back(option);
    }
  }
  for (const command::OptionSection& section : command::option_sections()) {
    for (const command::Option& option : section.options) {
      if (!options.changed(option) || is_written(&option)) continue;
      if (!std::exchange(signed_before, true)) text.append(kSignature).append("\n");
      text += directive_of(option, options.text(option));
    }
  }
  if (!users.empty() && !signed_before) text.append(kSignature).append("\n");
  for (const std::string& user : users) text.append(user).append("\n");
  return replace_file(path, text) ? "" : "Rewriting config file: " + std::string(std::strerror(errno));
}

std::string print_configuration() {
  std::string text =
      "# Every option of Fairlane with its initial value. The syntax and the names are those of redis.conf.\n"
      "#\n"
      "# Start with this file as the first argument, or give options on the command line: --port 6380.\n"
      "# \"kept\" means that the option is read and answered by CONFIG GET, and has no effect.\n"
      "#\n"
      "# A memory size may have a unit: 1k is 1000 bytes, 1kb is 1024; so with m, mb, g and gb.\n"
      "# include /path/to/other.conf reads another file at its place.\n";
  for (const command::OptionSection& section : command::option_sections()) {
    text.append("\n# --- ").append(section.title).append("\n");
    for (const command::Option& option : section.options) {
      if (has(option.flags, command::OptionFlag::hidden)) continue;
      text.append("\n# ").append(option.help).append("\n");
      if (option.name == "replicaof") text += "# ";
      text += directive_of(option, std::string(option.initial));
    }
  }
  return text;
}

}  // namespace fairlane::server
