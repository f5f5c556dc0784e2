// command.cpp - COMMAND: what commands there are, how they are called, and which words of a request are keys.
#include "command/description.hpp"
#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/introspection.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

using protocol::Reply;

// --- COMMAND INFO, COMMAND DOCS

Outcome all_info(Context& ctx, Args&) {
  const auto commands = ctx.services.catalog.commands();
  ctx.reply.array(commands.size());
  for (const Command* command : commands) reply_info(ctx.reply, *command);
  return Outcome::done;
}

Outcome info(Context& ctx, Args& args) {
  if (!args.more()) return all_info(ctx, args);
  ctx.reply.array(args.left());
  while (args.more()) {
    const Command* command = ctx.services.catalog.find_full(args.text());
    if (command == nullptr) {
      ctx.reply.null();
    } else {
      reply_info(ctx.reply, *command);
    }
  }
  return Outcome::done;
}

Outcome count(Context& ctx, Args&) {
  ctx.reply.integer(static_cast<std::int64_t>(ctx.services.catalog.commands().size()));
  return Outcome::done;
}

Outcome docs(Context& ctx, Args& args) {
  const Catalog& catalog = ctx.services.catalog;
  if (!args.more()) {
    ctx.reply.map(catalog.commands().size());
    for (const Command* command : catalog.commands()) reply_docs(ctx.reply, *command);
    return Outcome::done;
  }
  const auto place = ctx.reply.open();
  std::size_t found = 0;
  while (args.more()) {
    const Command* command = catalog.find_full(args.text());
    if (command == nullptr) continue;
    reply_docs(ctx.reply, *command);
    ++found;
  }
  ctx.reply.close_map(place, found);
  return Outcome::done;
}

// --- COMMAND LIST

/// Which commands COMMAND LIST names.
struct Filter {
  enum class By : std::uint8_t { nothing, module, category, pattern };
  By by = By::nothing;
  std::string_view operand;

  bool passes(const Command& command) const {
    switch (by) {
      case By::nothing:
        return true;
      case By::module:
        return false;  // there are no modules
      case By::category:
        return has(all_categories(command), category_named(operand));
      case By::pattern:
        return base::glob_match(operand, command.name, base::Case::ignored);
    }
    return false;
  }
};

Filter read_filter(Args& args) {
  Filter filter;
  if (!args.more()) return filter;
  if (!args.option_with("FILTERBY", 2)) {
    args.fail(errors::kSyntax);
    return filter;
  }
  if (args.option("MODULE")) {
    filter.by = Filter::By::module;
  } else if (args.option("ACLCAT")) {
    filter.by = Filter::By::category;
  } else if (args.option("PATTERN")) {
    filter.by = Filter::By::pattern;
  } else {
    args.fail(errors::kSyntax);
    return filter;
  }
  filter.operand = args.text();
  if (args.left() != 0) args.fail(errors::kSyntax);
  return filter;
}

std::size_t reply_list(Reply& reply, const Command& command, const Filter& filter) {
  std::size_t named = 0;
  if (filter.passes(command)) {
    reply.bulk(command.name);
    ++named;
  }
  for (const Command* child : command.subcommands) named += reply_list(reply, *child, filter);
  return named;
}

Outcome list(Context& ctx, Args& args) {
  const Filter filter = read_filter(args);
  if (!args.ok()) return ctx.fail(args.error());
  const auto place = ctx.reply.open();
  std::size_t named = 0;
  for (const Command* command : ctx.services.catalog.commands()) named += reply_list(ctx.reply, *command, filter);
  ctx.reply.close_array(place, named);
  return Outcome::done;
}

// --- COMMAND GETKEYS

template <class F>
Outcome reply_keys(Context& ctx, Args& args, F&& reply_key) {
  const auto words = args.rest();
  const Command* command = ctx.services.catalog.find_for(words);
  if (command == nullptr) return ctx.fail("ERR Invalid command specified");
  if (!takes_keys(*command->spec)) return ctx.fail("ERR The command has no key arguments");
  if (!command->accepts(words.size())) return ctx.fail("ERR Invalid number of arguments specified for command");
  const auto keys = keys_of(*command->spec, words);
  if (keys.empty() && !has(command->flags, Flag::no_mandatory_keys)) {
    return ctx.fail("ERR Invalid arguments specified for command");
  }
  ctx.reply.array(keys.size());
  for (const RequestKey& key : keys) reply_key(words[key.position], key.use);
  return Outcome::done;
}

Outcome getkeys(Context& ctx, Args& args) {
  return reply_keys(ctx, args, [&](std::string_view key, Use) { ctx.reply.bulk(key); });
}

Outcome getkeysandflags(Context& ctx, Args& args) {
  return reply_keys(ctx, args, [&](std::string_view key, Use use) {
    ctx.reply.array(2);
    ctx.reply.bulk(key);
    reply_names(ctx.reply, use_names(), use);
  });
}

constexpr Flag kAlways = Flag::loading | Flag::stale;

constexpr Spec kSpecs[] = {
    {.syntax = "COMMAND",
     .handler = all_info,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Describes all commands.", .complexity = "O(N), N commands", .since = "2.8.13"},
     .categories = Category::connection,
     .arity = -1,
     .tips = "nondeterministic_output_order"},
    {.syntax = "COMMAND COUNT",
     .handler = count,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Tells how many commands there are.", .complexity = "O(1)", .since = "2.8.13"},
     .categories = Category::connection},
    {.syntax = "COMMAND DOCS [command-name [command-name ...]]",
     .handler = docs,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Answers the documentation of some commands, or of all.",
              .complexity = "O(N), N commands named",
              .since = "7.0.0"},
     .categories = Category::connection,
     .tips = "nondeterministic_output_order"},
    {.syntax = "COMMAND GETKEYS command [arg [arg ...]]",
     .handler = getkeys,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Picks the keys out of a request.",
              .complexity = "O(N), N words in the request",
              .since = "2.8.13"},
     .categories = Category::connection,
     .arity = -4},
    {.syntax = "COMMAND GETKEYSANDFLAGS command [arg [arg ...]]",
     .handler = getkeysandflags,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Picks the keys out of a request and tells what would be done with each.",
              .complexity = "O(N), N words in the request",
              .since = "7.0.0"},
     .categories = Category::connection,
     .arity = -4},
    {.syntax = "COMMAND HELP",
     .handler = help,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Lists the subcommands.", .complexity = "O(1)", .since = "5.0.0"},
     .categories = Category::connection},
    {.syntax = "COMMAND INFO [command-name [command-name ...]]",
     .handler = info,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Describes some commands, or all.", .complexity = "O(N), N commands named", .since = "2.8.13"},
     .categories = Category::connection,
     .tips = "nondeterministic_output_order"},
    {.syntax = "COMMAND LIST [FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
     .handler = list,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Names all commands, or those that pass a filter.",
              .complexity = "O(N), N commands",
              .since = "7.0.0"},
     .categories = Category::connection,
     .tips = "nondeterministic_output_order"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> command_commands() { return kSpecs; }

}  // namespace fairlane::command
