#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/introspection.hpp"
#include "fairlane/command/catalog.hpp"

namespace fairlane::command {

/// What a client was refused. In rising order: of what several selectors refuse, the highest counts.
enum class Refused : std::uint8_t { nothing, command, key, login, channel };

/// Whether a request is permitted, and if not, the word that it failed at (0 for the command itself).
struct Verdict {
  Refused refused = Refused::nothing;
  std::uint32_t word = 0;
  bool permitted() const noexcept { return refused == Refused::nothing; }
  auto operator<=>(const Verdict&) const noexcept = default;
};

/// A request as permissions see it. Its keys are found when they are first asked for.
class CheckedRequest {
 public:
  CheckedRequest(const Command& command, std::span<const std::string_view> words) noexcept
      : command_(command), words_(words) {}

  const Command& command() const noexcept { return command_; }
  std::span<const std::string_view> words() const noexcept { return words_; }
  const std::vector<RequestKey>& keys();

 private:
  const Command& command_;
  std::span<const std::string_view> words_;
  std::optional<std::vector<RequestKey>> keys_;
};

/// Keys whose names match a pattern, and what may be done with them.
struct KeyPattern {
  std::string pattern;
  bool read = false;
  bool write = false;
};

/// What one selector of a user permits: commands, keys and channels, all three of which a request has to fit. Made for
/// one catalog, whose commands it knows by their ids. Permits nothing at first.
class Permissions {
 public:
  explicit Permissions(const Catalog& catalog) : commands_(catalog.all().size()) {}

  // --- commands
  void set_all_commands(bool permitted);
  /// A command and all of its subcommands; its first words are forgotten.
  void set_command(const Command& command, bool permitted);
  /// The commands of a category, and the subcommands of a container that is in it.
  void set_category(const Catalog& catalog, Category category, bool permitted);
  /// Permits a command without subcommands when its first argument is this word, whatever the case.
  void add_first_word(const Command& command, std::string_view word);
  bool has_command(const Command& command) const { return commands_[command.id]; }
  /// Commands that a later version may have are permitted unless they are named: the last word on all of them was yes.
  bool has_future_commands() const noexcept { return future_commands_; }
  std::span<const std::string> first_words(const Command& command) const;

  // --- keys
  void set_all_keys(bool permitted);
  /// Not while all keys are permitted. A pattern that is there already gets the further rights.
  void add_keys(const KeyPattern& pattern);
  bool has_all_keys() const noexcept { return all_keys_; }
  std::span<const KeyPattern> keys() const noexcept { return keys_; }
  /// Whether every key there may ever be may be read.
  bool reads_all_keys() const noexcept;

  // --- channels
  void set_all_channels(bool permitted);
  /// Not while all channels are permitted.
  void add_channels(std::string_view pattern);
  bool has_all_channels() const noexcept { return all_channels_; }
  std::span<const std::string> channels() const noexcept { return channels_; }

  bool unrestricted() const noexcept { return all_commands_ && all_keys_ && all_channels_; }
  Verdict check(CheckedRequest& request) const;

 private:
  bool permits_command(const CheckedRequest& request) const;
  Verdict check_keys(CheckedRequest& request) const;
  Verdict check_channels(const CheckedRequest& request) const;

  std::vector<bool> commands_;  // by id
  bool all_commands_ = false;   // and then every bit is set
  bool future_commands_ = false;
  std::map<std::uint16_t, std::vector<std::string>> first_words_;  // by id
  bool all_keys_ = false;                                          // and then there are no patterns
  std::vector<KeyPattern> keys_;
  bool all_channels_ = false;  // likewise
  std::vector<std::string> channels_;
};

/// May a name be used by someone who has these patterns? A pattern to subscribe to has to be one of them.
bool permits_channel(std::span<const std::string> patterns, std::string_view name, bool is_pattern);

}  // namespace fairlane::command
