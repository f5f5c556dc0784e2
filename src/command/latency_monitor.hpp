#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairlane::command {

/// The slow moments of late, by the kind of event that caused them: "command", and "fast-command" for a command that
/// should not take long whatever its arguments.
class LatencyMonitor {
 public:
  struct Sample {
    std::int64_t unix_seconds;
    std::int64_t millis;
  };
  struct Event {
    std::string name;
    std::deque<Sample> samples;  ///< oldest first; the worst of a second, and 160 at most
    std::int64_t worst = 0;      ///< in milliseconds, since the last reset
  };

  void note(std::string_view name, std::int64_t unix_seconds, std::int64_t millis);
  const std::vector<Event>& events() const noexcept { return events_; }
  const Event* find(std::string_view name) const noexcept;
  /// False when there was no such event.
  bool reset(std::string_view name);
  std::size_t reset_all();

 private:
  std::vector<Event> events_;
};

}  // namespace fairlane::command
