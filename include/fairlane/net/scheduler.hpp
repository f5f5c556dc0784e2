#pragma once

#include <functional>
#include <memory>

#include "fairlane/base/clock.hpp"

namespace boost::asio {
class io_context;
}

namespace fairlane::net {

/// The machine's clocks.
class SystemClock : public base::Clock {
 public:
  base::Wall wall() const noexcept override;
  base::Steady steady() const noexcept override;
  std::int64_t wall_micros() const noexcept override;
};

/// Timers in one ordered map behind one Asio timer.
class AsioScheduler : public base::Scheduler {
 public:
  /// `after_run` is called after timers have run, to send what they wrote.
  AsioScheduler(boost::asio::io_context& context, const base::Clock& clock, std::function<void()> after_run);
  ~AsioScheduler() override;

  base::TimerId at(base::Steady when, std::function<void()> action) override;
  void cancel(base::TimerId timer) noexcept override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fairlane::net
