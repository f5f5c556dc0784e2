#include "command/help.hpp"

#include <string>

#include "fairlane/command/catalog.hpp"

namespace fairlane::command {
namespace {

/// "CLIENT KILL id:integer" without the container's name and without the types of arguments: "KILL id".
std::string shown_syntax(std::string_view syntax) {
  std::string shown;
  bool in_type = false;
  for (const char c : syntax.substr(syntax.find(' ') + 1)) {
    if (c == ':') in_type = true;
    if (c == ' ' || c == ']' || c == '|') in_type = false;
    if (!in_type) shown += c;
  }
  return shown;
}

}  // namespace

Outcome help(Context& ctx, Args&) {
  const Command& container = *ctx.command.parent;
  std::string container_name = container.name;
  for (char& c : container_name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  ctx.reply.array(1 + 2 * container.subcommands.size());
  ctx.reply.simple(container_name + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  for (const Command* command : container.subcommands) {
    if (command == &ctx.command) continue;
    ctx.reply.simple(shown_syntax(command->spec->syntax));
    ctx.reply.simple("    " + std::string(command->spec->docs.summary));
  }
  ctx.reply.simple("HELP");
  ctx.reply.simple("    Prints this help.");
  return Outcome::done;
}

}  // namespace fairlane::command
