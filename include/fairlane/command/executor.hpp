#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "fairlane/base/clock.hpp"
#include "fairlane/command/context.hpp"
#include "fairlane/command/likely_keys.hpp"
#include "fairlane/command/services.hpp"
#include "fairlane/command/session.hpp"

namespace fairlane::command {

struct Command;

/// Runs requests: finds the command, asks the gates, calls the handler, and when the unit of work is over serves the
/// clients whose keys became ready. One engine thread.
class Executor {
 public:
  enum class Ran : std::uint8_t {
    yes,   ///< the request is done (answered, refused, queued, or its client parked)
    held,  ///< the server is paused: offer the same request again after Host::resume()
  };

  explicit Executor(Services& services);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// A client has connected; it is the default user, logged in when no password is asked for.
  Session& connect(Peer peer);
  /// A client has gone: it leaves every registry. The session is destroyed.
  void disconnect(Session& session);

  /// To be called before the first request of each batch: reads the clock. Within the batch it is read anew when a
  /// command begins a tenth of a millisecond later or more.
  void begin_batch();
  /// To be called after the last request of each batch: sets the timer of the next deadline.
  void end_batch();

  /// Has this client to log in before anything else? It may not send much then.
  bool must_log_in(const Session& session) const noexcept;

  /// Runs one request. Stop offering requests while session.waiting, close_after_reply or close_now is set. `likely` is
  /// what look_ahead() told of the same words, null when it was not asked.
  Ran run(Session& session, std::span<const std::string_view> words, const LikelyKeys* likely = nullptr);

  /// Asks for the memory where a request of this session will look first. Cheap.
  LikelyKeys look_ahead(const Session& session, std::span<const std::string_view> words) const;
  /// Some requests later: asks for what was found there, and again some later for what that leads to.
  void look_closer(const Session& session, const LikelyKeys& likely) const;
  void look_inside(const Session& session, const LikelyKeys& likely) const;

  // --- for handlers
  /// Runs a command inside the current unit: no gates, and nobody waits.
  enum class Unit : std::uint8_t { transaction, script };
  void run_nested(Session& session, Command& command, std::span<const std::string_view> words, protocol::Reply& reply,
                  Unit unit);
  /// In the middle of a script that takes long: the other clients are served, most with the error BUSY. False when the
  /// server is about to end. The time stands still for the script.
  bool serve_others(Session& running);
  /// Whose request runs; null between requests.
  const Session* running() const noexcept { return replying_; }
  /// Shows a request that is about to run (EVAL) to those who look on.
  void show_to_monitors(Session& session, const Command& command, std::span<const std::string_view> words);
  /// Ends a wait: with the reply of a time-out, or with an error text. False when the session does not wait.
  bool unblock(Session& session, std::string_view error = {});
  /// Output was written to a session. Does nothing for the one whose request runs.
  void announce_output(Session& session);
  /// Closes the connection of a session, this one or another, after what has been written was sent or at once; the
  /// session lives on until the batch is over.
  void close(Session& session, bool after_reply);
  /// Closes the connection of another session than the one whose request runs, here and now: it leaves every registry
  /// and the session is gone when this returns.
  void drop(Session& session);
  /// Forgets the session's transaction and watched keys.
  void discard_transaction(Session& session);
  /// Takes the session out of every registry but the list of sessions: transaction, watched keys, waits, subscriptions.
  void leave_registries(Session& session);

  /// CLIENT PAUSE: until an instant, for all commands or those that write. A further pause can only lengthen and widen
  /// the one that lasts. Unpausing resumes the clients held back, in the order in which they were.
  void pause(base::Wall until, bool writes_only);
  void unpause();

  /// Called with every command that ran, after it did (MONITOR); null when nobody looks on.
  using Observer = std::function<void(Session&, const Command&, std::span<const std::string_view>)>;
  void set_monitor(Observer observer) { monitor_ = std::move(observer); }
  /// Called after every command that took at least the given ticks (the slow log); never while `ticks` is the maximum.
  using SlowObserver =
      std::function<void(Session&, const Command&, std::span<const std::string_view>, std::uint64_t ticks)>;
  void set_slow_observer(std::uint64_t ticks, SlowObserver observer);
  /// Another limit for the same observer, which may call this.
  void set_slow_limit(std::uint64_t ticks) noexcept { slow_ticks_ = ticks; }

  /// Runs work that no client asked for (a timer's) as a unit of its own.
  void run_unit(const std::function<void()>& work);

  /// Has keys give way when the data takes more memory than maxmemory, unless the server is paused.
  void make_room();
  /// When the running command began, there was too much data and nothing that could give way.
  bool out_of_memory() const noexcept;
  /// What was received and is to be sent may have changed: where clients take too much memory together, the largest are
  /// closed.
  void weigh(Session& session);

  /// Removes keys past their deadline; sets its own timer. Also for DEBUG SET-ACTIVE-EXPIRE.
  void expire_due_keys();

 private:
  Command* resolve(Session& session, std::span<const std::string_view> words);
  void refuse(Session& session, Command* command, std::string_view error);
  Ran run_gated(Session& session, Command& command, std::span<const std::string_view> words, const LikelyKeys* likely);
  void call(Session& session, Command& command, std::span<const std::string_view> words,
            const LikelyKeys* likely = nullptr);
  void finish(Context& context, Outcome outcome, std::size_t mark);
  void park(Context& context);
  void unpark(Session& session);
  /// The end of a wait in the statistics and the slow log; one that merely took too long is not told of.
  void note_wait(Session& session, std::span<const std::string_view> words, std::uint64_t spent);
  void serve_ready();
  void serve_key(const engine::KeyId& id);
  bool serve(Session& session, std::string_view key);
  static void after_reply(Session& session, bool was_mute);
  void queue(Session& session, Command& command, std::span<const std::string_view> words);
  /// Has the command, or one of those that this EXEC would run, any of the flags?
  bool does_any(const Session& session, const Command& command, Flag flags) const noexcept;
  bool lacks_memory(const Session& session, const Command& command);
  bool paused_for(const Session& session, const Command& command) const noexcept;
  void refresh_time();

  Services& services_;
  Command* exec_;
  std::uint64_t time_good_for_;  // ticks after which a command has the clock read anew
  std::uint64_t time_good_until_ = 0;
  std::unique_ptr<LaneQueues> lanes_;
  std::unique_ptr<Scripts> scripts_;
  std::unique_ptr<Tracking> tracking_;
  std::unique_ptr<Users> users_;
  std::unique_ptr<Denials> denials_;
  std::unique_ptr<Eviction> eviction_;
  std::unique_ptr<ClientEviction> client_eviction_;
  std::unique_ptr<SlowLog> slow_log_;
  std::unique_ptr<Monitors> monitors_;
  std::unique_ptr<LoadMeter> load_;
  std::int64_t load_sample_at_ = 0;  // milliseconds since 1970
  std::unique_ptr<engine::Courier> courier_;
  const Session* replying_ = nullptr;  // whose handler runs
  bool serving_ = false;
  bool out_of_memory_ = false;
  bool busy_ = false;  // a script runs, and others are served beside it
  bool expiry_timer_set_ = false;
  base::TimerId expiry_timer_ = 0;
  std::int64_t expiry_timer_at_ = 0;
  bool paused_ = false;
  bool pause_writes_only_ = false;
  base::Wall paused_until_{};
  std::vector<SessionId> held_;  // by the pause, in order of arrival
  base::TimerId pause_timer_ = 0;
  Observer monitor_;
  SlowObserver slow_observer_;
  std::uint64_t slow_ticks_ = UINT64_MAX;
};

}  // namespace fairlane::command
