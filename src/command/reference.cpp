#include "fairlane/command/reference.hpp"

#include <algorithm>
#include <vector>

#include "command/introspection.hpp"
#include "command/syntax.hpp"

namespace fairlane::command {
namespace {

struct Section {
  Group group;
  std::string_view title;
};

// In the order in which somebody new would want to read them.
constexpr Section kSections[] = {
    {Group::lane, "Lanes"},
    {Group::string, "Strings"},
    {Group::list, "Lists"},
    {Group::hash, "Hashes"},
    {Group::set, "Sets"},
    {Group::sorted_set, "Sorted sets"},
    {Group::stream, "Streams"},
    {Group::bitmap, "Bitmaps"},
    {Group::hyperloglog, "HyperLogLogs"},
    {Group::geo, "Places"},
    {Group::generic, "Keys"},
    {Group::transactions, "Transactions"},
    {Group::scripting, "Scripts"},
    {Group::pubsub, "Publish and subscribe"},
    {Group::connection, "Connections"},
    {Group::server, "Server"},
    {Group::cluster, "Cluster"},
};

template <class Set>
void append_names(std::string& text, std::span<const Named<Set>> names, Set set, std::string_view prefix) {
  for_each_name(names, set, [&](std::string_view name) { text.append(" ").append(prefix).append(name); });
}

/// Every line but the last of a paragraph ends with two blanks, which Markdown keeps as a line break.
void append_command(std::string& text, const Command& command) {
  const Docs& docs = command.spec->docs;
  text.append("**`").append(readable_syntax(command.spec->syntax)).append("`**  \n");
  text.append(docs.summary);
  if (!docs.deprecated_since.empty()) {
    text.append(" Deprecated since ").append(docs.deprecated_since);
    if (!docs.replaced_by.empty()) text.append(", replaced by ").append(docs.replaced_by);
    text.append(".");
  }
  text.append("  \n<sub>Since ").append(docs.since);
  if (!docs.complexity.empty()) {
    text.append(" · ").append(docs.complexity);
    if (text.back() == '.') text.pop_back();
  }
  if (all_flags(command) != Flag::none) {
    text.append(" ·");
    append_names(text, flag_names(), all_flags(command), "");
  }
  text.append(" ·");
  append_names(text, category_names(), all_categories(command), "@");
  text.append("</sub>\n\n");
}

}  // namespace

void print_reference(std::string& text) {
  const Catalog catalog;
  std::vector<const Command*> commands;
  for (const auto& command : catalog.all()) {
    // A bare container says nothing that its subcommands do not say.
    if (command->handler != nullptr) commands.push_back(command.get());
  }
  std::sort(commands.begin(), commands.end(), [](const Command* a, const Command* b) { return a->name < b->name; });
  text.append(
      "# Commands\n\n"
      "Printed by `fairlane-server --print-commands` from the declarations in `groups/`; a test compares.\n"
      "Square brackets hold what may be absent, bars separate alternatives, dots stand behind what may be "
      "repeated.\n\n");
  for (const Section& section : kSections) {
    const auto belongs = [&](const Command* command) { return command->spec->group == section.group; };
    if (std::none_of(commands.begin(), commands.end(), belongs)) continue;
    text.append("## ").append(section.title).append("\n\n");
    for (const Command* command : commands) {
      if (belongs(command)) append_command(text, *command);
    }
  }
  text.pop_back();
}

}  // namespace fairlane::command
