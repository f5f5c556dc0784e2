#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "command/lane/queue.hpp"

/// What LANE.CONFIG sets of a queue: a table, a row an option. A value is a number, or the place of a word in the row,
/// and 0 is the default of each. The queue's meta hash keeps them; a default is no field there.
namespace fairlane::command {

struct QueueOption {
  std::string_view name;
  field::Text field;
  std::span<const std::string_view> words = {};  ///< none: a number

  bool is_number() const noexcept { return words.empty(); }
};

/// Whatever the case of the name; null when there is none.
const QueueOption* find_queue_option(std::string_view name) noexcept;

/// The value that a client wrote, or nothing.
std::optional<std::int64_t> parse_option(const QueueOption& option, std::string_view text) noexcept;
/// What to write instead: "must be ...".
std::string describe_values(const QueueOption& option);

/// What is no value is the default.
Step read_option(Queue& queue, const QueueOption& option, std::int64_t& value);

struct OptionChange {
  const QueueOption* option;
  std::int64_t value;
};
/// All of them, the last one of those for one option, with what follows: claimers look again when more jobs may be
/// active, and completed jobs beyond what is to be kept are gone.
Step set_options(Queue& queue, std::span<const OptionChange> changes);

}  // namespace fairlane::command
