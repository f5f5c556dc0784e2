// executor_pausing.cpp - CLIENT PAUSE, and other clients beside a script that takes long.
#include <algorithm>
#include <utility>

#include "fairlane/command/catalog.hpp"
#include "fairlane/command/executor.hpp"
#include "fairlane/command/sessions.hpp"
#include "fairlane/engine/keyspace.hpp"

namespace fairlane::command {

bool Executor::does_any(const Session& session, const Command& command, Flag flags) const noexcept {
  if (&command != exec_) return has(command.flags, flags);
  const auto& queue = session.transaction.queue;
  return std::any_of(queue.begin(), queue.end(),
                     [flags](const auto& queued) { return has(queued.command->flags, flags); });
}

bool Executor::paused_for(const Session& session, const Command& command) const noexcept {
  if (!paused_) return false;
  return !pause_writes_only_ || does_any(session, command, Flag::write | Flag::may_replicate);
}

void Executor::pause(base::Wall until, bool writes_only) {
  if (paused_) {
    services_.scheduler.cancel(pause_timer_);
    until = std::max(until, paused_until_);
    writes_only = writes_only && pause_writes_only_;
  }
  paused_ = services_.keyspace.shared().keep_expired = true;
  paused_until_ = until;
  pause_writes_only_ = writes_only;
  const auto delay = std::max(until - services_.clock.wall(), base::Millis(0));
  pause_timer_ = services_.scheduler.at(services_.clock.steady() + delay, [this] {
    unpause();
    expire_due_keys();
  });
}

void Executor::unpause() {
  if (paused_) services_.scheduler.cancel(pause_timer_);
  engine::Shared& shared = services_.keyspace.shared();
  paused_ = shared.keep_expired = false;
  // The timer did nothing meanwhile, or was not set.
  shared.deadline_came_nearer = true;
  for (const SessionId id : std::exchange(held_, {})) {
    Session* session = services_.sessions.find(id);
    if (session == nullptr) continue;
    session->paused = false;
    services_.host->resume(*session);
  }
}

void Executor::show_to_monitors(Session& session, const Command& command, std::span<const std::string_view> words) {
  if (monitor_) monitor_(session, command, words);
}

bool Executor::serve_others(Session& running) {
  engine::Shared& shared = services_.keyspace.shared();
  const auto now = shared.now;
  const auto access_clock = shared.access_clock;
  const Session* replying = replying_;
  // What the script has done so far must not be seen to wake anybody.
  const bool serving = std::exchange(serving_, true);
  busy_ = true;
  const bool goes_on = services_.host->serve_while_busy(running);
  busy_ = false;
  serving_ = serving;
  replying_ = replying;
  shared.access_clock = access_clock;
  shared.now = now;
  return goes_on;
}

}  // namespace fairlane::command
