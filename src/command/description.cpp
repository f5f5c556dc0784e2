#include "command/description.hpp"

#include <algorithm>

#include "command/syntax.hpp"

namespace fairlane::command {

using protocol::Reply;

namespace {

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

}  // namespace

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
  if (!docs.deprecated_since.empty() || docs.for_system) {
    reply.bulk("doc_flags");
    reply.set(1);
    reply.simple(docs.for_system ? "syscmd" : "deprecated");
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

}  // namespace fairlane::command
