#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "fairlane/base/clock.hpp"

namespace fairlane::testkit {

/// Timers that run when a test says so.
class ManualScheduler : public base::Scheduler {
 public:
  base::TimerId at(base::Steady when, std::function<void()> action) override {
    const base::TimerId id = ++last_id_;
    timers_.emplace(Key{when, id}, std::move(action));
    return id;
  }
  void cancel(base::TimerId timer) noexcept override {
    std::erase_if(timers_, [&](const auto& entry) { return entry.first.second == timer; });
  }

  /// The instant of the next timer; nothing when there is none.
  std::optional<base::Steady> next() const {
    if (timers_.empty()) return std::nullopt;
    return timers_.begin()->first.first;
  }
  /// Runs the next timer, whatever its instant. There is one.
  void run_next() {
    auto node = timers_.extract(timers_.begin());
    node.mapped()();
  }
  std::size_t size() const noexcept { return timers_.size(); }

 private:
  using Key = std::pair<base::Steady, base::TimerId>;
  std::map<Key, std::function<void()>> timers_;
  base::TimerId last_id_ = 0;
};

}  // namespace fairlane::testkit
