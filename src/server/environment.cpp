#include "server/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "fairlane/base/text_match.hpp"
#include "fairlane/command/options.hpp"

namespace fairlane::server {
namespace {

constexpr std::string_view kPrefix = "FAIRLANE_";

/// The option of a variable's name behind the prefix; null when there is none.
const command::Option* option_of(std::string_view variable) {
  std::string name = base::to_lower(variable);
  if (const command::Option* option = command::Options::find(name)) return option;
  std::replace(name.begin(), name.end(), '_', '-');
  return command::Options::find(name);
}

/// Kubernetes tells every container of a service named "fairlane" by FAIRLANE_PORT=tcp://10.0.0.1:6379.
bool is_service_address(std::string_view value) noexcept { return value.starts_with("tcp://"); }

}  // namespace

std::string directives_of_environment() {
  std::string directives;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t sign = text.find('=');
    if (!text.starts_with(kPrefix) || sign == std::string_view::npos) continue;
    const std::string_view value = text.substr(sign + 1);
    if (value.empty() || is_service_address(value)) continue;
    const command::Option* option = option_of(text.substr(kPrefix.size(), sign - kPrefix.size()));
    if (option != nullptr) directives.append(option->name).append(" ").append(value).append("\n");
  }
  return directives;
}

}  // namespace fairlane::server
