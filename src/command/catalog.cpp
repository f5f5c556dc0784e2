#include "fairlane/command/catalog.hpp"

#include <algorithm>
#include <cstring>

#include "command/groups.hpp"
#include "fairlane/base/assert.hpp"
#include "fairlane/base/hash.hpp"
#include "fairlane/base/text_match.hpp"

namespace fairlane::command {
namespace {

constexpr std::uint64_t kLowerBits = 0x2020202020202020ULL;

using Words = Catalog::NameWords;

Words words_of(std::string_view name) noexcept {
  Words words;
  const char* p = name.data();
  const std::size_t n = name.size();
  if (n >= 8) {
    words.first = base::detail::load64(p) | kLowerBits;
    words.last = base::detail::load64(p + n - 8) | kLowerBits;
  } else if (n >= 4) {
    words.first = (base::detail::load32(p) | base::detail::load32(p + n - 4) << 32) | kLowerBits;
  } else {
    for (std::size_t i = 0; i < n; ++i) words.first = words.first << 8 | static_cast<unsigned char>(p[i] | 0x20);
  }
  return words;
}

std::uint64_t hash(const Words& words, std::size_t size) noexcept {
  const std::uint64_t mixed =
      (words.first ^ size * 0x9E3779B97F4A7C15ULL) * 0xA0761D6478BD642FULL + words.last * 0xE7037ED1A0B428DBULL;
  return mixed >> 40;
}

const std::string& called(const Command& command) noexcept {
  return command.renamed.empty() ? command.name : command.renamed;
}

}  // namespace

Command* Catalog::find(std::string_view name) const noexcept {
  const Words words = words_of(name);
  for (std::size_t i = hash(words, name.size());; ++i) {
    const Slot& slot = slots_[i & kMask];
    if (slot.command == nullptr) return nullptr;
    if (slot.words == words && slot.size == name.size() &&
        (name.size() <= 16 || base::equal_ignoring_case(called(*slot.command), name))) {
      return slot.command;
    }
  }
}

void Catalog::index(Command* command) {
  const std::string& name = called(*command);
  FAIRLANE_ASSERT(find(name) == nullptr);
  const Words words = words_of(name);
  std::size_t i = hash(words, name.size());
  while (slots_[i & kMask].command != nullptr) ++i;
  slots_[i & kMask] = {words, name.size(), command};
}

bool Catalog::rename(std::string_view from, std::string_view to) {
  Command* command = find(from);
  FAIRLANE_ASSERT(command != nullptr);
  const Command* holder = find(to);
  if (!to.empty() && holder != nullptr && holder != command) return false;
  command->renamed = to;
  if (to.empty()) sorted_.erase(std::find(sorted_.begin(), sorted_.end(), command));
  slots_.assign(kSlots, {});
  for (Command* one : sorted_) index(one);
  return true;
}

void Catalog::add(std::span<const Spec> specs) {
  for (const Spec& spec : specs) {
    auto command = std::make_unique<Command>();
    command->spec = &spec;
    command->id = static_cast<std::uint16_t>(all_.size());
    command->words = static_cast<std::uint8_t>(name_words(spec));
    command->arity = arity_of(spec);
    command->flags = spec.flags;
    command->handler = spec.handler;
    std::string_view rest = spec.syntax;
    for (std::uint8_t i = 0; i < command->words; ++i) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      if (i != 0) command->name += '|';
      command->name += base::to_lower(rest.substr(0, blank));
      rest.remove_prefix(std::min(blank + 1, rest.size()));
    }
    all_.push_back(std::move(command));
  }
}

Catalog::Catalog() : slots_(kSlots) {
  for (const GroupCommands group : all_groups()) {
    add(group());
  }
  for (const auto& command : all_) {
    if (command->words == 1) {
      index(command.get());
      sorted_.push_back(command.get());
    }
  }
  for (const auto& command : all_) {
    if (command->words != 2) continue;
    const std::string_view name = command->name;
    Command* parent = find(name.substr(0, name.find('|')));
    FAIRLANE_ASSERT(parent != nullptr);
    command->parent = parent;
    parent->subcommands.push_back(command.get());
  }
  std::sort(sorted_.begin(), sorted_.end(), [](const Command* a, const Command* b) { return a->name < b->name; });
}

Command* Catalog::find_subcommand(const Command& container, std::string_view name) noexcept {
  for (Command* command : container.subcommands) {
    if (base::equal_ignoring_case(command->own_name(), name)) return command;
  }
  return nullptr;
}

Command* Catalog::find_for(std::span<const std::string_view> words) const noexcept {
  Command* command = find(words[0]);
  if (command == nullptr || command->subcommands.empty() || words.size() == 1) return command;
  return find_subcommand(*command, words[1]);
}

Command* Catalog::find_full(std::string_view full_name) const noexcept {
  const std::size_t bar = full_name.find('|');
  Command* command = find(full_name.substr(0, bar));
  if (bar == std::string_view::npos || command == nullptr) return command;
  return find_subcommand(*command, full_name.substr(bar + 1));
}

}  // namespace fairlane::command
