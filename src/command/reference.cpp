#include "fairlane/command/reference.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "command/compatibility.hpp"
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

std::string shown_name(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c == '|' ? ' ' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return text;
}

std::string status_of(const Command& command) {
  if (is_newer(command)) {
    const bool own = command.spec->group == Group::lane;
    return own ? "Fairlane's own" : "since Redis " + std::string(command.spec->docs.since);
  }
  for (const Remark& difference : differences()) {
    if (difference.command == command.name) return "differs: " + std::string(difference.text);
  }
  return "same";
}

void append_status(std::string& text, std::span<const Command* const> commands) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command* command : commands) rows.emplace_back(shown_name(command->name), status_of(*command));
  for (const Remark& absence : absences()) {
    rows.emplace_back(shown_name(absence.command), "absent: " + std::string(absence.text));
  }
  std::sort(rows.begin(), rows.end());
  text.append(
      "## Beside Redis 7.0\n\n"
      "`same` means the same replies, errors, events and metadata as those of redis-server 7.0.15, as far as tests "
      "and random programs beside it have shown.\n\n"
      "| command | status |\n|---|---|\n");
  for (const auto& [name, status] : rows) text.append("| `").append(name).append("` | ").append(status).append(" |\n");
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
  append_status(text, commands);
}

}  // namespace fairlane::command
