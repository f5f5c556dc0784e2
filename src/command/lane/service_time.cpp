#include "command/lane/service_time.hpp"

#include <algorithm>
#include <string>

namespace fairlane::command {
namespace {

/// The average follows the last sixteen jobs or so.
constexpr std::int64_t kMemory = 16;
constexpr auto kLongest = static_cast<std::int64_t>(lane::FairQueue::kMaxCost);

}  // namespace

void note_charge(Queue& queue, data::Hash& row, std::uint64_t cost) {
  row.put(kChargedField, std::to_string(queue.now) + " " + std::to_string(cost), queue.settings.hash);
}

void correct_known_charge(Queue& queue, std::string_view charged, std::string_view lane) {
  const std::size_t blank = charged.find(' ');
  if (blank == charged.npos) return;
  const auto since = base::parse_integer(charged.substr(0, blank));
  const auto cost = base::parse_integer(charged.substr(blank + 1));
  if (!since || !cost || *cost < 1 || *cost > kLongest) return;
  const std::int64_t took = std::clamp<std::int64_t>(queue.now - *since, 1, kLongest);
  QueueState& state = queue.state();
  state.fair->correct(lane, took - *cost);
  state.usual_time = std::max<std::int64_t>(state.usual_time + (took - state.usual_time) / kMemory, 1);
}

}  // namespace fairlane::command
