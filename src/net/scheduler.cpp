#include "fairlane/net/scheduler.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <unordered_map>

namespace fairlane::net {

namespace chrono = std::chrono;

base::Wall SystemClock::wall() const noexcept { return chrono::floor<base::Millis>(chrono::system_clock::now()); }
base::Steady SystemClock::steady() const noexcept { return chrono::floor<base::Millis>(chrono::steady_clock::now()); }
std::int64_t SystemClock::wall_micros() const noexcept {
  return chrono::duration_cast<chrono::microseconds>(chrono::system_clock::now().time_since_epoch()).count();
}

struct AsioScheduler::State {
  using Key = std::pair<base::Steady, base::TimerId>;

  State(boost::asio::io_context& context, const base::Clock& the_clock, std::function<void()> after)
      : timer(context), clock(the_clock), after_run(std::move(after)) {}

  void arm() {
    if (timers.empty()) return;
    // The clock behind the timer counts nanoseconds and cannot tell the farthest of our instants: wake up on the way.
    const base::Steady nearest = std::min(timers.begin()->first.first, clock.steady() + chrono::hours(24));
    if (armed && armed_for <= nearest) return;
    armed = true;
    armed_for = nearest;
    timer.expires_at(nearest);
    timer.async_wait([this](const boost::system::error_code& error) {
      if (!error) run();
    });
  }

  void run() {
    armed = false;
    const base::Steady now = clock.steady();
    bool ran = false;
    while (!timers.empty() && timers.begin()->first.first <= now) {
      auto node = timers.extract(timers.begin());
      due.erase(node.key().second);
      node.mapped()();
      ran = true;
    }
    if (ran) after_run();
    arm();
  }

  boost::asio::steady_timer timer;
  const base::Clock& clock;
  std::function<void()> after_run;
  std::map<Key, std::function<void()>> timers;
  std::unordered_map<base::TimerId, base::Steady> due;
  base::TimerId last_id = 0;
  bool armed = false;
  base::Steady armed_for{};
};

AsioScheduler::AsioScheduler(boost::asio::io_context& context, const base::Clock& clock,
                             std::function<void()> after_run)
    : state_(std::make_unique<State>(context, clock, std::move(after_run))) {}
AsioScheduler::~AsioScheduler() = default;

base::TimerId AsioScheduler::at(base::Steady when, std::function<void()> action) {
  const base::TimerId id = ++state_->last_id;
  state_->timers.emplace(State::Key{when, id}, std::move(action));
  state_->due.emplace(id, when);
  state_->arm();
  return id;
}

void AsioScheduler::cancel(base::TimerId timer) noexcept {
  const auto found = state_->due.find(timer);
  if (found == state_->due.end()) return;
  state_->timers.erase({found->second, timer});
  state_->due.erase(found);
}

}  // namespace fairlane::net
