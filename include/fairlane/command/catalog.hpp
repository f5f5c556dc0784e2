#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fairlane/command/latency.hpp"
#include "fairlane/command/spec.hpp"

namespace fairlane::command {

/// How often a command ran, and how long. Times in ticks of base::ticks().
struct CommandStats {
  std::uint64_t calls = 0;
  std::uint64_t ticks = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::unique_ptr<Latency> latency;  ///< made by the first call that is tracked

  void note(std::uint64_t spent, bool track) {
    ++calls;
    note_end(spent, track);
  }
  /// A call that was counted when its client began to wait has ended.
  void note_end(std::uint64_t spent, bool track) {
    ticks += spent;
    if (!track) return;
    if (latency == nullptr) [[unlikely]]
      latency = std::make_unique<Latency>();
    latency->note(spent);
  }
};

/// A declared command as the server runs it.
struct Command {
  const Spec* spec;
  std::string name;  ///< lower case; a subcommand's is "client|id"
  std::uint16_t id;  ///< its place in Catalog::all()
  std::int16_t arity;
  std::uint8_t words;  ///< of the name: 1, or 2 for a subcommand
  Flag flags;
  Handler handler;  ///< null for a container
  Command* parent = nullptr;
  std::vector<Command*> subcommands;
  CommandStats stats;
  std::string renamed;  ///< what clients call it, when that is not its name

  bool accepts(std::size_t word_count) const noexcept {
    return arity >= 0 ? word_count == static_cast<std::size_t>(arity) : word_count >= static_cast<std::size_t>(-arity);
  }
  /// The subcommand's own word, "id" of "client|id".
  std::string_view own_name() const noexcept {
    return parent == nullptr ? std::string_view(name) : std::string_view(name).substr(parent->name.size() + 1);
  }
};

/// All commands, found by name whatever its case.
class Catalog {
 public:
  /// The first and last eight bytes of a name with bit 5 set: equal for names that differ in case alone.
  struct NameWords {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const NameWords&) const = default;
  };

  /// Every group of the server.
  Catalog();

  /// Null when there is no such command. Subcommands are found through their container.
  Command* find(std::string_view name) const noexcept;
  /// The subcommand of a container; null when there is none of the name.
  static Command* find_subcommand(const Command& container, std::string_view name) noexcept;
  /// The command that a request names; null when there is none. A container with a word that is none of its subcommands
  /// is none, and alone it is itself.
  Command* find_for(std::span<const std::string_view> words) const noexcept;
  /// "client|id" or "get", whatever the case.
  Command* find_full(std::string_view full_name) const noexcept;

  /// Gives a top-level command that exists another name, or none: then nobody finds it. False when the name is taken.
  bool rename(std::string_view from, std::string_view to);

  /// All top-level commands, in alphabetical order.
  std::span<Command* const> commands() const noexcept { return sorted_; }
  /// Subcommands as well.
  std::span<const std::unique_ptr<Command>> all() const noexcept { return all_; }

 private:
  struct Slot {
    NameWords words;
    std::size_t size = 0;
    Command* command = nullptr;
  };
  static constexpr std::size_t kSlots = 2048;
  static constexpr std::size_t kMask = kSlots - 1;

  void add(std::span<const Spec> specs);
  void index(Command* command);

  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Command>> all_;
  std::vector<Command*> sorted_;
};

}  // namespace fairlane::command
