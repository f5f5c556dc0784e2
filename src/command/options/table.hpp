#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "fairlane/command/options.hpp"

/// The sections of the option table, each in a file of its own, and what their rows are made of.
namespace fairlane::command {

/// "64", "1kb", "2mb": bytes with an optional unit.
std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

OptionSection network_options();
OptionSection client_options();
OptionSection general_options();
OptionSection memory_options();
OptionSection value_options();
OptionSection persistence_options();
OptionSection replication_options();
OptionSection cluster_options();
OptionSection tls_options();
OptionSection system_options();
OptionSection launch_options();

namespace rows {

inline constexpr std::int64_t kIntMost = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kIntLeast = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t kLongMost = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kPortMost = 65535;

using Apply = void (*)(Settings&, const OptionValue&);

constexpr Option integer(std::string_view name, std::string_view initial, std::int64_t low, std::int64_t high,
                         std::string_view help, Apply apply = nullptr, OptionFlag flags = OptionFlag::none) {
  return {.name = name,
          .kind = OptionKind::integer,
          .initial = initial,
          .help = help,
          .flags = flags,
          .low = low,
          .high = high,
          .apply = apply};
}
constexpr Option memory(std::string_view name, std::string_view initial, std::int64_t low, std::string_view help,
                        Apply apply = nullptr, OptionFlag flags = OptionFlag::none) {
  return {.name = name,
          .kind = OptionKind::memory,
          .initial = initial,
          .help = help,
          .flags = flags,
          .low = low,
          .high = kLongMost,
          .apply = apply};
}
constexpr Option boolean(std::string_view name, std::string_view initial, std::string_view help, Apply apply = nullptr,
                         OptionFlag flags = OptionFlag::none) {
  return {.name = name, .kind = OptionKind::boolean, .initial = initial, .help = help, .flags = flags, .apply = apply};
}
constexpr Option choice(std::string_view name, std::string_view initial, std::span<const std::string_view> choices,
                        std::string_view help, Apply apply = nullptr, OptionFlag flags = OptionFlag::none) {
  return {.name = name,
          .kind = OptionKind::choice,
          .initial = initial,
          .help = help,
          .flags = flags,
          .choices = choices,
          .apply = apply};
}
constexpr Option text(std::string_view name, std::string_view initial, std::string_view help, Apply apply = nullptr,
                      OptionFlag flags = OptionFlag::none) {
  return {.name = name, .kind = OptionKind::text, .initial = initial, .help = help, .flags = flags, .apply = apply};
}
/// The same row under an older name as well.
constexpr Option also(std::string_view alias, Option option) {
  option.alias = alias;
  return option;
}

inline constexpr std::string_view kNoYesLocal[] = {"no", "yes", "local"};

}  // namespace rows
}  // namespace fairlane::command
