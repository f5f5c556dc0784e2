#include "command/latency_monitor.hpp"

#include <algorithm>

namespace fairlane::command {
namespace {

constexpr std::size_t kMostSamples = 160;

}  // namespace

void LatencyMonitor::note(std::string_view name, std::int64_t unix_seconds, std::int64_t millis) {
  auto event = std::find_if(events_.begin(), events_.end(), [name](const Event& one) { return one.name == name; });
  if (event == events_.end()) event = events_.insert(event, {std::string(name), {}, 0});
  event->worst = std::max(event->worst, millis);
  if (!event->samples.empty() && event->samples.back().unix_seconds == unix_seconds) {
    event->samples.back().millis = std::max(event->samples.back().millis, millis);
    return;
  }
  event->samples.push_back({unix_seconds, millis});
  if (event->samples.size() > kMostSamples) event->samples.pop_front();
}

const LatencyMonitor::Event* LatencyMonitor::find(std::string_view name) const noexcept {
  for (const Event& event : events_) {
    if (event.name == name) return &event;
  }
  return nullptr;
}

bool LatencyMonitor::reset(std::string_view name) {
  return std::erase_if(events_, [name](const Event& event) { return event.name == name; }) != 0;
}

std::size_t LatencyMonitor::reset_all() {
  const std::size_t count = events_.size();
  events_.clear();
  return count;
}

}  // namespace fairlane::command
