#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlane::command {

struct Settings;

/// What an option's text may be.
enum class OptionKind : std::uint8_t {
  integer,
  memory,             ///< bytes, with the units b, k, kb, m, mb, g, gb
  memory_or_percent,  ///< a percentage is kept as a negative number
  octal,
  boolean,  ///< yes or no
  choice,   ///< one of several words
  choices,  ///< some of several words
  text,
  words,  ///< several words, whose meaning the option's own reader checks
};

enum class OptionFlag : std::uint8_t {
  none = 0,
  immutable = 1U << 0,     ///< only before the start
  hidden = 1U << 1,        ///< answered to its full name, not to a pattern
  secret = 1U << 2,        ///< kept from the slow log and MONITOR
  guarded = 1U << 3,       ///< changed only where enable-protected-configs allows it
  any_unsigned = 1U << 4,  ///< a number up to 2^64-1, without further limits
  additive = 1U << 5,      ///< each line of the configuration file adds to the lines before it
  launch = 1U << 6,        ///< for whoever starts the server: in --help, though hidden
};
constexpr OptionFlag operator|(OptionFlag a, OptionFlag b) noexcept {
  return static_cast<OptionFlag>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(OptionFlag flags, OptionFlag flag) noexcept {
  return (static_cast<std::uint8_t>(flags) & static_cast<std::uint8_t>(flag)) != 0;
}

/// A value in both readings: kinds with numbers use `number` (a choice: its place among the choices, a boolean: 0 or
/// 1), the others `text`.
struct OptionValue {
  std::int64_t number = 0;
  std::string text;
};

/// The whole declaration of an option. CONFIG, the configuration file, the command line, --help and the printed
/// configuration are derived from the table of these.
struct Option {
  std::string_view name;
  OptionKind kind = OptionKind::text;
  std::string_view initial;  ///< as CONFIG GET answers it
  std::string_view help;     ///< one sentence
  OptionFlag flags = OptionFlag::none;
  std::string_view alias = {};
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::span<const std::string_view> choices = {};
  /// Checks the words of an option of kind text or words, and brings them into the form in which they are kept,
  /// starting from the value so far. Returns what is wrong, or nothing.
  std::string (*read)(std::span<const std::string_view> words, std::string& kept) = nullptr;
  /// What CONFIG GET answers where that is not the text kept.
  std::string (*show)(const std::string& kept) = nullptr;
  /// Hands the value to running code.
  void (*apply)(Settings& settings, const OptionValue& value) = nullptr;
};

struct OptionSection {
  std::string_view title;
  std::span<const Option> options;
};

/// All options, in the order in which they are printed.
std::span<const OptionSection> option_sections() noexcept;

/// The values of all options. The settings it was made with always agree with it.
class Options {
 public:
  /// Every option at its initial value.
  explicit Options(Settings& settings);

  /// The option of a name or an alias, whatever the case; null when there is none.
  static const Option* find(std::string_view name) noexcept;

  /// As CONFIG GET answers.
  std::string text(const Option& option) const;
  const OptionValue& value(const Option& option) const noexcept;
  /// False as long as an option has its initial value.
  bool changed(const Option& option) const;

  /// Before the start: the words behind a directive of the configuration file. Returns what is wrong, or nothing.
  std::string load(const Option& option, std::span<const std::string_view> words);
  /// For the server itself, when the world does not allow what was asked for.
  void overrule(std::string_view name, std::int64_t number);

  /// What CONFIG SET failed at.
  struct Refusal {
    std::size_t change;  ///< its place among the changes
    std::string reason;
  };
  using Change = std::pair<const Option*, std::string_view>;
  /// CONFIG SET: all of the changes or none.
  std::optional<Refusal> change(std::span<const Change> changes);
  /// Called after a change of the option at run time, when the settings have it. A text refuses the change, which is
  /// then taken back, and the actions are called once more.
  void on_change(std::string_view name, std::function<std::string()> action);

  /// CONFIG REWRITE: set by whoever read the configuration file. Returns what went wrong, or nothing.
  std::function<std::string()> rewrite;

 private:
  std::string parse(const Option& option, std::span<const std::string_view> words, OptionValue& value) const;
  std::string run_actions(std::span<const Change> changes, std::size_t& refused);
  void store(std::size_t index, OptionValue value);

  Settings& settings_;
  std::vector<OptionValue> values_;
  std::vector<const Option*> loaded_;  ///< the additive ones that the configuration file has set
  std::vector<std::pair<const Option*, std::function<std::string()>>> actions_;
};

}  // namespace fairlane::command
