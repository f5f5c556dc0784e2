#include "command/help.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "command/syntax.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"

namespace fairlane::command {

Outcome help(Context& ctx, Args&) {
  const Command& container = *ctx.command.parent;
  std::vector<const Command*> others;
  for (const Command* one : container.subcommands) {
    if (one != &ctx.command) others.push_back(one);
  }
  std::sort(others.begin(), others.end(), [](const Command* a, const Command* b) { return a->name < b->name; });
  const std::string_view name = container.spec->syntax.substr(0, container.name.size());
  ctx.reply.array(others.size() * 2 + 3);
  ctx.reply.simple(std::string(name) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  for (const Command* one : others) {
    ctx.reply.simple(readable_syntax(one->spec->syntax.substr(name.size() + 1)));
    ctx.reply.simple("    " + std::string(one->spec->docs.summary));
  }
  ctx.reply.simple("HELP");
  ctx.reply.simple("    Prints this help.");
  return Outcome::done;
}

}  // namespace fairlane::command
