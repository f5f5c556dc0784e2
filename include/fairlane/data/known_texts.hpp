#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "fairlane/data/same_text.hpp"

namespace fairlane::data {

/// Texts that the rows of queues use again and again, names of fields and of states: a packed hash keeps one byte
/// instead of such a text. The numbers never leave the process, so texts may be added and reordered freely.
inline constexpr std::array<std::string_view, 61> kKnownTexts = {
    "state",      "attempts",     "payload",      "group",         "last_error", "progress",
    "stalled",    "parent",       "parent_queue", "parent_policy", "lock",       "paused",
    "max",        "concurrency",  "count",        "data",          "name",       "opts",
    "timestamp",  "delay",        "priority",     "processedOn",   "finishedOn", "returnvalue",
    "stacktrace", "failedReason", "attemptsMade", "ats",           "atm",        "stc",
    "pb",         "parentKey",    "rjk",          "deid",          "nrjid",      "id",
    "type",       "status",       "queue",        "result",        "error",      "retries",
    "created_at", "updated_at",   "worker",       "value",         "pending",    "active",
    "completed",  "failed",       "delayed",      "waiting",       "scheduled",  "dead",
    "retry",      "blocked",      "cancelled",    "default",       "true",       "false",
    "null"};

namespace detail {

/// A perfect hash of kKnownTexts by length, first and last letter, found by the compiler.
struct KnownTextIndex {
  static constexpr std::size_t kPlaces = 512;
  std::array<std::uint8_t, kPlaces> numbers{};  // number + 1, 0 where there is no text
  std::uint32_t first_factor = 0;
  std::uint32_t last_factor = 0;

  constexpr std::size_t place(std::string_view text) const noexcept {
    const std::uint32_t first = static_cast<unsigned char>(text.front());
    const std::uint32_t last = static_cast<unsigned char>(text.back());
    const std::size_t middle = static_cast<unsigned char>(text[text.size() / 2]);
    return (first * first_factor + last * last_factor + middle * 7 + text.size()) % kPlaces;
  }

  constexpr bool fill() noexcept {
    numbers = {};
    for (std::size_t number = 0; number < kKnownTexts.size(); ++number) {
      std::uint8_t& at = numbers[place(kKnownTexts[number])];
      if (at != 0) return false;
      at = static_cast<std::uint8_t>(number + 1);
    }
    return true;
  }
};

consteval KnownTextIndex index_known_texts() {
  KnownTextIndex index;
  for (index.first_factor = 1; index.first_factor < 64; ++index.first_factor) {
    for (index.last_factor = 1; index.last_factor < 64; ++index.last_factor) {
      if (index.fill()) return index;
    }
  }
  throw "no perfect hash: change KnownTextIndex::place";
}

inline constexpr KnownTextIndex kKnownTextIndex = index_known_texts();

}  // namespace detail

/// The number of a known text plus 1, or 0 for any other text.
constexpr unsigned known_text_number(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const unsigned number = detail::kKnownTextIndex.numbers[detail::kKnownTextIndex.place(text)];
  if (number == 0) return 0;
  const std::string_view known = kKnownTexts[number - 1];
  return (std::is_constant_evaluated() ? known == text : same_text(known, text)) ? number : 0;
}

}  // namespace fairlane::data
