#include "fairlane/command/live_options.hpp"

#include <algorithm>

#include "command/client_eviction.hpp"
#include "command/eviction.hpp"
#include "command/slow_log.hpp"
#include "fairlane/command/options.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/command/users.hpp"
#include "fairlane/engine/keyspace.hpp"
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

void follow_password(Services& services) {
  const auto follow = [&services]() -> std::string {
    services.users->set_default_password(services.settings.requirepass);
    return {};
  };
  follow();
  services.options->on_change("requirepass", follow);
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

void follow_memory(Services& services) {
  const auto follow = [&services]() -> std::string {
    services.keyspace.shared().access_rule = services.settings.access_rule;
    return {};
  };
  follow();
  for (const char* name : {"maxmemory-policy", "lfu-log-factor", "lfu-decay-time"}) {
    services.options->on_change(name, follow);
  }
  services.options->on_change("maxmemory", [&services]() -> std::string {
    services.eviction->begin();
    return {};
  });
  services.options->on_change("maxmemory-clients", [&services]() -> std::string {
    services.client_eviction->weigh_all();
    return {};
  });
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

/// A watchdog that is on sleeps two rounds at the least.
void raise_watchdog_period(Options& options) {
  options.on_change("watchdog-period", [&options]() -> std::string {
    const std::int64_t least = 2 * (1000 / options.value(*Options::find("hz")).number);
    const std::int64_t period = options.value(*Options::find("watchdog-period")).number;
    if (period != 0 && period < least) options.overrule("watchdog-period", least);
    return {};
  });
}

/// What a redis-server without certificates and with the system's allocator refuses, too.
void refuse_the_impossible(Options& options) {
  options.on_change("tls-port", [&options]() -> std::string {
    const bool wanted = options.value(*Options::find("tls-port")).number != 0;
    return wanted ? "Unable to update TLS configuration. Check server logs." : "";
  });
  options.on_change("activedefrag", [&options]() -> std::string {
    const bool wanted = options.value(*Options::find("activedefrag")).number != 0;
    return wanted ? "Active defragmentation cannot be enabled: it requires a Redis server compiled with a modified "
                    "Jemalloc like the one shipped by default with the Redis source distribution"
                  : "";
  });
}

}  // namespace

void follow_options(Services& services) {
  follow_notifications(services);
  follow_slow_log(services);
  follow_password(services);
  follow_memory(services);
  clamp_rounds(*services.options);
  raise_watchdog_period(*services.options);
  refuse_the_impossible(*services.options);
}

}  // namespace fairlane::command
