// command.cpp - COMMAND: what commands there are, how they are called, and which words of a request are keys.
#include <array>

#include "command/groups.hpp"
#include "command/help.hpp"
#include "command/introspection.hpp"
#include "command/syntax.hpp"
#include "fairlane/base/text_match.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {
namespace {

using protocol::Reply;

// --- COMMAND, COMMAND INFO

template <class Set>
void reply_names(Reply& reply, std::span<const Named<Set>> names, Set set, std::string_view prefix = {}) {
  const auto place = reply.open();
  std::string text;
  const std::size_t count = for_each_name(names, set, [&](std::string_view name) {
    text.assign(prefix).append(name);
    reply.simple(text);
  });
  reply.close_set(place, count);
}

void reply_field(Reply& reply, std::string_view name, std::int64_t value) {
  reply.bulk(name);
  reply.integer(value);
}

void reply_field(Reply& reply, std::string_view name, std::string_view value) {
  reply.bulk(name);
  reply.bulk(value);
}

void reply_begin(Reply& reply, const KeySpec& key) {
  reply.bulk("begin_search");
  reply.map(2);
  switch (key.begin) {
    case KeySpec::Begin::index:
      reply_field(reply, "type", "index");
      reply.bulk("spec");
      reply.map(1);
      return reply_field(reply, "index", key.index);
    case KeySpec::Begin::keyword:
      reply_field(reply, "type", "keyword");
      reply.bulk("spec");
      reply.map(2);
      reply_field(reply, "keyword", key.keyword);
      return reply_field(reply, "startfrom", key.index);
    case KeySpec::Begin::unknown:
      reply_field(reply, "type", "unknown");
      reply.bulk("spec");
      return reply.map(0);
  }
}

void reply_find(Reply& reply, const KeySpec& key) {
  reply.bulk("find_keys");
  reply.map(2);
  switch (key.find) {
    case KeySpec::Find::range:
      reply_field(reply, "type", "range");
      reply.bulk("spec");
      reply.map(3);
      reply_field(reply, "lastkey", key.last);
      reply_field(reply, "keystep", key.step);
      return reply_field(reply, "limit", key.limit);
    case KeySpec::Find::keynum:
      reply_field(reply, "type", "keynum");
      reply.bulk("spec");
      reply.map(3);
      reply_field(reply, "keynumidx", key.last);
      reply_field(reply, "firstkey", key.limit);
      return reply_field(reply, "keystep", key.step);
    case KeySpec::Find::unknown:
      reply_field(reply, "type", "unknown");
      reply.bulk("spec");
      return reply.map(0);
  }
}

void reply_key_specs(Reply& reply, const Spec& spec) {
  std::string_view notes = spec.key_notes;
  reply.set(spec.keys.count);
  for (std::uint8_t i = 0; i < spec.keys.count; ++i) {
    const KeySpec& key = spec.keys.specs[i];
    const std::string_view note = notes.substr(0, notes.find('\n'));
    notes.remove_prefix(std::min(note.size() + 1, notes.size()));
    reply.map(note.empty() ? 3 : 4);
    if (!note.empty()) reply_field(reply, "notes", note);
    reply.bulk("flags");
    reply_names(reply, use_names(), key.use);
    reply_begin(reply, key);
    reply_find(reply, key);
  }
}

void reply_tips(Reply& reply, std::string_view tips) {
  const auto place = reply.open();
  std::size_t count = 0;
  while (!tips.empty()) {
    const std::string_view tip = tips.substr(0, tips.find(' '));
    tips.remove_prefix(std::min(tip.size() + 1, tips.size()));
    reply.bulk(tip);
    ++count;
  }
  reply.close_set(place, count);
}

void reply_info(Reply& reply, const Command& command) {
  const KeyRange range = key_range(*command.spec);
  reply.array(10);
  reply.bulk(command.name);
  reply.integer(command.arity);
  reply_names(reply, flag_names(), all_flags(command));
  reply.integer(range.first);
  reply.integer(range.last);
  reply.integer(range.step);
  reply_names(reply, category_names(), all_categories(command), "@");
  reply_tips(reply, command.spec->tips);
  reply_key_specs(reply, *command.spec);
  // As Redis has it: without subcommands an empty set, with them an array.
  if (command.subcommands.empty()) return reply.set(0);
  reply.array(command.subcommands.size());
  for (const Command* child : command.subcommands) reply_info(reply, *child);
}

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

// --- COMMAND DOCS

void reply_arguments(Reply& reply, const std::vector<Argument>& arguments);

void reply_argument_flags(Reply& reply, const Argument& argument) {
  reply.bulk("flags");
  const auto place = reply.open();
  std::size_t count = 0;
  const auto flag = [&](bool set, std::string_view name) {
    if (!set) return;
    reply.simple(name);
    ++count;
  };
  flag(argument.optional, "optional");
  flag(argument.multiple, "multiple");
  flag(argument.token_repeats, "multiple_token");
  reply.close_set(place, count);
}

void reply_argument(Reply& reply, const Argument& argument) {
  const auto place = reply.open();
  std::size_t fields = 2;
  reply_field(reply, "name", argument.name);
  reply_field(reply, "type", type_name(argument.type));
  if (argument.key_spec >= 0) {
    reply_field(reply, "key_spec_index", argument.key_spec);
    ++fields;
  }
  if (!argument.token.empty()) {
    reply_field(reply, "token", argument.token);
    ++fields;
  }
  if (argument.optional || argument.multiple) {
    reply_argument_flags(reply, argument);
    ++fields;
  }
  if (!argument.arguments.empty()) {
    reply.bulk("arguments");
    reply_arguments(reply, argument.arguments);
    ++fields;
  }
  reply.close_map(place, fields);
}

void reply_arguments(Reply& reply, const std::vector<Argument>& arguments) {
  reply.array(arguments.size());
  for (const Argument& argument : arguments) reply_argument(reply, argument);
}

void reply_docs(Reply& reply, const Command& command) {
  const Spec& spec = *command.spec;
  const Docs& docs = spec.docs;
  reply.bulk(command.name);
  const auto place = reply.open();
  std::size_t fields = 0;
  const auto field = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    reply_field(reply, name, value);
    ++fields;
  };
  field("summary", docs.summary);
  field("since", docs.since);
  field("group", group_name(spec.group));
  field("complexity", docs.complexity);
  if (!docs.deprecated_since.empty()) {
    reply.bulk("doc_flags");
    reply.set(1);
    reply.simple("deprecated");
    ++fields;
  }
  field("deprecated_since", docs.deprecated_since);
  field("replaced_by", docs.replaced_by);
  std::string error;
  if (const auto arguments = arguments_of(spec, error); !arguments.empty()) {
    reply.bulk("arguments");
    reply_arguments(reply, arguments);
    ++fields;
  }
  if (!command.subcommands.empty()) {
    reply.bulk("subcommands");
    reply.map(command.subcommands.size());
    for (const Command* child : command.subcommands) reply_docs(reply, *child);
    ++fields;
  }
  reply.close_map(place, fields);
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
      case By::nothing: return true;
      case By::module: return false;  // there are no modules
      case By::category: return has(all_categories(command), category_named(operand));
      case By::pattern: return base::glob_match(operand, command.name, base::Case::ignored);
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

/// The command that a request names; null when there is none. A container with a word that is none of its subcommands
/// is none.
const Command* named_command(const Catalog& catalog, std::span<const std::string_view> words) {
  const Command* command = catalog.find(words[0]);
  if (command == nullptr || command->subcommands.empty() || words.size() == 1) return command;
  return Catalog::find_subcommand(*command, words[1]);
}

template <class F>
Outcome reply_keys(Context& ctx, Args& args, F&& reply_key) {
  const auto words = args.rest();
  const Command* command = named_command(ctx.services.catalog, words);
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
     .arity = -2,
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
     .arity = -2,
     .tips = "nondeterministic_output_order"},
    {.syntax = "COMMAND LIST [FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
     .handler = list,
     .flags = kAlways,
     .group = Group::server,
     .docs = {.summary = "Names all commands, or those that pass a filter.",
              .complexity = "O(N), N commands",
              .since = "7.0.0"},
     .categories = Category::connection,
     .arity = -2,
     .tips = "nondeterministic_output_order"},
};
static_assert(well_formed(kSpecs));

}  // namespace

std::span<const Spec> command_commands() { return kSpecs; }

}  // namespace fairlane::command
