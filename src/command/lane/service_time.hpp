#pragma once

#include <cstdint>
#include <string_view>

#include "command/lane/queue.hpp"

/// Charging time (policy `smooth`, charge `time`): a job is charged what a job usually takes when it is claimed, and
/// the difference when it is settled and the time it really took is known. The row remembers both numbers.
namespace fairlane::command {

inline constexpr std::string_view kChargedField = "charged";

/// The job in this row is claimed now, at this cost in milliseconds.
void note_charge(Queue& queue, data::Hash& row, std::uint64_t cost);

void correct_known_charge(Queue& queue, std::string_view charged, std::string_view lane);
/// The job in this row is settled now.
inline void correct_charge(Queue& queue, const data::Hash& row, std::string_view lane) {
  if (!queue.state().fair) [[likely]]
    return;
  if (const auto charged = row.find(kChargedField)) correct_known_charge(queue, *charged, lane);
}

}  // namespace fairlane::command
