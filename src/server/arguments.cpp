#include "server/arguments.hpp"

#include <optional>

#include "fairlane/base/text_match.hpp"
#include "server/start_options.hpp"
#include "server/words.hpp"

namespace fairlane::server {
namespace {

/// What a directive that stands without a value means: launchers that have no save points to give write just the name,
/// and the flags of a launcher are plain words. Nothing when it needs a value.
std::optional<std::string_view> bare_value(std::string_view name) {
  if (base::equal_ignoring_case(name, "save")) return "\"\"";
  const command::Option* option = command::Options::find(name);
  if (option == nullptr || option->kind != command::OptionKind::boolean) return std::nullopt;
  if (!has(option->flags, command::OptionFlag::launch)) return std::nullopt;
  return "yes";
}

/// What makes redis-server do something else than serve.
bool is_other_mode(std::string_view argument) noexcept {
  return argument == "--check-system" || argument == "--test-memory";
}

}  // namespace

Arguments parse_arguments(std::span<const std::string_view> words) {
  if (!words.empty() && is_other_mode(words[0])) {
    throw StartFailure("Fairlane has no " + std::string(words[0]) + ": it only serves. See --help.");
  }
  Arguments arguments;
  std::size_t next = 0;
  if (!words.empty() && !words[0].starts_with('-')) arguments.file = words[next++];
  bool value_wanted = false;
  for (; next < words.size(); ++next) {
    const std::string_view word = words[next];
    const bool last = next + 1 == words.size();
    if (word == "-" && (next == 0 || last)) {
      arguments.standard_input = true;
    } else if (!value_wanted && word.starts_with("--")) {
      if (!arguments.directives.empty()) arguments.directives += '\n';
      arguments.directives.append(word.substr(2)).append(" ");
      const auto parts = split_words(word);
      value_wanted = parts && parts->size() == 1;
      if (value_wanted && (last || words[next + 1].starts_with("--"))) {
        const auto value = bare_value(word.substr(2));
        arguments.directives += value.value_or("");
        value_wanted = !value;
      }
    } else {
      arguments.directives.append(in_quotes(word)).append(" ");
      value_wanted = false;
    }
  }
  return arguments;
}

}  // namespace fairlane::server
