#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/command/settings.hpp"
#include "fairlane/engine/keyspace.hpp"
#include "fairlane/engine/notifications.hpp"
#include "fairlane/engine/pubsub.hpp"
#include "fairlane/engine/wait_queue.hpp"
#include "fairlane/engine/watch.hpp"
#include "testkit/resp_value.hpp"

namespace fairlane::command {

/// A whole engine in process, in virtual time, without a network.
class Engine : private base::Clock, private base::Scheduler, private Host {
 public:
  Engine()
      : keyspace(4),
        watches_(keyspace.shared().changes),
        waits(keyspace.shared().changes),
        notifications_(keyspace.shared().changes, pubsub_),
        services{.settings = settings,
                 .keyspace = keyspace,
                 .watches = watches_,
                 .waits = waits,
                 .pubsub = pubsub_,
                 .notifications = notifications_,
                 .catalog = catalog_,
                 .sessions = sessions_,
                 .clock = *this,
                 .scheduler = *this},
        executor(services) {
    services.host = this;
  }

  Session& connect() { return executor.connect(Peer{}); }

  /// Runs a request of words between blanks and returns the replies that the session got, in the notation of .wire
  /// files, several with a blank between.
  std::string run(Session& session, std::string_view request) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < request.size();) {
      const std::size_t end = std::min(request.find(' ', at), request.size());
      if (end != at) words.push_back(request.substr(at, end - at));
      at = end + 1;
    }
    return run(session, words);
  }
  std::string run(Session& session, const std::vector<std::string_view>& words) {
    executor.begin_batch();
    executor.run(session, words);
    executor.end_batch();
    return replies(session);
  }
  /// What a session was sent and has not looked at yet; empty when there is nothing.
  static std::string replies(Session& session) {
    testkit::RespReader reader;
    reader.feed(session.out.view());
    session.out.clear();
    session.output_announced = false;
    std::string text;
    while (const auto value = reader.next()) {
      if (!text.empty()) text += ' ';
      text += testkit::show(*value);
    }
    return text;
  }

  /// Lets time pass; timers run at their own instant.
  void advance(std::int64_t millis) {
    const std::int64_t until = now + millis;
    while (!timers_.empty() && timers_.begin()->first.first <= until) {
      const auto timer = timers_.begin();
      now = std::max(now, timer->first.first);
      const auto action = std::move(timer->second);
      timers_.erase(timer);
      action();
    }
    now = until;
  }

 private:
  base::Wall wall() const noexcept override { return base::from_unix_millis(now); }
  base::Steady steady() const noexcept override { return base::Steady{base::Millis{now}}; }
  std::int64_t wall_micros() const noexcept override { return now * 1000; }
  base::TimerId at(base::Steady when, std::function<void()> action) override {
    timers_.emplace(std::pair{when.time_since_epoch().count(), ++last_timer_}, std::move(action));
    return last_timer_;
  }
  void cancel(base::TimerId timer) noexcept override {
    for (auto entry = timers_.begin(); entry != timers_.end(); ++entry) {
      if (entry->first.second != timer) continue;
      timers_.erase(entry);
      return;
    }
  }
  void output_ready(Session&) override {}
  void resume(Session&) override {}
  void close(Session&) override {}
  void drop(Session& session) override { executor.disconnect(session); }
  void shut_down() override {}

 public:
  std::int64_t now = 1'767'225'600'000;  ///< Unix milliseconds
  Settings settings;
  engine::Keyspace keyspace;

 private:
  engine::WatchTable watches_;

 public:
  engine::WaitQueue waits;

 private:
  engine::PubSub pubsub_;
  engine::Notifications notifications_;
  Catalog catalog_;
  Sessions sessions_;
  std::map<std::pair<std::int64_t, base::TimerId>, std::function<void()>> timers_;
  base::TimerId last_timer_ = 0;

 public:
  Services services;
  Executor executor;
};

}  // namespace fairlane::command
