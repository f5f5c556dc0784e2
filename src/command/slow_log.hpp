#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/latency_monitor.hpp"
#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"

namespace fairlane::command {

/// The requests that took longest lately, newest first. Hears of them from the executor, which asks it nothing as long
/// as a request is quick.
class SlowLog {
 public:
  struct Entry {
    std::int64_t id;
    std::int64_t unix_seconds;
    std::int64_t micros;
    std::vector<std::string> words;  ///< at most 32, each cut at 128 bytes; secrets are left out
    std::string address;
    std::string client_name;
  };

  /// The services' executor exists.
  explicit SlowLog(Services& services);

  /// To be called when the settings of the slow log have changed.
  void apply_settings();
  const std::deque<Entry>& entries() const noexcept { return entries_; }
  void clear() noexcept { entries_.clear(); }
  /// Hears of the same requests, by a limit of its own.
  LatencyMonitor& latency() noexcept { return latency_; }

 private:
  void note(const Session& session, const Command& command, std::span<const std::string_view> words,
            std::uint64_t ticks);
  void trim() noexcept;
  /// What the executor has to report: the lower of both limits; negative when neither is set.
  std::int64_t least_micros() const noexcept;

  Services& services_;
  std::deque<Entry> entries_;
  LatencyMonitor latency_;
  std::int64_t next_id_ = 0;
  bool measured_ = false;  // the executor knows the limit in ticks as measured, and no longer the first guess
};

}  // namespace fairlane::command
