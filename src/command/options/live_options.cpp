#include "fairlane/command/live_options.hpp"

#include <algorithm>

#include "command/slow_log.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/notifications.hpp"

namespace fairlane::command {
namespace {

void follow_notifications(Services& services) {
  const auto follow = [&services]() -> std::string {
    const auto classes = engine::EventClasses::parse(services.settings.notify_keyspace_events);
    if (classes) services.notifications.configure(*classes);
    return {};
  };
  follow();
  services.options->on_change("notify-keyspace-events", follow);
}

void follow_slow_log(Services& services) {
  const auto follow = [&services]() -> std::string {
    services.slow_log->apply_settings();
    return {};
  };
  follow();
  for (const char* name : {"slowlog-log-slower-than", "slowlog-max-len", "latency-monitor-threshold"}) {
    services.options->on_change(name, follow);
  }
}

/// Redis takes any number and then moves it into its range.
void clamp_rounds(Options& options) {
  const auto clamp = [&options]() -> std::string {
    constexpr std::int64_t kMostRounds = 500;
    const std::int64_t rounds = options.value(*Options::find("hz")).number;
    options.overrule("hz", std::clamp<std::int64_t>(rounds, 1, kMostRounds));
    return {};
  };
  clamp();
  options.on_change("hz", clamp);
}

}  // namespace

void follow_options(Services& services) {
  follow_notifications(services);
  follow_slow_log(services);
  clamp_rounds(*services.options);
}

}  // namespace fairlane::command
